import BluetoothModel

/// The pairing configuration of a host.
package struct SecurityConfiguration: Sendable {
    /// The input and output capability of this host.
    package var capability = IOCapability.noInputNoOutput
    /// True to request MITM protection in every pairing. If the capabilities of both sides do not permit it, they pair
    /// without it; ``SecurityManager/secure(_:to:asksConsent:for:completion:)`` enforces a level.
    package var wantsMITM = false
    /// True to store the keys of a pairing.
    package var isBonding = true
    /// True to offer LE Secure Connections.
    package var offersSecureConnections = true
    /// True to require authenticated LE Secure Connections with a key of 16 octets (Core 6.0, Vol 3, Part C, 10.2.4).
    package var secureConnectionsOnly = false
    /// The accepted encryption key sizes in octets, within 7 to 16.
    package var keySizes: ClosedRange<UInt8> = 16...16
    /// The keys that this host distributes.
    package var ownKeys = KeyDistribution.all
    /// The keys that this host requests from the peer.
    package var peerKeys = KeyDistribution.all
    /// True if peers may start pairing. Pairing that is requested locally is always possible.
    package var isPairable = true
    /// True to send keypress notifications, if the peer supports them too.
    package var sendsKeypresses = false
    /// True to accept the debug key from a peer, which lets a sniffer decrypt the link. Debug keys are never stored.
    package var allowsDebugKey = false
    /// True to use the debug key on this side, only for work with a sniffer.
    package var usesDebugKey = false
    /// True to encrypt outgoing links to bonded devices immediately.
    package var encryptsKnownPeers = true
    /// The local identity resolving key. Without one, peers get a random key that is lost when the program ends.
    package var identityKey: SecurityKey?
    /// The local identity address for links with a private address; nil for the address of the link.
    package var identityAddress: BluetoothAddress?
    /// Returns the data received out of band from a device; called once per pairing.
    package var outOfBandData: (@Sendable (_ peer: BluetoothAddress) -> PeerOutOfBandData?)?

    /// Creates a configuration that bonds with LE Secure Connections and keys of 16 octets, and only asks the user for
    /// consent.
    package init() {}

    /// The minimum level of every pairing and bond.
    var minimumLevel: LinkSecurity.Level { secureConnectionsOnly ? .secureConnections : .none }
}
