import BluetoothModel

/// The second phase of LE Secure Connections: public keys, the association model, and the check of the resulting key
/// (Core 6.0, Vol 3, Part H, 2.3.5.6).
final class SecureConnectionsAuthentication: AuthenticationPhase {
    enum State {
        case idle
        case awaitingPublicKey(P256KeyPair)
        /// Central, numeric comparison: waiting for the commitment of the peripheral.
        case awaitingCommitment(ExchangedKeys)
        /// Central, numeric comparison: the local nonce was sent.
        case awaitingCommittedNonce(ExchangedKeys, nonce: [UInt8], commitment: [UInt8])
        /// Waiting for a nonce without commitment: the central's, or either side's with out-of-band data.
        case awaitingNonce(ExchangedKeys, nonce: [UInt8])
        /// The user compares the numbers; the check value of a faster central may arrive earlier.
        case comparing(KeyCheck, early: [UInt8]?)
        /// The user enters the passkey; the confirm value of a faster central may arrive earlier.
        case entering(ExchangedKeys, early: [UInt8]?)
        case awaitingRoundConfirm(PasskeyRound)
        case awaitingRoundNonce(PasskeyRound, confirm: [UInt8])
        case awaitingCheck(KeyCheck)
        case ended
    }

    /// The public keys of both sides, and the shared secret.
    struct ExchangedKeys {
        let pair: P256KeyPair
        let peer: P256Point
        let secret: [UInt8]
        var isDebug: Bool { pair.point == .debug || peer == .debug }
    }

    let context: PhaseContext
    /// Proof of `unowned`: only the pairing, which is the owner, stores this object, and all calls to it come from the
    /// pairing.
    unowned let owner: any PhaseOwner
    var state = State.idle

    init(_ context: PhaseContext, owner: any PhaseOwner) {
        self.context = context
        self.owner = owner
    }

    func start() {
        if context.agreement.model == .outOfBand {
            // Each side must have the data that it announced; only now is it known which pairing takes place.
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
        // While the passkey is displayed, the user can refuse at any time.
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
