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
/// (``RadioLoop/enter(_:)``).
///
/// It is a pointer, which the loop deallocates: each turn passes it down, and would retain and release an object.
///
/// Proof of `@unchecked Sendable`: the memory is a pthread mutex, which is made for several threads, a gate of atomic
/// numbers, an atomic, and a policy that only the holder of the mutex accesses. The pointer is constant.
struct TurnLock: @unchecked Sendable {
    private struct State: ~Copyable {
        var mutex = pthread_mutex_t()
        var policy = CallerTurnPolicy()
        /// The wait of the next caller, for callers that do not hold the lock.
        let wait = Atomic(CallerTurnPolicy.Wait.none)
        #if os(Linux) || os(Android)
        var gate = harald_gate()
        /// The number of naps of a caller before it gives up.
        let naps: Int

        init(naps: Int) { self.naps = naps }
        #else
        init(naps _: Int) {}
        #endif
    }

    private let state: UnsafeMutablePointer<State>

    /// Creates a lock whose callers sleep this many times for half a millisecond before they give up.
    init(naps: Int = 8) {
        state = .allocate(capacity: 1)
        state.initialize(to: State(naps: naps))
        pthread_mutex_init(&state.pointee.mutex, nil)
    }

    /// Frees the lock, which nobody may use afterwards.
    func deallocate() {
        pthread_mutex_destroy(&state.pointee.mutex)
        state.deinitialize(count: 1)
        state.deallocate()
    }

    func lock() { pthread_mutex_lock(&state.pointee.mutex) }

    func tryLock() -> Bool { pthread_mutex_trylock(&state.pointee.mutex) == 0 }

    func unlock() {
        pthread_mutex_unlock(&state.pointee.mutex)
        #if os(Linux) || os(Android)
        if hasWaiting { harald_gate_open(&state.pointee.gate) }
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
            guard state.pointee.wait.load(ordering: .relaxed) != .none, waits(mayEnter) else { return false }
            hasWaited = true
            #else
            return false
            #endif
        }
        state.pointee.policy.callBegan(hasWaited: hasWaited)
        publish()
        return true
    }

    /// Ends the turn of a caller.
    func unlockAsCaller() {
        #if os(Linux) || os(Android)
        let opens = hasWaiting && state.pointee.policy.callEnded()
        pthread_mutex_unlock(&state.pointee.mutex)
        if opens { harald_gate_open(&state.pointee.gate) }
        #else
        unlock()
        #endif
    }

    /// Records the end of an operation, inside the call that began it or later. To be called with the lock.
    func operationEnded(inside: Bool) {
        state.pointee.policy.operationEnded(inside: inside)
        publish()
    }

    private func tryLock(_ mayEnter: () -> Bool) -> Bool {
        guard tryLock() else { return false }
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
    /// The maximum time that a caller sleeps before it tries again, in nanoseconds.
    private static let nap = 500_000

    /// True while a caller sleeps, or is about to.
    var hasWaiting: Bool { harald_gate_is_crowded(&state.pointee.gate) }

    private func waits(_ mayEnter: () -> Bool) -> Bool {
        if state.pointee.wait.load(ordering: .relaxed) == .short, spins(mayEnter) { return true }
        harald_gate_announce(&state.pointee.gate, 1)
        defer { harald_gate_announce(&state.pointee.gate, -1) }
        for _ in 0..<state.pointee.naps {
            let openings = harald_gate_openings(&state.pointee.gate)
            if tryLock(mayEnter) { return true }
            harald_gate_wait(&state.pointee.gate, openings, Self.nap)
            let isInVain = harald_gate_openings(&state.pointee.gate) == openings
            guard spins(mayEnter) else { continue }
            if isInVain { state.pointee.policy.waitedInVain() }
            return true
        }
        return false
    }

    private func spins(_ mayEnter: () -> Bool) -> Bool {
        for _ in 0..<Self.attempts {
            for _ in 0..<Self.pauses { harald_gate_pause() }
            if tryLock(mayEnter) { return true }
        }
        return false
    }
    #endif
}
