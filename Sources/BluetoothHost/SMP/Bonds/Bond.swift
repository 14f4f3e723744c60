import BluetoothModel

/// The data that two devices store about each other after pairing (Core 6.0, Vol 3, Part C, 9.4.4).
///
/// A bond belongs to one device on each side: a peer has a separate bond with each local identity. A store has to save
/// all properties; the encoding is up to the store.
package struct Bond: Hashable, Sendable {
    /// The local address to which the bond belongs.
    package var localAddress: BluetoothAddress
    /// The peer's identity address, public or static random.
    package var peerAddress: BluetoothAddress
    /// The strength of the long-term keys.
    package var strength: KeyStrength
    /// The key that encrypts links with the peer as central; nil if this side distributed none.
    package var localKey: LongTermKey?
    /// The key that encrypts links with this host as central; nil if the peer distributed none.
    package var peerKey: LongTermKey?
    /// The key that resolves the peer's private addresses; nil if it uses none.
    package var peerIdentityKey: SecurityKey?
    /// True if the peer has used a private address, so that its key is necessary to find it.
    package var peerUsesPrivateAddresses = false
    /// The key that signs writes to the peer.
    package var localSigningKey: SigningKey?
    /// The key that verifies signed writes of the peer.
    package var peerSigningKey: SigningKey?
    /// The state of the peer as a client of the local GATT server; nil if there is none.
    package var serverState: GATTServerClientState?

    /// Creates a bond without keys.
    package init(localAddress: BluetoothAddress, peerAddress: BluetoothAddress, strength: KeyStrength) {
        self.localAddress = localAddress
        self.peerAddress = peerAddress
        self.strength = strength
    }

    /// Returns true if both bonds are between the same two devices.
    package func hasSameSides(as other: Bond) -> Bool {
        localAddress == other.localAddress && peerAddress == other.peerAddress
    }
}

extension Bond: CustomStringConvertible {
    /// The peer and the strength, without any key.
    package var description: String {
        "bond with \(peerAddress) (\(strength))"
    }
}
