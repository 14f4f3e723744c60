import Synchronization

/// A value behind a lock, for closures and tasks to share.
package final class Locked<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    /// The current value.
    package var value: Value { mutex.withLock { $0 } }

    /// Creates a locked value.
    package init(_ value: Value) { mutex = Mutex(value) }

    /// Runs `body` with exclusive access to the value, and returns its result.
    @discardableResult
    package func with<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        mutex.withLock { body(&$0) }
    }
}
