@_exported import COSLock

/// A lock in memory of its own, with the state that it protects. Copies are the same lock.
///
/// Proof of `@unchecked Sendable`: the state is accessed only while the lock is held.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    /// The owner of the lock, relative to the calling thread.
    public enum Ownership: Hashable, Sendable {
        /// The calling thread holds the lock.
        case owner
        /// The calling thread does not hold the lock.
        case notOwner
    }

    private final class Storage {
        let lock: os_unfair_lock_t
        var state: State

        init(_ state: State) {
            lock = .allocate(capacity: 1)
            lock.initialize(to: os_unfair_lock())
            self.state = state
        }

        deinit {
            lock.deinitialize(count: 1)
            lock.deallocate()
        }
    }

    private let storage: Storage

    /// A lock with its state. The caller must not use the state anywhere else, because the compiler does not check it.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// Locks, calls `body` with the state, and unlocks.
    public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        os_unfair_lock_lock(storage.lock)
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Locks, calls `body` with the state, and unlocks.
    public func withLock<Result: Sendable>(
        _ body: @Sendable (inout State) throws -> Result
    ) rethrows -> Result { try withLockUnchecked(body) }

    /// Like ``withLockUnchecked(_:)``; returns nil without calling `body` if the lock is held.
    public func withLockIfAvailableUnchecked<Result>(
        _ body: (inout State) throws -> Result
    ) rethrows -> Result? {
        guard os_unfair_lock_trylock(storage.lock) else { return nil }
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Like ``withLock(_:)``; returns nil without calling `body` if the lock is held.
    public func withLockIfAvailable<Result: Sendable>(
        _ body: @Sendable (inout State) throws -> Result
    ) rethrows -> Result? { try withLockIfAvailableUnchecked(body) }

    /// Ends the program if the condition does not hold for the calling thread.
    public func precondition(_ condition: Ownership) {
        switch condition {
        case .owner: os_unfair_lock_assert_owner(storage.lock)
        case .notOwner: os_unfair_lock_assert_not_owner(storage.lock)
        }
    }

    fileprivate var lockPointer: os_unfair_lock_t { storage.lock }
}

extension OSAllocatedUnfairLock where State: Sendable {
    /// A lock with its state.
    public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
    /// A lock without a state.
    public init() { self.init(uncheckedState: ()) }

    /// Locks; the same thread must unlock. Must not be held across an `await`.
    @available(*, noasync, message: "use withLock(_:)")
    public func lock() { os_unfair_lock_lock(lockPointer) }

    /// Unlocks.
    @available(*, noasync, message: "use withLock(_:)")
    public func unlock() { os_unfair_lock_unlock(lockPointer) }

    /// Locks if the lock is free; returns false if it is held.
    @available(*, noasync, message: "use withLockIfAvailable(_:)")
    public func lockIfAvailable() -> Bool { os_unfair_lock_trylock(lockPointer) }

    /// Locks, calls `body`, and unlocks.
    public func withLockUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result {
        try withLockUnchecked { (_: inout Void) in try body() }
    }

    /// Locks, calls `body`, and unlocks.
    public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
        try withLockUnchecked { (_: inout Void) in try body() }
    }

    /// Like ``withLock(_:)``; returns nil without calling `body` if the lock is held.
    public func withLockIfAvailable<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result? {
        try withLockIfAvailableUnchecked { (_: inout Void) in try body() }
    }
}
