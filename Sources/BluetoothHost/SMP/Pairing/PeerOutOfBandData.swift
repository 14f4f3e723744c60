import BluetoothModel

/// What came from a peer another way than over this radio.
public struct PeerOutOfBandData: Hashable, Sendable {
    /// For LE Secure Connections; nil where the peer gave none.
    public var secureConnections: OutOfBandData?
    /// The temporary key of legacy pairing, which both sides have; nil where there is none.
    public var temporaryKey: SecurityKey?

    /// What a peer gave.
    public init(secureConnections: OutOfBandData? = nil, temporaryKey: SecurityKey? = nil) {
        self.secureConnections = secureConnections
        self.temporaryKey = temporaryKey
    }
}

/// Our own data that a peer may have by now, and the key pair that it commits to.
struct LocalOutOfBandData {
    let pair: P256KeyPair
    let data: OutOfBandData

    init(from random: SecurityRandom.Source) {
        pair = P256KeyPair(from: random)
        let value = random(16)
        let confirm = SecurityToolbox.f4(pair.point.x, pair.point.x, value, 0)
        guard let data = OutOfBandData(confirm: confirm, random: value) else {
            // It fails for other sizes only, and f4 and the source of random numbers give 16 octets.
            preconditionFailure("both values were made with 16 octets")
        }
        self.data = data
    }
}
