/// Takes an object of CoreBluetooth along from the managers' queue to the adapter's loop.
///
/// `@unchecked Sendable`: CoreBluetooth's objects are touched on ``AppleQueue`` alone, which the loop enters for it, so
/// that never two threads are at them.
struct Carried<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
