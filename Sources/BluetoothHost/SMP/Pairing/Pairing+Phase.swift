/// The results of the second phase.
extension Pairing: PhaseOwner {
    func send(_ packet: SecurityPacket) { owner.send(packet) }

    func ask(_ question: SecurityQuestion) { owner.ask(question) }

    func admitsAttempt(on passkey: UInt32) -> Bool {
        // A random passkey is used only once, so its attempts need no limit.
        guard passkey == parameters.passkey else { return true }
        guard parameters.limiter.begin(passkey) else { return false }
        countedPasskey = passkey
        return true
    }

    func block() {
        if case .ended = state { return }
        owner.send(.failed(.repeatedAttempts))
        end(.passkeyBlocked)
    }

    func agreed(on key: [UInt8], isDebug: Bool) {
        guard case .authenticating(let agreement, _) = state else { return }
        if let countedPasskey { parameters.limiter.succeed(countedPasskey) }
        countedPasskey = nil
        let masked = SecurityKey(made: key).masked(to: agreement.keySize)
        guard !masked.isDegenerate(size: agreement.keySize) else { return fail(.unspecifiedReason) }
        state = .awaitingEncryption(agreement, PairingKey(key: masked, isDebug: isDebug))
        owner.reached(.encryption)
        if parameters.role == .central {
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
