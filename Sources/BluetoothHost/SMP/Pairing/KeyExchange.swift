import BluetoothModel

/// The key that the second phase came to, at the size that was agreed on.
struct PairingKey {
    let key: SecurityKey
    let isDebug: Bool
}

/// What one side hands over.
struct DistributedKeys: Hashable {
    var longTermKey: LongTermKey?
    var identityKey: SecurityKey?
    var identity: BluetoothAddress?
    var signingKey: SecurityKey?

    /// The packets that carry them, in the order of the specification (Core 6.0, Vol 3, Part H, 3.6.1).
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

/// The third phase: each side hands over its keys, the peripheral first (Core 6.0, Vol 3, Part H, 2.1 and 3.6.1).
struct KeyExchange {
    let agreement: PairingAgreement
    let key: PairingKey
    /// What we hand over.
    let own: DistributedKeys
    /// What has come so far.
    private(set) var peer = DistributedKeys()
    private var expected: ArraySlice<SecurityPacket.Code>
    /// A long-term key whose name is still to come.
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

    /// Whether everything has come.
    var isComplete: Bool { expected.isEmpty }

    /// Takes the peer's next packet.
    mutating func take(_ packet: SecurityPacket) throws(PairingFailureReason) {
        guard packet.code == expected.first else { throw .unspecifiedReason }
        switch packet {
        case .encryptionInformation(let key):
            // A key of zeros is what a link without a secret has, and one that we made came back to us.
            guard !key.isDegenerate(size: agreement.keySize), key != own.longTermKey?.key else { throw .keyRejected }
            unnamed = key
        case .centralIdentification(let diversifier, let randomNumber):
            peer.longTermKey = unnamed.map {
                LongTermKey(key: $0, diversifier: diversifier, randomNumber: randomNumber)
            }
        case .identityInformation(let key):
            guard key != own.identityKey else { throw .keyRejected }
            // Zero says that the device has no private addresses.
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
