import BluetoothModel

/// One pairing on one link, in either role, from the exchange of features to the last key
/// (Core 6.0, Vol 3, Part H, 2.1).
final class Pairing {
    enum State {
        case idle
        /// Central: the request is out.
        case awaitingResponse(PairingFeatures)
        /// The user is asked whether to pair at all.
        case asking(PairingAgreement)
        case authenticating(PairingAgreement, any AuthenticationPhase)
        case awaitingEncryption(PairingAgreement, PairingKey)
        case distributing(KeyExchange)
        case ended
    }

    /// What does not change while pairing.
    struct Setting {
        let role: LinkRole
        let policy: PairingPolicy
        /// The addresses with which the link was made.
        let ownAddress: BluetoothAddress
        let peerAddress: BluetoothAddress
        /// Whether somebody here asked for it; otherwise the user is, where nothing else asks the user.
        let isWanted: Bool
        let usesDebugKey: Bool
        /// The fixed passkey; nil for a fresh one each time.
        let passkey: UInt32?
        /// Counts the attempts on it.
        let limiter: any PasskeyLimiter
        let random: SecurityRandom.Source
    }

    let setting: Setting
    unowned let owner: any PairingOwner
    var state = State.idle
    /// The fixed passkey, while an attempt on it counts as failed.
    var countedPasskey: UInt32?

    init(_ setting: Setting, owner: any PairingOwner) {
        self.setting = setting
        self.owner = owner
    }

    /// Begins as central.
    func start() {
        let request = setting.policy.makeRequest()
        state = .awaitingResponse(request)
        owner.send(.pairingRequest(request))
    }

    /// Begins as peripheral.
    func start(with request: PairingFeatures) {
        let response = setting.policy.makeResponse(to: request)
        consider(PairingAgreement(request: request, response: response))
    }

    // MARK: Features

    private func consider(_ agreement: PairingAgreement) {
        switch setting.policy.refusal(of: agreement) {
        case .refused(let reason)?: return fail(reason)
        case let failure?:
            owner.send(.failed(.authenticationRequirements))
            return end(failure)
        case nil: break
        }
        if let passkey = setting.passkey, case .passkey(let roles) = agreement.model, !roles.enters(setting.role),
            !setting.limiter.allows(passkey)
        {
            return block()
        }
        // The other models ask the user for something that only two devices in one room can have.
        guard !setting.isWanted, agreement.model == .justWorks || agreement.model == .outOfBand else {
            return proceed(agreement)
        }
        state = .asking(agreement)
        owner.ask(.confirm)
    }

    private func proceed(_ agreement: PairingAgreement) {
        let peerHasData = agreement.features(of: setting.role.opposite).hasOutOfBandData
        let context = PhaseContext(
            role: setting.role, agreement: agreement, ownAddress: setting.ownAddress,
            peerAddress: setting.peerAddress, outOfBand: setting.policy.outOfBand,
            localOutOfBand: agreement.isSecureConnections && peerHasData ? owner.takeLocalOutOfBandData() : nil,
            allowsDebugKey: setting.policy.allowsDebugKey, usesDebugKey: setting.usesDebugKey,
            passkey: setting.passkey, random: setting.random)
        let phase: any AuthenticationPhase =
            agreement.isSecureConnections
            ? SecureConnectionsAuthentication(context, owner: self) : LegacyAuthentication(context, owner: self)
        state = .authenticating(agreement, phase)
        if setting.role == .peripheral { owner.send(.pairingResponse(agreement.response)) }
        phase.start()
    }

    // MARK: Events

    /// Takes a packet; whatever does not belong to the state ends the pairing.
    func receive(_ packet: SecurityPacket) {
        switch (state, packet) {
        case (.ended, _): owner.drop(packet)
        case (_, .failed(let reason)): end(.refusedByPeer(reason))
        // A peripheral may have asked just before it heard that we began (Core 6.0, Vol 3, Part H, 2.4.6).
        case (_, .securityRequest) where setting.role == .central: owner.drop(packet)
        case (.awaitingResponse(let request), .pairingResponse(let response)):
            consider(PairingAgreement(request: request, response: response))
        case (.authenticating(let agreement, _), .keypress(let keypress)) where agreement.hasKeypresses:
            owner.heard(keypress)
        // Nothing hangs on it, and some keyboards tell whether asked or not.
        case (.authenticating, .keypress): owner.drop(packet)
        case (.authenticating(_, let phase), _): phase.receive(packet)
        case (.distributing(let exchange), _): receive(packet, in: exchange)
        default: fail(.unspecifiedReason)
        }
    }

    /// The user answered.
    func answered(_ answer: SecurityAnswer) {
        switch state {
        case .asking(let agreement):
            if case .accept = answer { proceed(agreement) } else { cancel(.unspecifiedReason) }
        case .authenticating(_, let phase): phase.answered(answer)
        default: break
        }
    }

    /// Peripheral: the key that the central is to encrypt with now; nil where it is not that far.
    var awaitedKey: (key: SecurityKey, strength: KeyStrength)? {
        guard case .awaitingEncryption(let agreement, let key) = state else { return nil }
        return (key.key, agreement.strength)
    }

    /// The link is encrypted with the key.
    func encrypted() {
        guard case .awaitingEncryption(let agreement, let key) = state else { return }
        let own = owner.makeKeys(agreement.keys(of: setting.role), size: agreement.keySize)
        let exchange = KeyExchange(agreement, key: key, own: own, role: setting.role)
        state = .distributing(exchange)
        if setting.role == .peripheral { for packet in own.packets { owner.send(packet) } }
        finishIfComplete(exchange)
    }

    /// The link could not be encrypted.
    func encryptionFailed(_ error: RadioError) {
        guard case .awaitingEncryption = state else { return }
        end(.link(error))
    }

    /// The user, or the caller, gave up.
    func cancel() { cancel(.unspecifiedReason) }

    /// It ends without a word to anybody.
    func abandon() { state = .ended }

    /// Whether the peer wants to hear what the user enters.
    var hasKeypresses: Bool {
        if case .authenticating(let agreement, _) = state { agreement.hasKeypresses } else { false }
    }

    /// A packet of the peer makes no sense.
    func receivedMalformed() { fail(.invalidParameters) }

    // MARK: Keys

    private func receive(_ packet: SecurityPacket, in exchange: KeyExchange) {
        var exchange = exchange
        do throws(PairingFailureReason) {
            try exchange.take(packet)
        } catch {
            return fail(error)
        }
        if case .identityAddress(let identity) = packet, exchange.agreement.isBonding,
            !owner.accepts(identity, exchange.agreement.strength)
        {
            return fail(.keyRejected)
        }
        state = .distributing(exchange)
        finishIfComplete(exchange)
    }

    private func finishIfComplete(_ exchange: KeyExchange) {
        guard exchange.isComplete else { return }
        state = .ended
        if setting.role == .central { for packet in exchange.own.packets { owner.send(packet) } }
        owner.pairingEnded(.success(exchange))
    }

    func end(_ failure: PairingFailure) {
        if case .ended = state { return }
        state = .ended
        owner.pairingEnded(.failure(failure))
    }
}
