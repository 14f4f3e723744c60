import BluetoothModel

/// The pairing features and the requirements of one side.
struct PairingPolicy {
    var capability: IOCapability
    /// True to request MITM protection.
    var wantsMITM: Bool
    var isBonding: Bool
    /// True to offer LE Secure Connections.
    var offersSecureConnections: Bool
    var sendsKeypresses: Bool
    /// The minimum level; weaker agreements are refused.
    var minimumLevel: LinkSecurity.Level
    var keySizes: ClosedRange<UInt8>
    var ownKeys: KeyDistribution
    var peerKeys: KeyDistribution
    var allowsDebugKey: Bool
    /// The data received out of band from the peer.
    var outOfBand: PeerOutOfBandData?
    /// The strength of the existing key that the pairing would replace.
    var existing: KeyStrength?

    private var requirements: AuthenticationRequirements {
        var requirements: AuthenticationRequirements = []
        if isBonding { requirements.insert(.bonding) }
        if wantsMITM || minimumLevel >= .authenticated { requirements.insert(.mitm) }
        if offersSecureConnections { requirements.insert(.secureConnections) }
        if sendsKeypresses { requirements.insert(.keypress) }
        return requirements
    }

    /// The requirements to send in a Security Request.
    var request: AuthenticationRequirements { requirements }

    /// Returns the Pairing Request of the central.
    func makeRequest() -> PairingFeatures {
        PairingFeatures(
            capability: capability, hasOutOfBandData: outOfBand != nil, requirements: requirements,
            maximumKeySize: keySizes.upperBound, centralKeys: isBonding ? ownKeys : [],
            peripheralKeys: isBonding ? peerKeys : [])
    }

    /// Returns the Pairing Response of the peripheral.
    func makeResponse(to request: PairingFeatures) -> PairingFeatures {
        let isBonding = isBonding && request.requirements.isBonding
        var requirements = requirements
        if !isBonding { requirements.remove(.bonding) }
        var keys = isBonding ? KeyDistribution.all : []
        // With LE Secure Connections the long-term key is not distributed.
        if offersSecureConnections, request.requirements.contains(.secureConnections) { keys.remove(.encryption) }
        return PairingFeatures(
            capability: capability, hasOutOfBandData: outOfBand != nil, requirements: requirements,
            maximumKeySize: keySizes.upperBound,
            centralKeys: request.centralKeys.intersection(keys).intersection(peerKeys),
            peripheralKeys: request.peripheralKeys.intersection(keys).intersection(ownKeys))
    }

    /// Returns the reason why the agreement is not acceptable; nil if it is.
    func refusal(of agreement: PairingAgreement) -> PairingFailure? {
        guard agreement.keySize >= keySizes.lowerBound else { return .refused(.encryptionKeySize) }
        guard agreement.strength.level >= minimumLevel else { return .refused(.authenticationRequirements) }
        if let existing, agreement.strength.isWeaker(than: existing) { return .weakerThanBond(existing) }
        return nil
    }
}
