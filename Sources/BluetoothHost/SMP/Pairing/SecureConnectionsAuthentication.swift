import BluetoothModel

/// The second phase of LE Secure Connections: public keys, the association model, and the check of the key that came
/// of it (Core 6.0, Vol 3, Part H, 2.3.5.6).
final class SecureConnectionsAuthentication: AuthenticationPhase {
    enum State {
        case idle
        case awaitingPublicKey(P256KeyPair)
        /// Central, comparison: the peripheral commits itself first.
        case awaitingCommitment(ExchangedKeys)
        /// Central, comparison: our nonce is out.
        case awaitingCommittedNonce(ExchangedKeys, nonce: [UInt8], commitment: [UInt8])
        /// The nonce that needs no commitment: the central's after ours, or either one's with data out of band.
        case awaitingNonce(ExchangedKeys, nonce: [UInt8])
        /// The user compares; a central that is faster sends its check already.
        case comparing(KeyCheck, early: [UInt8]?)
        /// The user enters the passkey; a central that is faster begins already.
        case entering(ExchangedKeys, early: [UInt8]?)
        case awaitingRoundConfirm(PasskeyRound)
        case awaitingRoundNonce(PasskeyRound, confirm: [UInt8])
        case awaitingCheck(KeyCheck)
        case ended
    }

    /// Both public keys, and the secret of both.
    struct ExchangedKeys {
        let pair: P256KeyPair
        let peer: P256Point
        let secret: [UInt8]
        var isDebug: Bool { pair.point == .debug || peer == .debug }
    }

    let context: PhaseContext
    unowned let owner: any PhaseOwner
    var state = State.idle

    init(_ context: PhaseContext, owner: any PhaseOwner) {
        self.context = context
        self.owner = owner
    }

    func start() {
        if context.agreement.model == .outOfBand {
            // Each side must be able to use what it says that it has, and only now it is known which pairing it is.
            let own = context.agreement.features(of: context.role)
            let peer = context.agreement.features(of: context.role.opposite)
            guard !own.hasOutOfBandData || context.outOfBand?.secureConnections != nil,
                !peer.hasOutOfBandData || context.localOutOfBand != nil
            else { return fail(.oobNotAvailable) }
        }
        let fresh = context.usesDebugKey ? P256KeyPair.debug : P256KeyPair(from: context.random)
        let pair = context.localOutOfBand?.pair ?? fresh
        state = .awaitingPublicKey(pair)
        if context.role == .central { owner.send(.publicKey(pair.point)) }
    }

    func receive(_ packet: SecurityPacket) {
        switch (state, packet) {
        case (.awaitingPublicKey(let pair), .publicKey(let point)): exchanged(pair, point)
        case (.awaitingCommitment(let keys), .confirm(let commitment)):
            let nonce = context.random(16)
            state = .awaitingCommittedNonce(keys, nonce: nonce, commitment: commitment)
            owner.send(.random(nonce))
        case (.awaitingCommittedNonce(let keys, let own, let commitment), .random(let nonce)):
            let expected = SecurityToolbox.f4(keys.peer.x, keys.pair.point.x, nonce, 0)
            guard nonce != own, areEqualInConstantTime(expected, commitment) else {
                return fail(.confirmValueFailed)
            }
            compare(keys, own: own, peer: nonce)
        case (.awaitingNonce(let keys, let own), .random(let nonce)):
            guard nonce != own else { return fail(.confirmValueFailed) }
            noncesExchanged(keys, own: own, peer: nonce)
        case (.comparing(let check, early: nil), .dhKeyCheck(let value)) where context.role == .peripheral:
            state = .comparing(check, early: value)
        case (.entering(let keys, early: nil), .confirm(let confirm)) where context.role == .peripheral:
            state = .entering(keys, early: confirm)
        case (.awaitingRoundConfirm(let round), .confirm(let confirm)): receiveRound(round, confirm: confirm)
        case (.awaitingRoundNonce(let round, let confirm), .random(let nonce)):
            receiveRound(round, confirm: confirm, nonce: nonce)
        case (.awaitingCheck(let check), .dhKeyCheck(let value)): verify(check, value)
        default: fail(.unspecifiedReason)
        }
    }

    func answered(_ answer: SecurityAnswer) {
        switch (state, answer) {
        case (.comparing(let check, let early), .accept): confirmed(check, early: early)
        case (.comparing, _):
            state = .ended
            owner.cancel(.numericComparisonFailed)
        case (.entering(let keys, let early), .passkey(let passkey)) where passkey < 1_000_000:
            beginRounds(keys, passkey: passkey, early: early)
        case (.entering, .refuse):
            state = .ended
            owner.cancel(.passkeyEntryFailed)
        case (.entering, _): fail(.passkeyEntryFailed)
        // The number was shown; no is no at any time.
        case (.awaitingRoundConfirm, .refuse), (.awaitingRoundNonce, .refuse), (.awaitingCheck, .refuse):
            state = .ended
            owner.cancel(.passkeyEntryFailed)
        default: break
        }
    }

    func fail(_ reason: PairingFailureReason) {
        state = .ended
        owner.fail(reason)
    }
}
