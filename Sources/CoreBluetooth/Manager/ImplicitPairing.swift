import BluetoothBackend
import BluetoothModel

/// Pairs where a value needs it, with nothing to compare: what a program without a user interface of the system can do.
final class ImplicitPairing: PairingHandler {
    let capability = PairingCapability.noInputNoOutput
    let passkey: UInt32? = nil

    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void
    ) {
        answer(question == .confirm ? .accept : .refuse)
    }

    func pairingQuestionWithdrawn(with peripheral: PeripheralID) {}
}
