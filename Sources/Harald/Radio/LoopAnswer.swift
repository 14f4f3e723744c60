import BluetoothRuntime

/// Delivers the answer of the user's code to the loop.
///
/// Proof of `@unchecked Sendable`: the properties are constant, and the closure is created and called on the loop only.
final class LoopAnswer<Value: Sendable>: @unchecked Sendable {
    private let loop: RadioLoop
    private let body: (Value) -> Void

    init(loop: RadioLoop, _ body: @escaping (Value) -> Void) {
        self.loop = loop
        self.body = body
    }

    func give(_ value: Value) { loop.execute { self.body(value) } }
}
