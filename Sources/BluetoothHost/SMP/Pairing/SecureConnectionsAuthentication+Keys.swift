import BluetoothModel

/// The exchange of public keys, and the association models with one nonce on each side (Core 6.0, Vol 3, Part H,
/// 2.3.5.6.1, 2.3.5.6.2 and 2.3.5.6.4).
extension SecureConnectionsAuthentication {
    func exchanged(_ pair: P256KeyPair, _ point: P256Point) {
        // A peer that reflects the local key would pass every symmetric check without any secret. A key with the same x
        // is the local one or its negation, and the checks only use x.
        let isReflection = point.x == pair.point.x && !(context.allowsDebugKey && point == .debug)
        let isUnwantedDebugKey = point.x == P256Point.debug.x && !context.allowsDebugKey
        // `secret(with:)` returns nil if the point is not on the curve.
        guard !isReflection, !isUnwantedDebugKey, let secret = pair.secret(with: point) else {
            return fail(.invalidParameters)
        }
        let keys = ExchangedKeys(pair: pair, peer: point, secret: secret)
        if context.role == .peripheral { owner.send(.publicKey(pair.point)) }
        switch context.agreement.model {
        case .justWorks, .numericComparison: beginComparison(keys)
        case .passkey(let roles): beginPasskey(keys, roles)
        case .outOfBand: beginOutOfBand(keys)
        }
    }

    // MARK: Comparison

    /// The peripheral commits to its nonce before it receives the central's, so that neither side can choose the
    /// number.
    private func beginComparison(_ keys: ExchangedKeys) {
        guard context.role == .peripheral else { return state = .awaitingCommitment(keys) }
        let nonce = context.random(16)
        state = .awaitingNonce(keys, nonce: nonce)
        owner.send(.confirm(SecurityToolbox.f4(keys.pair.point.x, keys.peer.x, nonce, 0)))
    }

    func compare(_ keys: ExchangedKeys, own: [UInt8], peer: [UInt8]) {
        let check = makeCheck(keys, own: own, peer: peer)
        guard context.agreement.model == .numericComparison else { return begin(check) }
        state = .comparing(check, early: nil)
        let isCentral = context.role == .central
        let (centralKey, peripheralKey) = isCentral ? (keys.pair.point, keys.peer) : (keys.peer, keys.pair.point)
        let (centralNonce, peripheralNonce) = isCentral ? (own, peer) : (peer, own)
        let number = SecurityToolbox.g2(centralKey.x, peripheralKey.x, centralNonce, peripheralNonce)
        owner.ask(.compare(number: number % 1_000_000))
    }

    func confirmed(_ check: KeyCheck, early: [UInt8]?) {
        begin(check)
        if let early, case .awaitingCheck(let check) = state { verify(check, early) }
    }

    // MARK: Out of band

    private func beginOutOfBand(_ keys: ExchangedKeys) {
        if context.agreement.features(of: context.role).hasOutOfBandData {
            guard let data = context.outOfBand?.secureConnections else { return fail(.oobNotAvailable) }
            let expected = SecurityToolbox.f4(keys.peer.x, keys.peer.x, data.random, 0)
            guard areEqualInConstantTime(expected, data.confirm) else { return fail(.confirmValueFailed) }
        }
        let nonce = context.random(16)
        state = .awaitingNonce(keys, nonce: nonce)
        if context.role == .central { owner.send(.random(nonce)) }
    }

    func noncesExchanged(_ keys: ExchangedKeys, own: [UInt8], peer: [UInt8]) {
        if context.role == .peripheral { owner.send(.random(own)) }
        if context.agreement.model == .outOfBand {
            begin(makeCheck(keys, own: own, peer: peer))
        } else {
            compare(keys, own: own, peer: peer)
        }
    }
}
