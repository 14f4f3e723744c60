import BluetoothModel

/// The key, and what both sides show each other to prove that they have the same.
struct KeyCheck {
    let longTermKey: [UInt8]
    let own: [UInt8]
    let peer: [UInt8]
    let isDebug: Bool
}

/// The last stage, which no association model leaves out (Core 6.0, Vol 3, Part H, 2.3.5.6.5).
extension SecureConnectionsAuthentication {
    /// The key and the checks that follow from the nonces.
    func makeCheck(_ keys: ExchangedKeys, own: [UInt8], peer: [UInt8], passkey: UInt32 = 0) -> KeyCheck {
        let (role, agreement) = (context.role, context.agreement)
        let (ownAddress, peerAddress) = (context.ownAddress.octetsWithKind, context.peerAddress.octetsWithKind)
        let made =
            role == .central
            ? SecurityToolbox.f5(keys.secret, own, peer, ownAddress, peerAddress)
            : SecurityToolbox.f5(keys.secret, peer, own, peerAddress, ownAddress)
        let (ownFeatures, peerFeatures) = (agreement.features(of: role), agreement.features(of: role.opposite))
        // Each side proves what it got from the other: the passkey, or the random value that came out of band.
        var ownSecret = SecurityToolbox.wide(passkey)
        var peerSecret = ownSecret
        if agreement.model == .outOfBand {
            if peerFeatures.hasOutOfBandData, let local = context.localOutOfBand { ownSecret = local.data.random }
            if ownFeatures.hasOutOfBandData, let data = context.outOfBand?.secureConnections {
                peerSecret = data.random
            }
        }
        return KeyCheck(
            longTermKey: made.longTermKey,
            own: SecurityToolbox.f6(
                made.macKey, own, peer, peerSecret, ownFeatures.checkedOctets, ownAddress, peerAddress),
            peer: SecurityToolbox.f6(
                made.macKey, peer, own, ownSecret, peerFeatures.checkedOctets, peerAddress, ownAddress),
            isDebug: keys.isDebug)
    }

    /// The central shows its check first.
    func begin(_ check: KeyCheck) {
        state = .awaitingCheck(check)
        if context.role == .central { owner.send(.dhKeyCheck(check.own)) }
    }

    func verify(_ check: KeyCheck, _ value: [UInt8]) {
        guard areEqualInConstantTime(value, check.peer) else { return fail(.dhKeyCheckFailed) }
        state = .ended
        if context.role == .peripheral { owner.send(.dhKeyCheck(check.own)) }
        owner.agreed(on: check.longTermKey, isDebug: check.isDebug)
    }
}
