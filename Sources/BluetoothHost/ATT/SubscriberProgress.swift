import BluetoothRuntime

/// Tracks when a subscriber last made progress, to detect a stalled one.
struct SubscriberProgress {
    private enum State {
        /// Nothing is queued for the subscriber.
        case idle
        /// Something is queued, and nothing was accepted since this time.
        case waiting(since: RadioInstant)
    }

    private var state = State.idle

    /// Records that something is queued from now on; no effect if something was queued already.
    mutating func began(at now: RadioInstant) { if case .idle = state { state = .waiting(since: now) } }

    /// Records that the subscriber accepted a packet.
    mutating func progressed(at now: RadioInstant, isIdle: Bool) { state = isIdle ? .idle : .waiting(since: now) }

    /// Returns true if something has been queued without progress since `moment`, or longer.
    func isWaiting(since moment: RadioInstant) -> Bool {
        if case .waiting(let since) = state { since <= moment } else { false }
    }

    /// Returns the time at which the subscriber counts as stalled without further progress; nil if nothing is queued.
    func stalls(after patience: Duration) -> RadioInstant? {
        if case .waiting(let since) = state { since + patience } else { nil }
    }

    /// Returns true if something has been queued without progress for at least `patience`.
    func isStalled(at now: RadioInstant, after patience: Duration) -> Bool {
        stalls(after: patience).map { $0 <= now } ?? false
    }
}
