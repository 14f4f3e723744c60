import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// The deadline of an operation of several steps, on the adapter's clock.
struct Deadline: Sendable {
    /// The timeout that the caller gave; nil for no limit.
    let timeout: Duration?
    private let end: RadioInstant?
    private let loop: RadioLoop

    /// Creates a deadline `timeout` from now.
    init(_ timeout: Duration?, on loop: RadioLoop) {
        self.timeout = timeout
        self.loop = loop
        end = timeout.map { loop.now + $0 }
    }

    /// The remaining time, never below zero; nil without a limit.
    var left: Duration? { end.map { max(.zero, $0 - loop.now) } }
}

extension Peripheral {
    /// Runs one step of an operation, which receives the remaining time.
    func perform<Value: Sendable>(
        _ what: @autoclosure () -> String, by deadline: Deadline,
        _ start: @escaping @Sendable (any PeripheralLink, Duration?, LoopOperation<Value>) -> OperationID
    ) async throws(BluetoothError) -> Value {
        try await perform(what(), timeout: deadline.timeout) { link, operation in
            let left = deadline.left
            if left == .zero {
                operation.complete(.failure(.timeout))
                return OperationID(rawValue: 0)
            }
            return start(link, left, operation)
        }
    }
}
