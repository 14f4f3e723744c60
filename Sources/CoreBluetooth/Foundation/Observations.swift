import Foundation
import Synchronization

/// The observations of all objects. A change of a property costs one atomic load while there is none.
enum Observations {
    struct Key: Sendable {
        fileprivate let object: ObjectIdentifier
        fileprivate let number: Int
    }

    /// An observation, called with its object after a change of any property of the object.
    ///
    /// Proof of `@unchecked Sendable`: it is immutable, but for the weak reference, which may be read by any thread;
    /// `check` may be called by any thread, as it has to be by `observe`.
    private final class Observation: @unchecked Sendable {
        weak var object: AnyObject?
        let check: (AnyObject) -> Void

        init(_ object: AnyObject, _ check: @escaping (AnyObject) -> Void) {
            self.object = object
            self.check = check
        }
    }

    private static let count = Atomic<Int>(0)
    private static let all = Mutex<[ObjectIdentifier: [Int: Observation]]>([:])
    private static let lastNumber = Atomic<Int>(0)

    static func add(_ object: AnyObject, _ check: @escaping (AnyObject) -> Void) -> Key {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        let key = Key(object: ObjectIdentifier(object), number: number)
        let observation = Observation(object, check)
        all.withLock { $0[key.object, default: [:]][key.number] = observation }
        count.add(1, ordering: .sequentiallyConsistent)
        return key
    }

    static func remove(_ key: Key) {
        // Released after the lock.
        let observation = all.withLock { all in
            let observation = all[key.object]?.removeValue(forKey: key.number)
            if all[key.object]?.isEmpty == true { all[key.object] = nil }
            return observation
        }
        if observation != nil { count.subtract(1, ordering: .sequentiallyConsistent) }
    }

    /// Tells the observers of an object that a property may have changed. To be called without a lock.
    static func changed(_ object: AnyObject) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        let due = all.withLock { $0[ObjectIdentifier(object)] } ?? [:]
        for (_, observation) in due.sorted(by: { $0.key < $1.key }) {
            if let object = observation.object { observation.check(object) }
        }
    }
}

/// The value of an observed property after its last change.
final class LastValue<Value> {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Stores a value and returns the one before; nil if both are equal.
    func replace(with new: Value) -> Value? {
        lock.lock()
        defer { lock.unlock() }
        guard !areEqual(value, new) else { return nil }
        defer { value = new }
        return .some(value)
    }
}

/// Returns true if two values are known to be equal.
private func areEqual(_ first: Any, _ second: Any) -> Bool {
    switch (unwrapped(first), unwrapped(second)) {
    case (nil, nil): true
    case (let first as any Equatable, let second?): first.equals(second)
    default: false
    }
}

private func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.wrapped
}

private protocol AnyOptional { var wrapped: Any? { get } }

extension Optional: AnyOptional { fileprivate var wrapped: Any? { self } }

extension Equatable {
    fileprivate func equals(_ other: Any) -> Bool { self == other as? Self }
}
