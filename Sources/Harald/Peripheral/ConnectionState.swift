import BluetoothModel

/// The state of the connection to a peripheral.
public enum ConnectionState: Hashable, Sendable {
    /// There is no link. After an unintended end, the error is the reason.
    case disconnected(BluetoothError?)
    /// A link is being established.
    case connecting
    /// The link is up.
    case connected
    /// The link was lost and is being established again; `attempt` counts from 1.
    case reconnecting(attempt: Int, after: BluetoothError)
    /// The link is being ended by this program.
    case disconnecting
}

/// The conditions under which a lost link is established again automatically.
public struct ReconnectPolicy: Hashable, Sendable {
    /// The number of consecutive attempts; nil for no limit.
    public var attempts: Int?
    /// The timeout of each attempt; nil for none, which costs nothing while other devices are used.
    public var timeout: Duration?
    /// The delay before the second attempt; it doubles with each further one, up to 30 s.
    public var pause: Duration
    /// The disconnect reasons after which to reconnect; nil for all except a disconnection by this program.
    public var reasons: Set<HCIStatus>?

    /// Creates a policy.
    public init(
        attempts: Int? = nil, timeout: Duration? = .seconds(30), pause: Duration = .milliseconds(500),
        reasons: Set<HCIStatus>? = nil
    ) {
        self.attempts = attempts
        self.timeout = timeout
        self.pause = pause
        self.reasons = reasons
    }

    /// No reconnection.
    public static let never = ReconnectPolicy(attempts: 0)
    /// Attempts without limit after any end of the link, while there is an adapter.
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
