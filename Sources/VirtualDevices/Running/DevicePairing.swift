import Harald

/// Pairs like a device without a display: with its fixed passkey, else with every central by Just Works.
struct DevicePairing: PairingDelegate {
    let passkey: UInt32?
    private let replacesBonds: Bool
    var capability: PairingCapability { passkey == nil ? .noInputNoOutput : .displayOnly }

    init(_ file: DeviceFile) { (passkey, replacesBonds) = (file.passkey, file.replacesBonds) }

    func replacesBond(with peripheral: PeripheralID) async -> Bool { replacesBonds }

    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        switch question {
        case .confirm, .display: .accept
        // Never asked of these capabilities.
        case .enterPasskey, .compare: .refuse
        }
    }
}
