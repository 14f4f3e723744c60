import BluetoothModel

/// Encryption of the link.
extension SecuritySession {
    // MARK: Central

    /// Encrypts the link with the key of a bond.
    func encrypt(with bond: Bond) {
        guard let link, let key = bond.peerKey else { return }
        state = .encrypting(bond)
        coming = ComingKey(strength: bond.strength, bond: bond)
        link.startEncryption(
            key: key.key.littleEndian, randomNumber: key.randomNumber, diversifier: key.diversifier
        ) { [weak self] result in self?.encryptionEnded(result) }
    }

    private func encryptionEnded(_ result: Result<LinkSecurity, RadioError>) {
        switch (state, result) {
        case (.encrypting, .success):
            restoreServerState()
            finish(.success(()))
        // Some controllers do not distinguish a missing key from a wrong one.
        case (.encrypting(let bond), .failure(.controller(.pinOrKeyMissing))),
            (.encrypting(let bond), .failure(.controller(.authenticationFailure))):
            coming = nil
            peerLostBond = true
            // Called before the completions, whose next steps may depend on the user's decision.
            if let link { manager.delegate?.securityManager(manager, lost: bond, on: link) }
            finish(.failure(lossError(of: bond)))
        case (.encrypting, .failure(let error)):
            coming = nil
            finish(.failure(error))
        case (.pairing(let pairing), .success): pairing.encrypted()
        case (.pairing(let pairing), .failure(let error)):
            coming = nil
            pairing.encryptionFailed(error)
        // Abandoned meanwhile. If encryption succeeded, its key is in use anyway, with its strength.
        case (.idle, _), (.requesting, _), (.timedOut, _), (.closed, _): coming = nil
        }
    }

    /// Encrypts the link with the key of a pairing.
    func encrypt(with key: PairingKey, strength: KeyStrength) {
        guard let link else { return }
        coming = ComingKey(strength: strength)
        link.startEncryption(
            key: key.key.littleEndian, randomNumber: 0, diversifier: 0
        ) { [weak self] result in self?.encryptionEnded(result) }
    }

    // MARK: Peripheral

    func longTermKey(randomNumber: UInt64, diversifier: UInt16) -> SecurityKey? {
        guard let link else { return nil }
        switch state {
        case .closed: return nil
        case .pairing(let pairing):
            // No other key during a pairing: the central would encrypt with a weaker key than agreed on.
            guard randomNumber == 0, diversifier == 0, let awaited = pairing.awaitedKey else { return nil }
            coming = ComingKey(strength: awaited.strength)
            return awaited.key
        case .idle, .encrypting, .requesting, .timedOut: break
        }
        let local = manager.ownIdentity(on: link)
        var found = bond
        if found == nil, !peerIdentity.isIdentity, randomNumber != 0 || diversifier != 0 {
            // A device with private addresses and no identity key is only recognised by the identifiers of its key.
            found = manager.bonds.bond(local: local, diversifier: diversifier, randomNumber: randomNumber)
        }
        guard let found, let key = found.localKey, key.randomNumber == randomNumber, key.diversifier == diversifier,
            accepts(found.strength)
        else { return nil }
        coming = ComingKey(strength: found.strength, bond: found)
        return key.key
    }

    /// Handles a change of the encryption, which ``SecurityLink/security`` reflects, or a failed change.
    func encryptionChanged(_ status: HCIStatus) {
        guard let link, link.role == .peripheral else { return }
        guard status == .success else {
            coming = nil
            if case .pairing(let pairing) = state { pairing.encryptionFailed(.controller(status)) }
            return
        }
        guard link.security.level > .none else { return }
        switch state {
        case .pairing(let pairing): pairing.encrypted()
        case .idle, .requesting:
            restoreServerState()
            finish(.success(()))
        case .encrypting, .timedOut, .closed: break
        }
    }

    // MARK: Both roles

    /// Returns the security of the link after its encryption changed.
    func security(isEncrypted: Bool, keySize: UInt8?) -> LinkSecurity? {
        guard isEncrypted else {
            (strength, coming, provenKey) = (nil, nil, nil)
            return LinkSecurity(isBonded: bond.map(isUsable) ?? false)
        }
        if let coming {
            strength = coming.strength
            provenKey = coming.bond?.keys.first
            // Only the key proves the identity, not the request for it.
            if let bond = coming.bond { peerIdentity = bond.peerAddress }
            // The bond was used; its counters may have changed since the encryption began.
            if coming.bond != nil, let bond { _ = manager.update(bond) }
        }
        coming = nil
        guard let strength else { return nil }
        // A shorter key size that the controller reports takes precedence.
        var inForce = strength
        if let keySize { inForce.keySize = min(strength.keySize, keySize) }
        return LinkSecurity(level: inForce.level, keySize: inForce.keySize, isBonded: bond != nil)
    }
}
