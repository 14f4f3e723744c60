import Synchronization

/// Decides whether a caller that finds another thread running as the loop waits for its turn.
///
/// Callers wait while operations end inside their calls, as those of a simulated peer in the same process do. A call
/// that is passed to the loop's thread instead suspends its task, wakes two threads, and keeps the loop's thread at
/// work, so that the next callers find the loop taken too.
///
/// A caller that waits often sleeps, so that another makes many calls in a row: the threads take turns, and the memory
/// of the stack stays in the cache of one processor.
struct CallerTurnPolicy {
    /// The wait of a caller.
    enum Wait: UInt8, AtomicRepresentable {
        /// None: the call is passed to the loop's thread.
        case none
        /// Until the end of another call.
        case short
        /// Until another caller has made many calls, or none for a while.
        case long
    }

    /// The number of successive operations that ended inside their calls before callers wait.
    static let leastInside = 16
    /// The number of waits, less that of calls without one, before callers wait long.
    static let mostCollisions = 16
    /// The number of calls that a caller makes before one that waits long has its turn, or before one that waits short
    /// and did not use its turn has another.
    static let callsInTurn = 1024

    /// The wait of the next caller.
    private(set) var wait = Wait.none
    private var endedInside = 0
    private var collisions = 0
    private var calls = 0

    /// Records the end of an operation, inside the call that began it or later.
    mutating func operationEnded(inside: Bool) {
        guard inside else {
            (wait, endedInside) = (.none, 0)
            return
        }
        guard wait == .none else { return }
        endedInside += 1
        if endedInside >= Self.leastInside { (wait, collisions) = (.short, 0) }
    }

    /// Records that a caller has its turn, after a wait or without one.
    mutating func callBegan(hasWaited: Bool) {
        guard hasWaited else {
            collisions -= collisions > 0 ? 1 : 0
            return
        }
        (calls, collisions) = (0, collisions + 1)
        if wait == .short, collisions >= Self.mostCollisions { wait = .long }
    }

    /// Records the end of a call while others wait; returns true if one of them has its turn.
    ///
    /// A thread that is woken up takes as long as several calls. To wake it up again after each of them would cost more
    /// than the calls.
    mutating func callEnded() -> Bool {
        calls += 1
        if calls >= Self.callsInTurn {
            calls = 0
            return true
        }
        return wait != .long && calls == 1
    }

    /// Records that a caller waited although no other made calls.
    mutating func waitedInVain() { if wait == .long { (wait, collisions) = (.short, 0) } }
}
