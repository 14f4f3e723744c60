import BluetoothModel

/// The key, and the check values by which both sides prove that they have it.
struct KeyCheck {
    let longTermKey: [UInt8]
    let own: [UInt8]
    let peer: [UInt8]
    let isDebug: Bool
}

/// The last stage, which is part of every association model (Core 6.0, Vol 3, Part H, 2.3.5.6.5).
extension SecureConnectionsAuthentication {
    /// Returns the key and the check values that follow from the nonces.
    func makeCheck(_ keys: ExchangedKeys, own: [UInt8], peer: [UInt8], passkey: UInt32 = 0) -> KeyCheck {
        let (role, agreement) = (context.role, context.agreement)
        let (ownAddress, peerAddress) = (context.ownAddress.octetsWithKind, context.peerAddress.octetsWithKind)
        let made =
            role == .central
            ? SecurityToolbox.f5(keys.secret, own, peer, ownAddress, peerAddress)
            : SecurityToolbox.f5(keys.secret, peer, own, peerAddress, ownAddress)
        let (ownFeatures, peerFeatures) = (agreement.features(of: role), agreement.features(of: role.opposite))
        // Each side proves that it has the other's secret: the passkey, or the random value transferred out of band.
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

    /// Starts the exchange of check values; the central sends its value first.
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
