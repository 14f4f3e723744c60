import Harald

/// The owner of a simulated device: accepts pairing without a comparison, also with a central that lost its bond.
struct SimulatedOwner: PairingDelegate {
    let capability = PairingCapability.noInputNoOutput

    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        question == .confirm ? .accept : .refuse
    }

    func replacesBond(with peripheral: PeripheralID) async -> Bool { true }
}
