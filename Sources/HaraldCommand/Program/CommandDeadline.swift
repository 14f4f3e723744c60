import Synchronization

/// Ends a command when the time of `--timeout` has elapsed, in any wait.
///
/// Operations have timeouts of their own and usually end first, with a better message. The steps of a command together
/// can take longer than each of them may; this deadline limits the sum.
final class CommandDeadline: Sendable {
    private struct State {
        /// The time at which the command is ended; nil while nothing limits it.
        var end: ContinuousClock.Instant?
        var allowed = Duration.zero
        var hasSucceeded = false
        /// The number of intentional waits in progress, and whether the deadline was active when the first of them
        /// began.
        var pauses = 0
        var countsLater = false
        /// The end of the last intentional wait.
        var resumed: ContinuousClock.Instant?
        var watcher: Task<Void, Never>?
        /// The name of what does not answer.
        var subject: String?
        /// Describes the current activity of the command.
        var activity: (@Sendable () -> String?)?
    }

    /// The deadline of the process, which runs one command.
    static let shared = CommandDeadline()

    /// Additional time in which the operation's own error may come first.
    private static let slack = Duration.milliseconds(400)
    /// The time allowed for unsubscribing and disconnecting afterwards.
    private static let grace = Duration.milliseconds(450)

    private let state = Mutex(State())

    /// Starts the deadline. The command ends after `allowed`, unless it makes progress.
    func start(_ allowed: Duration) {
        state.withLock { state in
            state.allowed = allowed
            state.end = .now + allowed + Self.slack
            guard state.watcher == nil else { return }
            state.watcher = Task { await self.watch() }
        }
    }

    /// The time that is left for operations; nil while nothing limits it.
    var remaining: Duration? { state.withLock { $0.end }.map { $0 - Self.slack - .now } }

    /// Names what has to answer in the message of the timeout; nil for the device of the command.
    func name(_ subject: String?) { state.withLock { $0.subject = subject } }

    /// Names what is being done in the message of the timeout, by this text. It returns nil while there is nothing to
    /// name.
    func describe(_ activity: @escaping @Sendable () -> String?) { state.withLock { $0.activity = activity } }

    /// Restarts the time after a partial result.
    func progress() {
        state.withLock { state in if state.end != nil { state.end = .now + state.allowed + Self.slack } }
    }

    /// Runs `body`, an intentional wait such as for a person, with the deadline suspended; then restarts the time.
    /// - Throws: the error of `body`.
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

    /// The end of the last intentional wait; now if one is in progress, nil if there was none.
    var lastPause: ContinuousClock.Instant? { state.withLock { $0.pauses > 0 ? .now : $0.resumed } }

    /// Records that the result is complete and printed; only the connection is still to be closed.
    func succeeded() { state.withLock { $0.hasSucceeded = true } }

    /// Removes the deadline.
    func stop() {
        let watcher = state.withLock { state in
            defer { state = State(pauses: state.pauses, resumed: state.resumed) }
            return state.watcher
        }
        watcher?.cancel()
    }

    private func watch() async {
        while !Task.isCancelled {
            let (end, hasSucceeded, allowed, activity, subject) = state.withLock { state in
                (state.end, state.hasSucceeded, state.allowed.secondsText, state.activity, state.subject)
            }
            if let end, end <= .now {
                let silence = (subject.map { "\($0): " } ?? "") + "no answer in \(allowed)"
                let message = activity?().map { "\($0): not finished in \(allowed)" } ?? silence
                return Interruption.shared.timeoutPassed(hasSucceeded ? nil : message, grace: Self.grace)
            }
            // While suspended, it checks again later.
            try? await Task.sleep(until: end ?? .now + Self.slack, clock: .continuous)
        }
    }
}
