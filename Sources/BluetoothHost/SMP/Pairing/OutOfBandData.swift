/// What a device gives another one by a way that nobody can listen to or change, for LE Secure Connections
/// (Core 6.0, Vol 3, Part H, 2.3.5.6.4). It is good for one pairing.
public struct OutOfBandData: Hashable, Sendable {
    /// The commitment to the public key, 16 octets, most significant first.
    public var confirm: [UInt8]
    /// The random value, 16 octets, most significant first.
    public var random: [UInt8]

    /// Data from its two values; nil unless each has 16 octets.
    public init?(confirm: [UInt8], random: [UInt8]) {
        guard confirm.count == 16, random.count == 16 else { return nil }
        self.confirm = confirm
        self.random = random
    }
}

extension OutOfBandData: CustomStringConvertible, CustomReflectable {
    /// Says what it is, and not its values.
    public var description: String { "out-of-band data" }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

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
