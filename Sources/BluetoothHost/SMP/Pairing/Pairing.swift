import BluetoothModel

/// One pairing on one link, in either role, from the exchange of features to the last key (Core 6.0, Vol 3, Part H,
/// 2.1).
final class Pairing {
    enum State {
        case idle
        /// Central: the Pairing Request was sent.
        case awaitingResponse(PairingFeatures)
        /// The user is being asked for consent to pair, or to replace a bond.
        case asking(PairingAgreement, replaces: Bond?)
        case authenticating(PairingAgreement, any AuthenticationPhase)
        case awaitingEncryption(PairingAgreement, PairingKey)
        case distributing(KeyExchange)
        /// The user is being asked to replace the bond of the identity that the peer distributed; later packets wait.
        case claiming(KeyExchange, replaces: Bond, waiting: [SecurityPacket])
        case ended
    }

    /// The parameters of a pairing.
    struct Parameters {
        let role: LinkRole
        let policy: PairingPolicy
        /// The addresses with which the link was established.
        let ownAddress: BluetoothAddress
        let peerAddress: BluetoothAddress
        /// True if pairing was requested locally; otherwise the user is asked for consent if no other question is
        /// asked.
        let isWanted: Bool
        let usesDebugKey: Bool
        /// The fixed passkey; nil for a random one each time.
        let passkey: UInt32?
        /// Counts the attempts on the fixed passkey.
        let limiter: any PasskeyLimiter
        let random: SecurityRandom.Source
    }

    let parameters: Parameters
    /// Proof of `unowned`: only the owner stores this object, and all calls to it come from the owner.
    unowned let owner: any PairingOwner
    var state = State.idle
    /// The fixed passkey, while the current attempt on it is counted as failed.
    var countedPasskey: UInt32?

    init(_ parameters: Parameters, owner: any PairingOwner) {
        self.parameters = parameters
        self.owner = owner
    }

    /// Starts as central.
    func start() {
        owner.reached(.featureExchange)
        let request = parameters.policy.makeRequest()
        state = .awaitingResponse(request)
        owner.send(.pairingRequest(request))
    }

    /// Starts as peripheral.
    func start(with request: PairingFeatures) {
        owner.reached(.featureExchange)
        let response = parameters.policy.makeResponse(to: request)
        consider(PairingAgreement(request: request, response: response))
    }

    // MARK: Features

    private func consider(_ agreement: PairingAgreement) {
        switch parameters.policy.refusal(of: agreement) {
        case .refused(let reason)?: return fail(reason)
        case let failure?:
            owner.send(.failed(.authenticationRequirements))
            return end(failure)
        case nil: break
        }
        if let passkey = parameters.passkey, case .passkey(let roles) = agreement.model, !roles.enters(parameters.role),
            !parameters.limiter.allows(passkey)
        {
            return block()
        }
        if let bond = owner.contestedBond {
            state = .asking(agreement, replaces: bond)
            return owner.ask(.replaceBond(bond.peerAddress))
        }
        // The other models ask for input that requires access to both devices.
        guard !parameters.isWanted, agreement.model == .justWorks || agreement.model == .outOfBand else {
            return proceed(agreement)
        }
        state = .asking(agreement, replaces: nil)
        owner.ask(.confirm)
    }

    private func proceed(_ agreement: PairingAgreement) {
        let peerHasData = agreement.features(of: parameters.role.opposite).hasOutOfBandData
        let context = PhaseContext(
            role: parameters.role, agreement: agreement, ownAddress: parameters.ownAddress,
            peerAddress: parameters.peerAddress, outOfBand: parameters.policy.outOfBand,
            localOutOfBand: agreement.isSecureConnections && peerHasData ? owner.takeLocalOutOfBandData() : nil,
            allowsDebugKey: parameters.policy.allowsDebugKey, usesDebugKey: parameters.usesDebugKey,
            passkey: parameters.passkey, random: parameters.random)
        let phase: any AuthenticationPhase =
            agreement.isSecureConnections
            ? SecureConnectionsAuthentication(context, owner: self) : LegacyAuthentication(context, owner: self)
        state = .authenticating(agreement, phase)
        owner.reached(
            .authentication(model: agreement.model.name, isSecureConnections: agreement.isSecureConnections))
        if parameters.role == .peripheral { owner.send(.pairingResponse(agreement.response)) }
        phase.start()
    }

    // MARK: Events

    /// Processes a packet. A packet that is not valid in the current state ends the pairing.
    func receive(_ packet: SecurityPacket) {
        switch (state, packet) {
        case (.ended, _): owner.drop(packet)
        case (_, .failed(let reason)): end(.refusedByPeer(reason))
        // A peripheral may have sent its request before it received ours (Core 6.0, Vol 3, Part H, 2.4.6).
        case (_, .securityRequest) where parameters.role == .central: owner.drop(packet)
        case (.awaitingResponse(let request), .pairingResponse(let response)):
            consider(PairingAgreement(request: request, response: response))
        case (.authenticating(let agreement, _), .keypress(let keypress)) where agreement.hasKeypresses:
            owner.heard(keypress)
        // Ignored, because some keyboards send these notifications without an agreement.
        case (.authenticating, .keypress): owner.drop(packet)
        case (.authenticating(_, let phase), _): phase.receive(packet)
        case (.distributing(let exchange), _): receive(packet, in: exchange)
        // At most the signing information.
        case (.claiming(let exchange, let bond, let waiting), _) where waiting.isEmpty:
            state = .claiming(exchange, replaces: bond, waiting: [packet])
        default: fail(.unspecifiedReason)
        }
    }

    /// Handles the user's answer.
    func answered(_ answer: SecurityAnswer) {
        switch state {
        case .asking(let agreement, let bond):
            guard case .accept = answer else {
                return bond.map { keep($0, .pairingNotSupported) } ?? cancel(.unspecifiedReason)
            }
            if let bond { owner.permitReplacement(of: bond) }
            proceed(agreement)
        case .claiming(let exchange, let bond, let waiting):
            guard case .accept = answer else { return keep(bond, .keyRejected) }
            owner.permitReplacement(of: bond)
            state = .distributing(exchange)
            finishIfComplete(exchange)
            for packet in waiting { receive(packet) }
        case .authenticating(_, let phase): phase.answered(answer)
        default: break
        }
    }

    /// The key with which the central should encrypt now, as peripheral; nil in other states.
    var awaitedKey: (key: SecurityKey, strength: KeyStrength)? {
        guard case .awaitingEncryption(let agreement, let key) = state else { return nil }
        return (key.key, agreement.strength)
    }

    /// Continues after the link was encrypted with the key.
    func encrypted() {
        guard case .awaitingEncryption(let agreement, let key) = state else { return }
        owner.reached(.keyDistribution)
        let own = owner.makeKeys(agreement.keys(of: parameters.role), size: agreement.keySize)
        let exchange = KeyExchange(agreement, key: key, own: own, role: parameters.role)
        state = .distributing(exchange)
        if parameters.role == .peripheral { for packet in own.packets { owner.send(packet) } }
        finishIfComplete(exchange)
    }

    /// Ends the pairing after the encryption failed.
    func encryptionFailed(_ error: RadioError) {
        guard case .awaitingEncryption = state else { return }
        end(.link(error))
    }

    /// Cancels the pairing for the user or a caller.
    func cancel() { cancel(.unspecifiedReason) }

    /// Ends the pairing without notifying the peer or the owner.
    func abandon() { state = .ended }

    /// The keys so far, if the link is encrypted with the key of this pairing and the peer's keys are incomplete.
    var unfinishedExchange: KeyExchange? {
        if case .distributing(let exchange) = state { exchange } else { nil }
    }

    /// True if the peer supports keypress notifications during passkey entry.
    var hasKeypresses: Bool {
        if case .authenticating(let agreement, _) = state { agreement.hasKeypresses } else { false }
    }

    /// Ends the pairing after a malformed packet.
    func receivedMalformed() { fail(.invalidParameters) }

    // MARK: Keys

    private func receive(_ packet: SecurityPacket, in exchange: KeyExchange) {
        var exchange = exchange
        do throws(PairingFailureReason) {
            try exchange.take(packet)
        } catch {
            return fail(error)
        }
        if case .identityAddress = packet {
            let (keys, bond) = owner.adopted(exchange.peer)
            if keys != exchange.peer {
                owner.drop(packet)
                owner.reached(.foreignIdentity)
            }
            exchange.peer = keys
            if let bond, exchange.agreement.strength.isWeaker(than: bond.strength) { return fail(.keyRejected) }
            if let bond {
                state = .claiming(exchange, replaces: bond, waiting: [])
                return owner.ask(.replaceBond(bond.peerAddress))
            }
        }
        state = .distributing(exchange)
        finishIfComplete(exchange)
    }

    private func finishIfComplete(_ exchange: KeyExchange) {
        guard exchange.isComplete else { return }
        state = .ended
        if parameters.role == .central { for packet in exchange.own.packets { owner.send(packet) } }
        owner.pairingEnded(.success(exchange))
    }

    /// Ends the pairing, which would replace a bond.
    private func keep(_ bond: Bond, _ reason: PairingFailureReason) {
        owner.send(.failed(reason))
        end(.replacesBond(bond.peerAddress))
    }

    func end(_ failure: PairingFailure) {
        if case .ended = state { return }
        state = .ended
        owner.pairingEnded(.failure(failure))
    }
}
