import Dispatch
import Synchronization

/// A value that a background thread computes while the caller continues.
final class BackgroundValue<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)
    private let group = DispatchGroup()

    /// Starts the computation on a queue.
    init(_ queue: DispatchQueue, _ compute: @escaping @Sendable () -> Value) {
        queue.async(group: group) {
            let value = compute()
            self.state.withLock { $0 = value }
        }
    }

    /// The value. Blocks the thread until it is computed, so tasks of Swift's pool must not call it.
    var value: Value {
        group.wait()
        guard let value = state.withLock({ $0 }) else {
            // Proof: the group is entered before `init` returns, and left after the value is set.
            preconditionFailure("the computation has ended without a value")
        }
        return value
    }
}
