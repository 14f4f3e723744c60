import BluetoothModel

/// How a peripheral is connected.
public enum ConnectionState: Hashable, Sendable {
    /// There is no link. After an unwanted end, the error says why.
    case disconnected(BluetoothError?)
    /// A link is being established.
    case connecting
    /// The link is up.
    case connected
    /// The link was lost and comes back by itself; `attempt` counts from 1.
    case reconnecting(attempt: Int, after: BluetoothError)
    /// The link is being ended by us.
    case disconnecting
}

/// When a lost link is established again without being asked.
public struct ReconnectPolicy: Hashable, Sendable {
    /// How often in a row; nil for as often as it takes.
    public var attempts: Int?
    /// How long each attempt waits for the device; nil for ever, which costs nothing while other devices are used.
    public var timeout: Duration?
    /// The pause before the second attempt; it doubles with each further one, up to 30 s.
    public var pause: Duration
    /// The ends of a link after which to try, nil for all but those asked for by this program.
    public var reasons: Set<HCIStatus>?

    /// A policy.
    public init(
        attempts: Int? = nil, timeout: Duration? = .seconds(30), pause: Duration = .milliseconds(500),
        reasons: Set<HCIStatus>? = nil
    ) {
        self.attempts = attempts
        self.timeout = timeout
        self.pause = pause
        self.reasons = reasons
    }

    /// Never.
    public static let never = ReconnectPolicy(attempts: 0)
    /// As often as it takes, whatever ended the link, as long as there is an adapter.
    public static let always = ReconnectPolicy()

    func allows(attempt: Int, after error: RadioError) -> Bool {
        if let attempts, attempt > attempts { return false }
        guard let reasons else { return true }
        guard case .disconnected(let status) = error else { return false }
        return reasons.contains(status)
    }

    func pause(before attempt: Int) -> Duration {
        guard attempt > 1 else { return .zero }
        return min(.seconds(30), pause * Double(1 << min(attempt - 2, 16)))
    }
}
