/// Takes something along to the manager's queue or to the adapter's loop.
///
/// `@unchecked Sendable`: whoever makes one sees to it that the value is only touched where it belongs: objects of the
/// public API on the manager's queue or under ``PropertyLock``, objects of the seam on the loop.
struct Transfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
