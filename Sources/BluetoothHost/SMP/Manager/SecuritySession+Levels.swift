import BluetoothModel

/// Raising the security of a link for waiting callers.
extension SecuritySession {
    func secure(
        to level: LinkSecurity.Level, asksConsent: Bool = false, for owner: AnyObject? = nil,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        guard let link, link.isOpen else { return completion(.failure(.notConnected)) }
        if satisfies(link.security, level) { return completion(.success(link.security)) }
        switch state {
        case .closed: return completion(.failure(.notConnected))
        case .timedOut: return completion(.failure(PairingFailure.timeout.radioError))
        case .idle, .encrypting, .requesting, .pairing: break
        }
        guard waiters.count < 256 else {
            return completion(.failure(.limit("256 callers are already waiting for the link to be secured")))
        }
        waiters.append(Waiter(level: level, asksConsent: asksConsent, owner: owner, completion: completion))
        if case .idle = state { next() }
    }

    /// Encrypts a new link to a bonded device.
    func encryptAtOnce() {
        guard case .idle = state, let bond, !peerLostBond, isUsable(bond) else { return }
        encrypt(with: bond)
    }

    func cancel() {
        switch state {
        case .pairing(let pairing): pairing.cancel()
        case .requesting: finish(.failure(.cancelled))
        // The controller's procedure cannot be cancelled, so only the waiting callers are.
        case .idle, .encrypting, .timedOut, .closed:
            let ended = waiters
            waiters = []
            for waiter in ended { waiter.completion(.failure(.cancelled)) }
        }
    }

    private func satisfies(_ security: LinkSecurity, _ level: LinkSecurity.Level) -> Bool {
        security.level >= level
    }

    /// Returns true if the key of the bond can encrypt this link.
    func isUsable(_ bond: Bond) -> Bool {
        let key = link?.role == .central ? bond.peerKey : bond.localKey
        return key != nil && accepts(bond.strength)
    }

    /// The minimum level of a pairing or a bond on this link.
    var minimumLevel: LinkSecurity.Level {
        max(manager.configuration.minimumLevel, user.requiresSecureConnections ? .secureConnections : .none)
    }

    /// The accepted encryption key sizes on this link, in octets.
    var keySizes: ClosedRange<UInt8> {
        let sizes = manager.configuration.keySizes
        guard let minimum = user.minimumKeySize else { return sizes }
        return min(max(minimum, sizes.lowerBound), sizes.upperBound)...sizes.upperBound
    }

    /// Returns true if a key of this strength may be used on this link.
    func accepts(_ strength: KeyStrength) -> Bool {
        strength.keySize >= keySizes.lowerBound && strength.level >= minimumLevel
    }

    /// Returns the reason why the key of the bond cannot encrypt this link.
    func uselessness(of bond: Bond) -> RadioError {
        let (sizes, strength) = (keySizes, bond.strength)
        if strength.keySize < sizes.lowerBound {
            return .security(
                .init(
                    .shortKey,
                    "the \(bond) is not used, because keys of at least \(sizes.lowerBound) octets are required"))
        }
        guard strength.level >= minimumLevel else {
            return .security(
                .init(.tooWeak, "the \(bond) is not used, because authenticated LE Secure Connections is required"))
        }
        return .security(
            .init(
                .notPaired,
                "the \(bond) has no key for links that \(link?.role == .central ? "this side" : "the peer") initiated"))
    }

    /// Starts the procedure for the highest level that a caller waits for.
    private func next() {
        guard case .idle = state else { return }
        owner = nil
        guard let link, let level = waiters.map(\.level).max() else { return }
        owner = waiters.first { $0.level == level }?.owner
        if peerLostBond, let bond { return finish(.failure(lossError(of: bond))) }
        if link.role == .peripheral { return request(level, on: link) }
        // Also if more is wanted: a bond is replaced only over a link that its key encrypts.
        if let bond, isUsable(bond), link.security.level < bond.strength.level,
            bond.strength.level >= level || link.security.level == .none
        {
            return encrypt(with: bond)
        }
        beginPairing(level: level, wantsMITM: false, isWanted: waiters.contains { !$0.asksConsent })
    }

    private func request(_ level: LinkSecurity.Level, on link: any SecurityLink) {
        if manager.attempts.blocks(peerIdentity, at: link.now) { return finish(.failure(waitError(on: link))) }
        // First no more than the security of the bond: more would cause a new pairing without its key.
        let bond = link.security.level == .none ? bond.flatMap { isUsable($0) ? $0 : nil } : nil
        var policy = makePolicy(level: min(level, bond?.strength.level ?? level), wantsMITM: false, on: link)
        if let bond { policy.wantsMITM = bond.strength.isAuthenticated }
        state = .requesting(provesBond: (bond?.strength.level ?? level) < level)
        send(.securityRequest(policy.request))
        armTimer()
    }

    /// Ends the current procedure.
    ///
    /// A failure applies to all waiting callers, even if the link was encrypted before it: its key is not reliable.
    /// After a success, callers whose level is reached complete. One more attempt is made for the others, because the
    /// peer may have started the procedure with a lower level. Proving a weaker bond does not count as an attempt.
    func finish(_ result: Result<Void, RadioError>) {
        guard let link else { return }
        var isProof = false
        switch state {
        case .timedOut, .closed: break
        case .idle, .pairing: state = .idle
        case .encrypting(let bond):
            isProof = waiters.contains { $0.level > bond.strength.level }
            state = .idle
        case .requesting(let provesBond):
            isProof = provesBond
            state = .idle
        }
        disarmTimer()
        let all = waiters
        waiters = []
        var ended: [(Waiter, Result<LinkSecurity, RadioError>)] = []
        for var waiter in all {
            switch result {
            case .failure(let error): ended.append((waiter, .failure(error)))
            case .success where satisfies(link.security, waiter.level):
                ended.append((waiter, .success(link.security)))
            case .success where waiter.wasTried: ended.append((waiter, .failure(Self.tooLow(link.security))))
            case .success:
                waiter.wasTried = !isProof
                waiters.append(waiter)
            }
        }
        for (waiter, result) in ended { waiter.completion(result) }
        next()
    }

    private static func tooLow(_ security: LinkSecurity) -> RadioError {
        .security(.init(.tooWeak, "pairing reached only security level \(security.level.rawValue) of 4"))
    }

    func lossError(of bond: Bond) -> RadioError {
        .security(
            .init(
                .bondLost,
                "\(bond.peerAddress) no longer has the key of the bond: it was reset, or deleted the bond, or "
                    + "another device uses its address"))
    }

    func waitError(on link: any SecurityLink) -> RadioError {
        let seconds = max(1, manager.attempts.wait(peerIdentity, at: link.now).components.seconds)
        return .security(.init(.tooSoon, "an earlier pairing failed; wait \(seconds) s before the next attempt"))
    }
}
