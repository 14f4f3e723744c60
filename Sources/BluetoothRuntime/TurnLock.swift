import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
#if os(Linux) || os(Android)
import CLinuxPolling
#endif

/// The lock held by the thread that runs as the loop: the loop's own thread, or a caller while that thread sleeps
/// (``RadioLoop/enter(until:_:)``).
///
/// It is a pointer, which the loop deallocates: each turn passes it down, and would retain and release an object.
///
/// Proof of `@unchecked Sendable`: the memory is a pthread mutex and a gate, which are made for several threads,
/// atomics, a constant, and a policy that only the holder of the mutex accesses. The pointer is constant.
struct TurnLock: @unchecked Sendable {
    private struct State: ~Copyable {
        var mutex = pthread_mutex_t()
        var policy = CallerTurnPolicy()
        /// The wait of the next caller, for callers that do not hold the lock.
        let wait = Atomic(CallerTurnPolicy.Wait.none)
        /// True during a turn of the loop's thread.
        let isThreads = Atomic(false)
        /// The number of callers that spin.
        let spinning = Atomic(0)
        #if os(Linux) || os(Android)
        var gate = harald_gate()
        /// The number of calls that ended while others waited. Only the holder of the mutex changes it.
        let calls = Atomic<UInt>(0)
        /// The number of naps of a caller before it gives up, and their duration in milliseconds.
        let (naps, nap): (Int, Int)

        init(naps: Int, nap: Int) { (self.naps, self.nap) = (naps, nap) }
        #else
        init(naps _: Int, nap _: Int) {}
        #endif
    }

    private let state: UnsafeMutablePointer<State>

    /// Creates a lock whose callers sleep this many times for `nap` milliseconds before they give up. After each nap
    /// they try for a turn although others make calls.
    init(naps: Int = 2, nap: Int = 8) {
        state = .allocate(capacity: 1)
        state.initialize(to: State(naps: naps, nap: nap))
        pthread_mutex_init(&state.pointee.mutex, nil)
    }

    /// Frees the lock, which must not be used afterwards.
    func deallocate() {
        pthread_mutex_destroy(&state.pointee.mutex)
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Begins a turn of the loop's thread.
    func lock() {
        pthread_mutex_lock(&state.pointee.mutex)
        state.pointee.isThreads.store(true, ordering: .relaxed)
    }

    /// Begins a turn of the loop's thread, unless there is another; returns true if it did.
    func tryLock() -> Bool {
        guard pthread_mutex_trylock(&state.pointee.mutex) == 0 else { return false }
        state.pointee.isThreads.store(true, ordering: .relaxed)
        return true
    }

    /// Ends a turn of the loop's thread.
    func unlock() {
        state.pointee.isThreads.store(false, ordering: .relaxed)
        pthread_mutex_unlock(&state.pointee.mutex)
        #if os(Linux) || os(Android)
        // A caller that spins continues with its calls, and wakes a sleeping one later.
        if hasWaiting, state.pointee.spinning.load(ordering: .relaxed) == 0 { harald_gate_open(&state.pointee.gate) }
        #endif
    }

    // MARK: Turns of callers

    /// Locks for a caller, which may wait for its turn; returns false if it has to pass its call to the loop's thread.
    ///
    /// - Parameter mayEnter: returns false if the loop's thread has to run first; called with the lock.
    func lockAsCaller(_ mayEnter: () -> Bool) -> Bool {
        var hasWaited = false
        if !tryLock(mayEnter) {
            #if os(Linux) || os(Android)
            let wait = state.pointee.wait.load(ordering: .relaxed)
            guard wait != .none else { return false }
            // The turn of the thread is short, and not that of another caller.
            let isThreads = state.pointee.isThreads.load(ordering: .relaxed)
            if (wait == .short || isThreads) && spins(mayEnter) {
                hasWaited = wait == .short
            } else {
                guard sleeps(mayEnter) else { return false }
                hasWaited = true
            }
            #else
            return false
            #endif
        }
        state.pointee.policy.callBegan(hasWaited: hasWaited)
        publish()
        return true
    }

    /// Ends the turn of a caller, which may have begun with ``lock()``. A caller that begins to wait at the same
    /// instant may not be seen, and sleeps for a millisecond.
    func unlockAsCaller() {
        state.pointee.isThreads.store(false, ordering: .relaxed)
        #if os(Linux) || os(Android)
        var opens = false
        if hasWaiting {
            let calls = state.pointee.calls.load(ordering: .relaxed)
            state.pointee.calls.store(calls &+ 1, ordering: .relaxed)
            opens = state.pointee.policy.callEnded()
        }
        pthread_mutex_unlock(&state.pointee.mutex)
        if opens { harald_gate_open(&state.pointee.gate) }
        #else
        pthread_mutex_unlock(&state.pointee.mutex)
        #endif
    }

    /// Records the end of an operation, inside the call that began it or later. To be called with the lock.
    func operationEnded(inside: Bool) {
        state.pointee.policy.operationEnded(inside: inside)
        publish()
    }

    private func tryLock(_ mayEnter: () -> Bool) -> Bool {
        guard pthread_mutex_trylock(&state.pointee.mutex) == 0 else { return false }
        if mayEnter() { return true }
        pthread_mutex_unlock(&state.pointee.mutex)
        return false
    }

    private func publish() {
        let wait = state.pointee.policy.wait
        if state.pointee.wait.load(ordering: .relaxed) != wait { state.pointee.wait.store(wait, ordering: .relaxed) }
    }

    #if os(Linux) || os(Android)
    /// The number of attempts of a caller that spins, and of pauses between two: a few calls long.
    private static let (attempts, pauses) = (32, 8)

    /// True while a caller sleeps, or is about to.
    var hasWaiting: Bool { harald_gate_is_crowded(&state.pointee.gate) }

    /// Sleeps until a turn ends; returns false if none did, or others had the next ones.
    private func sleeps(_ mayEnter: () -> Bool) -> Bool {
        harald_gate_announce(&state.pointee.gate, 1)
        defer { harald_gate_announce(&state.pointee.gate, -1) }
        for _ in 0..<state.pointee.naps {
            let openings = harald_gate_openings(&state.pointee.gate)
            if tryLock(mayEnter) { return true }
            if naps(openings, mayEnter) {
                state.pointee.policy.waitedInVain()
                return true
            }
            if spins(mayEnter) { return true }
        }
        return false
    }

    /// Sleeps until the gate is opened, or for a nap; returns true, with the lock, if others make no calls any more,
    /// which it checks every millisecond.
    private func naps(_ openings: UInt32, _ mayEnter: () -> Bool) -> Bool {
        for _ in 0..<state.pointee.nap {
            let calls = state.pointee.calls.load(ordering: .relaxed)
            harald_gate_wait(&state.pointee.gate, openings, 1_000_000)
            if harald_gate_openings(&state.pointee.gate) != openings { return false }
            if state.pointee.calls.load(ordering: .relaxed) == calls, tryLock(mayEnter) { return true }
        }
        return false
    }

    /// Tries for a few calls.
    private func spins(_ mayEnter: () -> Bool) -> Bool {
        state.pointee.spinning.add(1, ordering: .relaxed)
        defer { state.pointee.spinning.subtract(1, ordering: .relaxed) }
        for _ in 0..<Self.attempts {
            for _ in 0..<Self.pauses { harald_gate_pause() }
            if tryLock(mayEnter) { return true }
        }
        return false
    }
    #endif
}
