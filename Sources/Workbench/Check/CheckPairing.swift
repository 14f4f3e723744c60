import Harald

struct CheckPairing: Sendable {
    /// The description of the result.
    var outcome: String
    /// The security of the link; none if pairing failed.
    var level = LinkSecurity.Level.none
    var keySize = 0
    /// The reason why the device offers no pairing; nil if it does.
    var refusal: String?

    init(level: LinkSecurity.Level, keySize: Int) {
        (outcome, self.level, self.keySize) = ("\(level)", level, keySize)
    }

    init(outcome: String) { self.outcome = outcome }

    var isPaired: Bool { level != .none }
}

/// A pairing delegate that answers the questions of one association model.
struct ModelPairing: PairingDelegate {
    let capability: PairingCapability
    let answer: @Sendable (PeripheralID, PairingQuestion) async -> PairingAnswer

    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        await answer(peripheral, question)
    }
}
