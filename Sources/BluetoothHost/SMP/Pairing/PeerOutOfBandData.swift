import BluetoothModel

/// The data received out of band from a peer.
package struct PeerOutOfBandData: Hashable, Sendable {
    /// The data for LE Secure Connections; nil if the peer provided none.
    package var secureConnections: OutOfBandData?
    /// The temporary key of legacy pairing, which both sides have; nil if there is none.
    package var temporaryKey: SecurityKey?

    /// Creates the data of a peer.
    package init(secureConnections: OutOfBandData? = nil, temporaryKey: SecurityKey? = nil) {
        self.secureConnections = secureConnections
        self.temporaryKey = temporaryKey
    }
}

/// The local out-of-band data that a peer may have, and the key pair of its commitment.
struct LocalOutOfBandData {
    let pair: P256KeyPair
    let data: OutOfBandData

    init(from random: SecurityRandom.Source) {
        pair = P256KeyPair(from: random)
        let value = random(16)
        let confirm = SecurityToolbox.f4(pair.point.x, pair.point.x, value, 0)
        guard let data = OutOfBandData(confirm: confirm, random: value) else {
            // Proof: `OutOfBandData` is nil only for other sizes than 16 octets; `f4` and the random source return 16.
            preconditionFailure("both values must have 16 octets")
        }
        self.data = data
    }
}
