import BluetoothModel

/// The start and the end of a pairing.
extension SecuritySession: PairingOwner {
    // MARK: Start

    /// Starts a pairing as central, requested locally or by the peripheral.
    func beginPairing(level: LinkSecurity.Level, wantsMITM: Bool, isWanted: Bool) {
        guard let link else { return }
        if manager.attempts.blocks(peerIdentity, at: link.now) {
            if !isWanted { send(.failed(.repeatedAttempts)) }
            return finish(.failure(waitError(on: link)))
        }
        let pairing = makePairing(level: level, wantsMITM: wantsMITM, isWanted: isWanted, on: link)
        state = .pairing(pairing)
        pairing.start()
    }

    /// Starts a pairing as peripheral, requested by the central.
    func pairingRequested(_ features: PairingFeatures, on link: any SecurityLink) {
        let level = waiters.map(\.level).max() ?? .none
        let isWanted = isAnswer(level)
        // Questions go to the local owner only if the request answers its own security request.
        if !isWanted { owner = nil }
        guard isWanted || isPairable else {
            return send(.failed(.pairingNotSupported))
        }
        guard !manager.attempts.blocks(peerIdentity, at: link.now) else { return send(.failed(.repeatedAttempts)) }
        let pairing = makePairing(level: level, wantsMITM: false, isWanted: isWanted, on: link)
        state = .pairing(pairing)
        armTimer()
        pairing.start(with: features)
    }

    /// Returns true if the pairing was requested locally, and the key of a bond would not suffice.
    private func isAnswer(_ level: LinkSecurity.Level) -> Bool {
        guard case .requesting(provesBond: false) = state else { return false }
        guard let bond, isUsable(bond) else { return true }
        return level > bond.strength.level
    }

    /// Handles a security request of the peripheral, as central (Core 6.0, Vol 3, Part H, 2.4.6).
    func securityRequested(_ requirements: AuthenticationRequirements, on link: any SecurityLink) {
        // The requested procedure is running, or the peer has lost its bond: only the user removes a bond, not the
        // peer.
        guard case .idle = state, !peerLostBond else { return link.securityPacketDropped() }
        owner = nil
        let canAuthenticate =
            user.capability != .noInputNoOutput
            || manager.outOfBandData(of: peerIdentity, at: link.peerAddress) != nil
        let wantsMITM = requirements.contains(.mitm)
        let level = max(
            minimumLevel, wantsMITM && canAuthenticate ? .authenticated : .encrypted)
        guard link.security.level < level else { return }
        // The bond is tried first, even if more is requested: a peripheral that requires more requests it again, and
        // one that always requests the maximum does not cause a new pairing each time.
        if let bond, isUsable(bond), link.security.level < bond.strength.level { return encrypt(with: bond) }
        guard isPairable else { return send(.failed(.pairingNotSupported)) }
        beginPairing(level: .none, wantsMITM: wantsMITM, isWanted: false)
    }

    /// The user of the link, to whom the questions of a pairing go.
    var user: SecurityUser {
        let configuration = manager.configuration
        return link.flatMap { manager.delegate?.securityManager(manager, userOf: $0) }
            ?? SecurityUser(
                capability: configuration.capability, wantsMITM: configuration.wantsMITM,
                isPairable: configuration.isPairable)
    }

    /// True if the peer may start pairing.
    private var isPairable: Bool {
        manager.configuration.isPairable && manager.delegate != nil && user.isPairable
    }

    private func makePairing(
        level: LinkSecurity.Level, wantsMITM: Bool, isWanted: Bool, on link: any SecurityLink
    ) -> Pairing {
        adoption = BondAdoption(
            local: manager.ownIdentity(on: link), peer: peerIdentity, airAddress: link.peerAirAddress,
            provenKey: link.security.level > .none ? provenKey : nil)
        return Pairing(
            Pairing.Parameters(
                role: link.role, policy: makePolicy(level: level, wantsMITM: wantsMITM, on: link),
                ownAddress: link.ownAirAddress, peerAddress: link.peerAirAddress, isWanted: isWanted,
                usesDebugKey: manager.configuration.usesDebugKey, passkey: user.passkey,
                limiter: manager.passkeyLimiter,
                random: manager.random), owner: self)
    }

    func makePolicy(level: LinkSecurity.Level, wantsMITM: Bool, on link: any SecurityLink) -> PairingPolicy {
        let (configuration, user) = (manager.configuration, user)
        return PairingPolicy(
            capability: user.capability, wantsMITM: configuration.wantsMITM || user.wantsMITM || wantsMITM,
            isBonding: configuration.isBonding, offersSecureConnections: configuration.offersSecureConnections,
            sendsKeypresses: configuration.sendsKeypresses || user.sendsKeypresses,
            minimumLevel: max(level, minimumLevel), keySizes: keySizes,
            ownKeys: configuration.ownKeys.intersection(.all),
            peerKeys: configuration.peerKeys.intersection(.all),
            allowsDebugKey: configuration.allowsDebugKey || configuration.usesDebugKey,
            outOfBand: manager.outOfBandData(of: peerIdentity, at: link.peerAddress),
            existing: bond?.strength ?? strength)
    }

    // MARK: Progress

    func heard(_ keypress: Keypress) {
        guard let link else { return }
        manager.delegate?.securityManager(manager, heard: keypress, on: link)
    }

    func reached(_ step: PairingStep) {
        guard let link else { return }
        manager.delegate?.securityManager(manager, reached: step, on: link)
    }

    func drop(_ packet: SecurityPacket) { link?.securityPacketDropped() }

    func makeKeys(_ kinds: KeyDistribution, size: UInt8) -> DistributedKeys {
        guard let link else { return DistributedKeys() }
        var keys = DistributedKeys()
        if kinds.contains(.encryption) {
            // The identifiers 0 belong to keys of LE Secure Connections.
            keys.longTermKey = LongTermKey(
                key: SecurityKey(made: manager.random(16)).masked(to: size),
                diversifier: UInt16(truncatingIfNeeded: number(2)), randomNumber: max(1, number(8)))
        }
        if kinds.contains(.identity) {
            keys.identityKey = link.ownIdentityKey ?? manager.identityKey
            keys.identity = manager.ownIdentity(on: link)
        }
        if kinds.contains(.signing) { keys.signingKey = SecurityKey(made: manager.random(16)) }
        return keys
    }

    private func number(_ octets: Int) -> UInt64 { manager.random(octets).reduce(0) { $0 << 8 | UInt64($1) } }

    var contestedBond: Bond? { adoption?.contested(peerIdentity, in: manager.bonds) }

    func adopted(_ keys: DistributedKeys) -> (keys: DistributedKeys, bond: Bond?) {
        guard let adoption else { return (DistributedKeys(), nil) }
        let adopted = adoption.adopted(keys, in: manager.bonds)
        return (adopted, adoption.contested(adopted.identity ?? peerIdentity, in: manager.bonds))
    }

    func permitReplacement(of bond: Bond) { adoption?.permit(bond) }

    func takeLocalOutOfBandData() -> LocalOutOfBandData? { manager.takeLocalOutOfBandData() }

    // MARK: End

    func pairingEnded(_ result: Result<KeyExchange, PairingFailure>) {
        guard let link else { return }
        withdrawQuestion()
        switch result {
        case .success(let exchange):
            manager.attempts.succeeded(peerIdentity)
            if exchange.agreement.model == .outOfBand {
                manager.forgetOutOfBandData(of: peerIdentity, at: link.peerAddress)
            }
            // A bond of this identity may have been made on another link in the meantime.
            if let identity = exchange.peer.identity, adoption?.contested(identity, in: manager.bonds) == nil {
                peerIdentity = identity
            }
            let bond = kept(exchange, on: link)
            if let bond { (peerLostBond, provenKey) = (false, bond.keys.first) }
            showBond()
            restoreServerState()
            manager.delegate?.securityManager(manager, pairedOn: link, bond: bond)
            finish(.success(()))
        case .failure(let failure):
            if case .pairing(let pairing) = state { tellOfAttempt(pairing, failure) }
            if failure.isAttempt { manager.attempts.failed(peerIdentity, at: link.now) }
            // A peer that distributes such keys is disconnected.
            let isForeign = if case .replacesBond = failure { link.security.level > .none } else { false }
            if failure == .refused(.keyRejected) || isForeign { link.disconnect(reason: .authenticationFailure) }
            pairingFailed(failure)
        }
    }

    /// Reports a failed pairing that was an attempt on a fixed passkey, or was refused because no attempts are left.
    func tellOfAttempt(_ pairing: Pairing, _ failure: PairingFailure?) {
        guard let link,
            let passkey = pairing.countedPasskey ?? (failure == .passkeyBlocked ? pairing.parameters.passkey : nil)
        else { return }
        manager.attemptFailed(on: passkey, link)
    }

    func pairingFailed(_ failure: PairingFailure) {
        guard let link else { return }
        withdrawQuestion()
        manager.delegate?.securityManager(manager, failedToPairOn: link, failure)
        finish(.failure(failure.radioError))
    }

    /// Stores the bond of a pairing and returns it; nil if nothing is stored.
    private func kept(_ exchange: KeyExchange, on link: any SecurityLink) -> Bond? {
        // A peer with a private address that did not distribute its identity could not be recognised.
        guard exchange.agreement.isBonding, !exchange.key.isDebug, peerIdentity.isIdentity, contestedBond == nil else {
            return nil
        }
        var bond = Bond(
            localAddress: manager.ownIdentity(on: link), peerAddress: peerIdentity,
            strength: exchange.agreement.strength)
        if exchange.agreement.isSecureConnections {
            let key = LongTermKey(key: exchange.key.key)
            (bond.localKey, bond.peerKey) = (key, key)
        } else {
            (bond.localKey, bond.peerKey) = (exchange.own.longTermKey, exchange.peer.longTermKey)
        }
        bond.peerIdentityKey = exchange.peer.identityKey
        bond.peerUsesPrivateAddresses = link.peerAirAddress.randomKind == .resolvablePrivate
        bond.localSigningKey = exchange.own.signingKey.map { SigningKey(key: $0) }
        bond.peerSigningKey = exchange.peer.signingKey.map { SigningKey(key: $0) }
        // The peer may be a different device with this identity, so the client state of the old bond does not apply.
        bond.serverState = currentServerState
        // Without a key for either role the bond could not be used.
        guard bond.localKey != nil || bond.peerKey != nil else { return nil }
        return manager.keep(bond) ? bond : nil
    }

    /// Stores the long-term key of a pairing whose link ended during the key distribution, if there is a bond with the
    /// peer.
    ///
    /// One side may have finished: the side that sends the last key does not know whether it arrived. With the old key
    /// here and the new one there, no later link could be encrypted. Both sides have the key of LE Secure Connections
    /// since the link is encrypted with it.
    func renewBond(_ exchange: KeyExchange) {
        let agreement = exchange.agreement
        guard agreement.isSecureConnections, agreement.isBonding, !exchange.key.isDebug, var bond,
            contestedBond == nil, exchange.peer.identity ?? bond.peerAddress == bond.peerAddress
        else { return }
        bond.strength = agreement.strength
        let key = LongTermKey(key: exchange.key.key)
        (bond.localKey, bond.peerKey) = (key, key)
        // A key whose identity address did not arrive is not bound to the link.
        if exchange.peer.identity != nil, let identityKey = exchange.peer.identityKey {
            bond.peerIdentityKey = identityKey
        }
        // The peer may have received new signing keys, or none.
        (bond.localSigningKey, bond.peerSigningKey) = (nil, nil)
        bond.serverState = currentServerState
        _ = manager.keep(bond)
    }
}
