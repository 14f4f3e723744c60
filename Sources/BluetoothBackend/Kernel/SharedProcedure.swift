import BluetoothModel

/// A procedure that users of a link request any number of times, and that runs once: its result completes all of their
/// operations. It is stopped when the last of them was cancelled or timed out. Confined to the loop.
package final class SharedProcedure<Value> {
    private var operations: [LinkOperation<Value>] = []
    private let stop: () -> Void

    /// Creates a procedure, which the backend has started or is about to start.
    /// - Parameter stop: stops the procedure, which leads to ``end(_:)``.
    package init(stop: @escaping () -> Void) { self.stop = stop }

    /// Adds an operation that waits for the result.
    package func add(_ operation: LinkOperation<Value>) {
        operation.onAbandon = { [weak self] in self?.abandoned() }
        operations.append(operation)
    }

    private func abandoned() {
        if !operations.isEmpty, operations.allSatisfy(\.isOver) { stop() }
    }

    /// Completes the operations that still wait.
    package func end(_ result: Result<Value, RadioError>) {
        let ended = operations
        operations = []
        for operation in ended { operation.complete(result) }
    }
}
