/// What the second phase leads to.
extension Pairing: PhaseOwner {
    func send(_ packet: SecurityPacket) { owner.send(packet) }

    func ask(_ question: SecurityQuestion) { owner.ask(question) }

    func agreed(on key: [UInt8], isDebug: Bool) {
        guard case .authenticating(let agreement, _) = state else { return }
        let masked = SecurityKey(made: key).masked(to: agreement.keySize)
        guard !masked.isDegenerate(size: agreement.keySize) else { return fail(.unspecifiedReason) }
        state = .awaitingEncryption(agreement, PairingKey(key: masked, isDebug: isDebug))
        if setting.role == .central {
            owner.encrypt(with: PairingKey(key: masked, isDebug: isDebug), strength: agreement.strength)
        }
    }

    func fail(_ reason: PairingFailureReason) {
        if case .ended = state { return }
        owner.send(.failed(reason))
        end(.refused(reason))
    }

    func cancel(_ reason: PairingFailureReason) {
        if case .ended = state { return }
        owner.send(.failed(reason))
        end(.cancelled)
    }
}
