import BluetoothBackend
import BluetoothRuntime

/// Passes questions from the loop to the delegate, and the answers back. Confined to the loop.
final class PairingBridge: PairingHandler {
    private let delegate: any PairingDelegate
    private let loop: RadioLoop
    /// The last task of each peripheral, which asks a question or reports its end.
    private var questions: [PeripheralID: Task<Void, Never>] = [:]
    let capability: PairingCapability
    let passkey: UInt32?
    let tellsKeypresses: Bool
    /// The last task that delivers a keypress to the delegate.
    private var presses: Task<Void, Never>?

    init(delegate: any PairingDelegate, loop: RadioLoop) {
        self.delegate = delegate
        self.loop = loop
        capability = delegate.capability
        passkey = delegate.passkey
        tellsKeypresses = delegate.tellsKeypresses
    }

    func permitsPairing(with peripheral: PeripheralID) -> Bool {
        (delegate as? any PairingGate)?.permitsPairing(with: peripheral) ?? true
    }

    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void
    ) {
        ask(peripheral, answer) { await $0.pairing(with: peripheral, asks: question) }
    }

    func pairing(with peripheral: PeripheralID, replacesBond answer: @escaping (Bool) -> Void) {
        ask(peripheral, answer) { await $0.replacesBond(with: peripheral) }
    }

    private func ask<Answer: Sendable>(
        _ peripheral: PeripheralID, _ answer: @escaping (Answer) -> Void,
        _ question: @escaping @Sendable (any PairingDelegate) async -> Answer
    ) {
        let (delegate, last) = (delegate, questions[peripheral])
        let answer = LoopAnswer(loop: loop, answer)
        last?.cancel()
        questions[peripheral] = Task(executorPreference: loop.handlerExecutor) {
            // In sequence: the delegate receives the end of a question before the next one.
            await last?.value
            answer.give(await question(delegate))
        }
    }

    func passkeyBlocked() {
        let delegate = delegate
        Task(executorPreference: loop.handlerExecutor) { await delegate.passkeyBlocked() }
    }

    func pairing(with peripheral: PeripheralID, heard keypress: Keypress) {
        let (delegate, last) = (delegate, presses)
        presses = Task(executorPreference: loop.handlerExecutor) {
            await last?.value
            await delegate.pairing(with: peripheral, heard: keypress)
        }
    }

    func pairingQuestionWithdrawn(with peripheral: PeripheralID) {
        let (delegate, last) = (delegate, questions[peripheral])
        last?.cancel()
        questions[peripheral] = Task(executorPreference: loop.handlerExecutor) {
            await last?.value
            await delegate.pairingEnded(with: peripheral)
        }
    }
}
