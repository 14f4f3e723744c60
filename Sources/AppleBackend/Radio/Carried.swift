/// Carries a value that is not Sendable between the managers' queue, the streams' thread and the adapter's loop.
///
/// Proof of `@unchecked Sendable`: the code that carries the value does not access it on the way. CoreBluetooth's
/// objects are accessed on ``AppleQueue`` only, which the loop enters for it, and the loop's closures are called on the
/// loop only.
struct Carried<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
