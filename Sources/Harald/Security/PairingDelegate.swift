import BluetoothBackend

/// Answers the questions of pairing for a program's user; refusing is always possible.
public protocol PairingDelegate: Sendable {
    /// Asks one question about pairing with `peripheral`. The other side waits 30 s at most.
    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer
}

/// Brings a question from the loop to the delegate and the answer back.
final class PairingBridge: PairingHandler {
    private let delegate: any PairingDelegate
    private let radio: Radio

    init(delegate: any PairingDelegate, radio: Radio) {
        self.delegate = delegate
        self.radio = radio
    }

    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void
    ) {
        let delegate = delegate
        let answer = LoopAnswer(loop: radio.loop, answer)
        Task { answer.give(await delegate.pairing(with: peripheral, asks: question)) }
    }
}
