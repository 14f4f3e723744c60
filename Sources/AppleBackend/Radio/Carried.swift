/// Takes what is not Sendable along between the managers' queue, the streams' thread and the adapter's loop.
///
/// `@unchecked Sendable`: whoever takes it along does not touch it. CoreBluetooth's objects are touched on ``AppleQueue``
/// alone, which the loop enters for it, and the loop's closures are called on the loop alone.
struct Carried<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
