import BluetoothModel

/// What one side brings into a pairing, and what it insists on.
struct PairingPolicy {
    var capability: IOCapability
    /// Whether protection against somebody in the middle is asked for.
    var wantsMITM: Bool
    var isBonding: Bool
    /// Whether LE Secure Connections is offered.
    var offersSecureConnections: Bool
    var sendsKeypresses: Bool
    /// Less than this is refused.
    var minimumLevel: LinkSecurity.Level
    var keySizes: ClosedRange<UInt8>
    var ownKeys: KeyDistribution
    var peerKeys: KeyDistribution
    var allowsDebugKey: Bool
    /// What came from the peer another way than over this radio.
    var outOfBand: PeerOutOfBandData?
    /// What the bond with the peer is worth that the pairing would replace.
    var existing: KeyStrength?

    private var requirements: AuthenticationRequirements {
        var requirements: AuthenticationRequirements = []
        if isBonding { requirements.insert(.bonding) }
        if wantsMITM || minimumLevel >= .authenticated { requirements.insert(.mitm) }
        if offersSecureConnections { requirements.insert(.secureConnections) }
        if sendsKeypresses { requirements.insert(.keypress) }
        return requirements
    }

    /// What a Security Request asks for.
    var request: AuthenticationRequirements { requirements }

    /// The central's Pairing Request.
    func makeRequest() -> PairingFeatures {
        PairingFeatures(
            capability: capability, hasOutOfBandData: outOfBand != nil, requirements: requirements,
            maximumKeySize: keySizes.upperBound, centralKeys: isBonding ? ownKeys : [],
            peripheralKeys: isBonding ? peerKeys : [])
    }

    /// The peripheral's Pairing Response.
    func makeResponse(to request: PairingFeatures) -> PairingFeatures {
        let isBonding = isBonding && request.requirements.isBonding
        var requirements = requirements
        if !isBonding { requirements.remove(.bonding) }
        var keys = isBonding ? KeyDistribution.all : []
        // With LE Secure Connections the key is agreed on, not handed over.
        if offersSecureConnections, request.requirements.contains(.secureConnections) { keys.remove(.encryption) }
        return PairingFeatures(
            capability: capability, hasOutOfBandData: outOfBand != nil, requirements: requirements,
            maximumKeySize: keySizes.upperBound,
            centralKeys: request.centralKeys.intersection(keys).intersection(peerKeys),
            peripheralKeys: request.peripheralKeys.intersection(keys).intersection(ownKeys))
    }

    /// Why what both sides agree on is not good enough; nil where it is.
    func refusal(of agreement: PairingAgreement) -> PairingFailure? {
        guard agreement.keySize >= keySizes.lowerBound else { return .refused(.encryptionKeySize) }
        guard agreement.strength.level >= minimumLevel else { return .refused(.authenticationRequirements) }
        if let existing, agreement.strength.isWeaker(than: existing) { return .weakerThanBond(existing) }
        return nil
    }
}
