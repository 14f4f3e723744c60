import Harald

/// Pairs as a device without a screen does: with the passkey that is printed on it, else with whoever wants to.
struct DevicePairing: PairingDelegate {
    let passkey: UInt32?
    var capability: PairingCapability { passkey == nil ? .noInputNoOutput : .displayOnly }

    init(_ file: DeviceFile) { passkey = file.passkey }

    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        switch question {
        case .confirm, .display: .accept
        // Nothing that it could have been asked.
        case .enterPasskey, .compare: .refuse
        }
    }
}
