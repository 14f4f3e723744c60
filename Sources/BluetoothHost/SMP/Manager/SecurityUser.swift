/// What can be asked of the user on one link, where several programs share an adapter.
public struct SecurityUser: Hashable, Sendable {
    /// What can be shown to the user, and what the user can enter.
    public var capability: IOCapability
    /// Whether protection against somebody in the middle is asked for in every pairing.
    public var wantsMITM: Bool
    /// Whether the peer may begin to pair.
    public var isPairable: Bool
    /// The fixed passkey, where it cannot be another one each time: it is printed on the device that shows it, or entered
    /// by a device that knows it beforehand. Each failed attempt of LE Secure Connections reveals a bit of it, so that
    /// attempts are limited: see ``PasskeyLimiter``.
    public var passkey: UInt32?
    /// Whether the user's key presses are told, where the peer does that too.
    public var sendsKeypresses: Bool
    /// The shortest key that the users of the link accept, in octets, 7 to 16; nil for what the configuration says.
    public var minimumKeySize: UInt8?
    /// Whether the users of the link accept only authenticated LE Secure Connections
    /// (Core 6.0, Vol 3, Part C, 10.2.4), also where the configuration accepts more.
    public var requiresSecureConnections: Bool

    /// A user.
    public init(
        capability: IOCapability, wantsMITM: Bool = false, isPairable: Bool = true, passkey: UInt32? = nil,
        sendsKeypresses: Bool = false, minimumKeySize: UInt8? = nil, requiresSecureConnections: Bool = false
    ) {
        self.capability = capability
        self.wantsMITM = wantsMITM
        self.isPairable = isPairable
        self.passkey = passkey.map { $0 % 1_000_000 }
        self.sendsKeypresses = sendsKeypresses
        self.minimumKeySize = minimumKeySize
        self.requiresSecureConnections = requiresSecureConnections
    }
}
