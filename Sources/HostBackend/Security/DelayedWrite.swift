import Dispatch
import Synchronization

/// Writes changes to a file some time after they were made, on a queue of its own, so that changes that a peer causes
/// cost neither one write each nor time on the loop.
final class DelayedWrite<Change: Sendable>: Sendable {
    private struct State: Sendable {
        var change: Change?
        var isScheduled = false
        var problem: String?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "harald.store")
    private let delay: DispatchTimeInterval
    private let write: @Sendable (Change) -> String?

    /// - Parameters:
    ///   - delay: the time from the first change until it is written with all later ones.
    ///   - write: writes the latest change; returns the problem if it could not.
    init(after delay: DispatchTimeInterval = .seconds(1), _ write: @escaping @Sendable (Change) -> String?) {
        self.delay = delay
        self.write = write
    }

    /// The problem of the last write; nil if it succeeded.
    var problem: String? { state.withLock { $0.problem } }

    /// Schedules a change, which replaces one that has not been written yet.
    func schedule(_ change: Change) {
        let isFirst = state.withLock { state in
            state.change = change
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { queue.asyncAfter(deadline: .now() + delay) { self.perform() } }
    }

    /// Writes a change that is waiting, and returns when it is written.
    func flush() { queue.sync { perform() } }

    private func perform() {
        let change = state.withLock { state in
            defer { (state.change, state.isScheduled) = (nil, false) }
            return state.change
        }
        guard let change else { return }
        let problem = write(change)
        state.withLock { $0.problem = problem }
    }
}
