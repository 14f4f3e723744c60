import Synchronization

/// A locked value that a closure can take along.
final class Locked<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func set(_ new: Value) { value.withLock { $0 = new } }
    func get() -> Value { value.withLock { $0 } }
    func change(_ body: @Sendable (inout Value) -> Void) { value.withLock { body(&$0) } }
}
