import Synchronization

/// Ends a command when the time that `--timeout` allows is over, whatever it waits for.
///
/// Operations have limits of their own and usually end first, with a better message. What a command does step by step
/// can take longer than each step may; this limit is for all of it.
final class CommandDeadline: Sendable {
    private struct State {
        /// When to end the command; nil while nothing limits it.
        var end: ContinuousClock.Instant?
        var allowed = Duration.zero
        var hasSucceeded = false
        /// How many waits on purpose run, and whether the time counted when the first of them began.
        var pauses = 0
        var countsLater = false
        /// When the last of them ended.
        var resumed: ContinuousClock.Instant?
        var watcher: Task<Void, Never>?
    }

    /// The one of the process, which runs one command.
    static let shared = CommandDeadline()

    /// The time that an operation's own error gets to come first.
    private static let slack = Duration.milliseconds(400)
    /// How long unsubscribing and disconnecting may take then.
    private static let grace = Duration.milliseconds(450)

    private let state = Mutex(State())

    /// Begins to count; the command ends after `allowed`, unless it makes progress.
    func start(_ allowed: Duration) {
        state.withLock { state in
            state.allowed = allowed
            state.end = .now + allowed + Self.slack
            guard state.watcher == nil else { return }
            state.watcher = Task { await self.watch() }
        }
    }

    /// Something was asked for and came: the time counts anew.
    func progress() {
        state.withLock { state in if state.end != nil { state.end = .now + state.allowed + Self.slack } }
    }

    /// Runs `body`, which waits on purpose, such as for a person, without counting; then the time counts anew.
    func whilePaused<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        state.withLock { state in
            if state.pauses == 0 {
                state.countsLater = state.end != nil
                state.end = nil
            }
            state.pauses += 1
        }
        defer {
            state.withLock { state in
                state.pauses -= 1
                state.resumed = .now
                if state.pauses == 0, state.countsLater, state.watcher != nil {
                    state.end = .now + state.allowed + Self.slack
                }
            }
        }
        return try await body()
    }

    /// Since when no wait on purpose runs any more: now where one does, nil where none did.
    var lastPause: ContinuousClock.Instant? { state.withLock { $0.pauses > 0 ? .now : $0.resumed } }

    /// What was asked for is done and printed; only the connection is still to be ended.
    func succeeded() { state.withLock { $0.hasSucceeded = true } }

    /// Nothing limits the command any more.
    func stop() {
        let watcher = state.withLock { state in
            defer { state = State(pauses: state.pauses, resumed: state.resumed) }
            return state.watcher
        }
        watcher?.cancel()
    }

    private func watch() async {
        while !Task.isCancelled {
            let (end, message) = state.withLock { state in
                (state.end, state.hasSucceeded ? nil : "no answer in \(state.allowed.secondsText)")
            }
            if let end, end <= .now { return Interruption.shared.timeoutPassed(message, grace: Self.grace) }
            // While paused it looks again later.
            try? await Task.sleep(until: end ?? .now + Self.slack, clock: .continuous)
        }
    }
}
