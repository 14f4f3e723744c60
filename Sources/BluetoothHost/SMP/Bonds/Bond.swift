import BluetoothModel

/// What two devices keep of each other after pairing (Core 6.0, Vol 3, Part C, 9.4.4).
///
/// A bond belongs to one device on each side: the same peer has one with each identity that this host plays.
/// ``KeyStrength`` and the keys are all that a store has to write down; how it encodes them is its own affair.
public struct Bond: Hashable, Sendable {
    /// Which of our addresses the bond belongs to.
    public var localAddress: BluetoothAddress
    /// The peer's identity address: public or static random.
    public var peerAddress: BluetoothAddress
    /// What the long-term keys are worth.
    public var strength: KeyStrength
    /// Encrypts links on which the peer is the central; nil where we handed none over.
    public var localKey: LongTermKey?
    /// Encrypts links on which we are the central; nil where the peer handed none over.
    public var peerKey: LongTermKey?
    /// Resolves the peer's private addresses; nil where it uses none.
    public var peerIdentityKey: SecurityKey?
    /// Whether the peer was met behind a private address, so that it has to be looked for by its key.
    public var peerUsesPrivateAddresses = false
    /// Signs what we write to the peer.
    public var localSigningKey: SigningKey?
    /// Verifies what the peer writes to us.
    public var peerSigningKey: SigningKey?
    /// What the peer asked of our GATT server; nil where it never did.
    public var serverState: GATTServerClientState?

    /// A bond without keys.
    public init(localAddress: BluetoothAddress, peerAddress: BluetoothAddress, strength: KeyStrength) {
        self.localAddress = localAddress
        self.peerAddress = peerAddress
        self.strength = strength
    }

    /// Whether a bond is between the same two devices.
    public func hasSameSides(as other: Bond) -> Bool {
        localAddress == other.localAddress && peerAddress == other.peerAddress
    }
}

extension Bond: CustomStringConvertible {
    /// Who it is with and what it is worth, without any key.
    public var description: String {
        "bond with \(peerAddress) (\(strength))"
    }
}
