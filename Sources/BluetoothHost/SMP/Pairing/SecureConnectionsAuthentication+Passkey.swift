import BluetoothModel

/// One of the 20 rounds in which both sides prove that they know one bit of the passkey.
///
/// Each round has new nonces: with a repeated nonce an eavesdropper could derive the bits from the confirm values.
struct PasskeyRound {
    static let count = 20

    let keys: SecureConnectionsAuthentication.ExchangedKeys
    let passkey: UInt32
    /// The index of the bit, 0 to 19, least significant first.
    let index: Int
    let nonce: [UInt8]

    /// The value that represents the bit in the confirm value.
    var bit: UInt8 { 0x80 | UInt8(passkey >> UInt32(index) & 1) }
    var ownConfirm: [UInt8] { SecurityToolbox.f4(keys.pair.point.x, keys.peer.x, nonce, bit) }

    func peerConfirm(of nonce: [UInt8]) -> [UInt8] {
        SecurityToolbox.f4(keys.peer.x, keys.pair.point.x, nonce, bit)
    }
}

/// Passkey entry (Core 6.0, Vol 3, Part H, 2.3.5.6.3).
extension SecureConnectionsAuthentication {
    func beginPasskey(_ keys: ExchangedKeys, _ roles: AssociationModel.PasskeyRoles) {
        guard !roles.enters(context.role) else {
            state = .entering(keys, early: nil)
            return owner.ask(.enterPasskey)
        }
        let passkey = context.makePasskey()
        beginRounds(keys, passkey: passkey, early: nil)
        owner.ask(.display(passkey: passkey))
    }

    func beginRounds(_ keys: ExchangedKeys, passkey: UInt32, early: [UInt8]?) {
        let round = PasskeyRound(keys: keys, passkey: passkey, index: 0, nonce: context.random(16))
        begin(round)
        if let early { receiveRound(round, confirm: early) }
    }

    private func begin(_ round: PasskeyRound) {
        state = .awaitingRoundConfirm(round)
        if context.role == .central { owner.send(.confirm(round.ownConfirm)) }
    }

    func receiveRound(_ round: PasskeyRound, confirm: [UInt8]) {
        // A reflection of the local value proves nothing.
        guard confirm != round.ownConfirm else { return fail(.confirmValueFailed) }
        if round.index == 0, !owner.admitsAttempt(on: round.passkey) {
            state = .ended
            return owner.block()
        }
        state = .awaitingRoundNonce(round, confirm: confirm)
        owner.send(context.role == .central ? .random(round.nonce) : .confirm(round.ownConfirm))
    }

    func receiveRound(_ round: PasskeyRound, confirm: [UInt8], nonce: [UInt8]) {
        guard nonce != round.nonce, areEqualInConstantTime(round.peerConfirm(of: nonce), confirm) else {
            return fail(.confirmValueFailed)
        }
        let isLast = round.index + 1 == PasskeyRound.count
        if context.role == .peripheral {
            // The state changes before the packet is sent, so that the response finds it.
            state = isLast ? state : .awaitingRoundConfirm(next(after: round))
            owner.send(.random(round.nonce))
        } else if !isLast {
            begin(next(after: round))
        }
        if isLast { begin(makeCheck(round.keys, own: round.nonce, peer: nonce, passkey: round.passkey)) }
    }

    private func next(after round: PasskeyRound) -> PasskeyRound {
        PasskeyRound(
            keys: round.keys, passkey: round.passkey, index: round.index + 1, nonce: context.random(16))
    }
}
