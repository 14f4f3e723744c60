import Foundation

/// Guards what a program may look at from any thread: the properties of the objects of this module.
///
/// They change on the manager's queue, right before the delegate hears of it. The lock is held for a load or a store and
/// never while anything else runs; what a store replaces is released after it.
enum PropertyLock {
    private static let lock = NSLock()

    static func read<Value>(_ body: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// Puts `value` where `store` swaps it in; the old value is released when the lock is free again.
    static func replace<Value>(_ value: Value, _ store: (inout Value) -> Void) {
        var value = value
        lock.lock()
        store(&value)
        lock.unlock()
    }
}
