import BluetoothModel

/// How a host pairs.
public struct SecurityConfiguration: Sendable {
    /// What can be shown to the user here, and what the user can enter.
    public var capability = IOCapability.noInputNoOutput
    /// Whether protection against somebody in the middle is asked for in every pairing. Where both sides cannot give
    /// it, they pair without; ``SecurityManager/secure(_:to:completion:)`` insists on a level.
    public var wantsMITM = false
    /// Whether keys are kept.
    public var isBonding = true
    /// Whether LE Secure Connections is offered.
    public var offersSecureConnections = true
    /// Whether less than authenticated LE Secure Connections with 16 octets is refused
    /// (Core 6.0, Vol 3, Part C, 10.2.4).
    public var secureConnectionsOnly = false
    /// The sizes of keys that are accepted, in octets, within 7 to 16.
    public var keySizes: ClosedRange<UInt8> = 16...16
    /// What this host hands over.
    public var ownKeys = KeyDistribution.all
    /// What this host asks the peer for.
    public var peerKeys = KeyDistribution.all
    /// Whether peers may begin to pair. What somebody here asks for is not touched by it.
    public var isPairable = true
    /// Whether the user's key presses are told, where the peer does that too.
    public var sendsKeypresses = false
    /// Whether a peer may use the debug key, whose links a sniffer reads. Such a key is never kept.
    public var allowsDebugKey = false
    /// Whether this host uses the debug key itself; only for work with a sniffer.
    public var usesDebugKey = false
    /// Whether a link that we make to a bonded device is encrypted at once.
    public var encryptsKnownPeers = true
    /// What resolves our own private addresses. Without one, peers get a key that is forgotten with the program.
    public var identityKey: SecurityKey?
    /// Our identity address, for links on which we use a private one; nil for the address of the link.
    public var identityAddress: BluetoothAddress?
    /// What came from a device another way than over this radio; asked once for each pairing.
    public var outOfBandData: (@Sendable (_ peer: BluetoothAddress) -> PeerOutOfBandData?)?

    /// A configuration that bonds with LE Secure Connections and 16 octets, and asks the user nothing but consent.
    public init() {}

    /// The least that any pairing and any bond has to give.
    var minimumLevel: LinkSecurity.Level { secureConnectionsOnly ? .secureConnections : .none }
}
