import Foundation

/// Guards the properties of the objects of this module, which a program may read from any thread.
///
/// The properties change on the manager's queue, right before the delegate is called. The lock is held for a load or a
/// store and never while other code runs; a replaced value is released afterwards.
enum PropertyLock {
    private static let lock = NSLock()

    static func read<Value>(_ body: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// Stores `value` with `store`, which swaps it in; the old value is released after the lock.
    /// - Parameter object: the object whose observers are told; nil for a property that cannot be observed.
    static func replace<Value>(_ value: Value, of object: AnyObject? = nil, _ store: (inout Value) -> Void) {
        var value = value
        lock.lock()
        store(&value)
        lock.unlock()
        if let object { Observations.changed(object) }
    }
}
