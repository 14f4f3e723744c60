/// Carries a value to the manager's queue or to the adapter's loop.
///
/// Proof of `@unchecked Sendable`: the code that creates one ensures that the value is accessed only where it belongs:
/// objects of the public API on the manager's queue or under ``PropertyLock``, objects of the backend on the loop.
struct Transfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
