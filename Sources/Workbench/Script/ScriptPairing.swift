import Harald
import Synchronization

/// Answers questions of pairing with the devices that steps pair with, and refuses all others.
package final class ScriptPairing: PairingDelegate {
    package let capability: PairingCapability
    /// The passkeys of the devices that may pair; nil for a device without one.
    private let devices = Mutex<[PeripheralID: UInt32?]>([:])

    /// - Parameter entersPasskeys: True if a step has a passkey. The capability is then keyboard only: the peer
    ///   displays a passkey, and numeric comparison is not possible.
    package init(entersPasskeys: Bool) { capability = entersPasskeys ? .keyboardOnly : .displayYesNo }

    package func allow(_ peripheral: PeripheralID, passkey: UInt32?) {
        devices.withLock { $0[peripheral] = .some(passkey) }
    }

    package func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        guard let passkey = devices.withLock({ $0[peripheral] }) else { return .refuse }
        switch question {
        case .confirm, .compare, .display: return .accept
        case .enterPasskey: return passkey.map { .passkey($0) } ?? .refuse
        }
    }
}
