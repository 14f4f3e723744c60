import BluetoothModel

/// The key that the second phase agreed on, masked to the agreed size.
struct PairingKey {
    let key: SecurityKey
    let isDebug: Bool
}

/// The keys that one side distributes.
struct DistributedKeys: Hashable {
    var longTermKey: LongTermKey?
    var identityKey: SecurityKey?
    var identity: BluetoothAddress?
    var signingKey: SecurityKey?

    /// The packets that contain the keys, in the order of the specification (Core 6.0, Vol 3, Part H, 3.6.1).
    var packets: [SecurityPacket] {
        var packets: [SecurityPacket] = []
        if let longTermKey {
            packets.append(.encryptionInformation(longTermKey.key))
            packets.append(
                .centralIdentification(
                    diversifier: longTermKey.diversifier, randomNumber: longTermKey.randomNumber))
        }
        if let identityKey, let identity {
            packets.append(.identityInformation(identityKey))
            packets.append(.identityAddress(identity))
        }
        if let signingKey { packets.append(.signingInformation(signingKey)) }
        return packets
    }
}

/// The third phase: both sides distribute their keys, the peripheral first (Core 6.0, Vol 3, Part H, 2.1 and 3.6.1).
struct KeyExchange {
    let agreement: PairingAgreement
    let key: PairingKey
    /// The keys that the local side distributes.
    let own: DistributedKeys
    /// The keys received so far; the pairing removes those that do not belong to the link.
    var peer = DistributedKeys()
    private var expected: ArraySlice<SecurityPacket.Code>
    /// A long-term key whose identifiers have not been received yet.
    private var unnamed: SecurityKey?

    init(_ agreement: PairingAgreement, key: PairingKey, own: DistributedKeys, role: LinkRole) {
        self.agreement = agreement
        self.key = key
        self.own = own
        let keys = agreement.keys(of: role.opposite)
        var expected: [SecurityPacket.Code] = []
        if keys.contains(.encryption) { expected += [.encryptionInformation, .centralIdentification] }
        if keys.contains(.identity) { expected += [.identityInformation, .identityAddress] }
        if keys.contains(.signing) { expected.append(.signingInformation) }
        self.expected = expected[...]
    }

    /// True once all expected keys were received.
    var isComplete: Bool { expected.isEmpty }

    /// Processes the peer's next packet.
    /// - Throws: The reason to send in Pairing Failed: for an unexpected packet, or a key that is degenerate or equal
    ///   to a local one.
    mutating func take(_ packet: SecurityPacket) throws(PairingFailureReason) {
        guard packet.code == expected.first else { throw .unspecifiedReason }
        switch packet {
        case .encryptionInformation(let key):
            // An all-zero key is no secret, and a key equal to the local one is a reflection.
            guard !key.isDegenerate(size: agreement.keySize), key != own.longTermKey?.key else { throw .keyRejected }
            unnamed = key
        case .centralIdentification(let diversifier, let randomNumber):
            peer.longTermKey = unnamed.map {
                LongTermKey(key: $0, diversifier: diversifier, randomNumber: randomNumber)
            }
        case .identityInformation(let key):
            guard key != own.identityKey else { throw .keyRejected }
            // An all-zero key means that the device does not use private addresses.
            peer.identityKey = key.isZero ? nil : key
        case .identityAddress(let address):
            guard address != own.identity else { throw .keyRejected }
            peer.identity = address
        case .signingInformation(let key):
            guard !key.isDegenerate(), key != own.signingKey else { throw .keyRejected }
            peer.signingKey = key
        default: throw .unspecifiedReason
        }
        expected = expected.dropFirst()
    }
}
