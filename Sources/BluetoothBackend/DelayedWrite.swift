import Dispatch
import Synchronization

/// Writes changes to a file on a queue of its own, and no more often than a limit, so that changes that a peer causes
/// cost neither one write each nor time on the loop.
package final class DelayedWrite<Change: Sendable>: Sendable {
    private struct State: Sendable {
        var change: Change?
        var isScheduled = false
        /// The earliest time of the next write.
        var next = DispatchTime(uptimeNanoseconds: 0)
        var problem: String?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "harald.store")
    private let interval: DispatchTimeInterval?
    private let write: @Sendable (Change) -> String?

    /// - Parameters:
    ///   - interval: the minimum time between two writes; nil to write each change at once, on the caller's thread, for
    ///     clocks that do not measure real time.
    ///   - write: writes the latest change; returns the problem if it could not.
    package init(atMostEvery interval: DispatchTimeInterval?, _ write: @escaping @Sendable (Change) -> String?) {
        self.interval = interval
        self.write = write
    }

    /// The problem of the last write; nil if it succeeded.
    package var problem: String? { state.withLock { $0.problem } }

    /// Schedules a change, which replaces one that has not been written yet.
    package func schedule(_ change: Change) {
        let start = state.withLock { state -> DispatchTime? in
            state.change = change
            guard !state.isScheduled, interval != nil else { return nil }
            state.isScheduled = true
            return max(state.next, .now())
        }
        if interval == nil { perform() }
        if let start { queue.asyncAfter(deadline: start) { self.perform() } }
    }

    /// Writes a change that is waiting, and returns when it is written.
    package func flush() { queue.sync { perform() } }

    private func perform() {
        let change = state.withLock { state in
            if let interval { state.next = .now() + interval }
            defer { (state.change, state.isScheduled) = (nil, false) }
            return state.change
        }
        guard let change else { return }
        let problem = write(change)
        state.withLock { $0.problem = problem }
    }
}

extension DispatchTimeInterval {
    /// The minimum time between two writes of a store.
    package static let ofStores = DispatchTimeInterval.seconds(1)
}
