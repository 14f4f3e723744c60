import BluetoothBackend
import BluetoothRuntime

/// Brings a question from the loop to the delegate and the answer back. Confined to the loop.
final class PairingBridge: PairingHandler {
    private let delegate: any PairingDelegate
    private let loop: RadioLoop
    /// Questions that were not withdrawn.
    private var questions: [PeripheralID: Task<Void, Never>] = [:]
    let capability: PairingCapability
    let passkey: UInt32?
    let tellsKeypresses: Bool
    /// Key presses on their way to the delegate.
    private var presses: Task<Void, Never>?

    init(delegate: any PairingDelegate, loop: RadioLoop) {
        self.delegate = delegate
        self.loop = loop
        capability = delegate.capability
        passkey = delegate.passkey
        tellsKeypresses = delegate.tellsKeypresses
    }

    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void
    ) {
        let (delegate, last) = (delegate, questions[peripheral])
        let answer = LoopAnswer(loop: loop, answer)
        last?.cancel()
        questions[peripheral] = Task {
            // One after the other: the delegate sees the end of a question before the next one.
            await last?.value
            answer.give(await delegate.pairing(with: peripheral, asks: question))
        }
    }

    func passkeyBlocked() {
        let delegate = delegate
        Task { await delegate.passkeyBlocked() }
    }

    func pairing(with peripheral: PeripheralID, heard keypress: Keypress) {
        let (delegate, last) = (delegate, presses)
        presses = Task {
            await last?.value
            await delegate.pairing(with: peripheral, heard: keypress)
        }
    }

    func pairingQuestionWithdrawn(with peripheral: PeripheralID) {
        let (delegate, last) = (delegate, questions[peripheral])
        last?.cancel()
        questions[peripheral] = Task {
            await last?.value
            await delegate.pairingEnded(with: peripheral)
        }
    }
}
