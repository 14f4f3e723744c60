import BluetoothRuntime

/// When a subscriber last took something, which tells whether it is alive.
struct SubscriberProgress {
    private enum State {
        /// Nothing waits for the subscriber.
        case idle
        /// Something waits, and nothing was completed since.
        case waiting(since: RadioInstant)
    }

    private var state = State.idle

    /// Something waits from now on; does nothing where something did already.
    mutating func began(at now: RadioInstant) { if case .idle = state { state = .waiting(since: now) } }

    /// The subscriber took something.
    mutating func progressed(at now: RadioInstant, isIdle: Bool) { state = isIdle ? .idle : .waiting(since: now) }

    /// When the subscriber is stalled, if it takes nothing until then; nil where nothing waits.
    func stalls(after patience: Duration) -> RadioInstant? {
        if case .waiting(let since) = state { since + patience } else { nil }
    }

    /// Whether something waits that the subscriber has not taken for so long.
    func isStalled(at now: RadioInstant, after patience: Duration) -> Bool {
        stalls(after: patience).map { $0 <= now } ?? false
    }
}
