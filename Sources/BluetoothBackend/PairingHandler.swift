import BluetoothModel

/// Answers the questions of pairing. Confined to the loop.
package protocol PairingHandler: AnyObject {
    /// The input and output capability, which decides the questions.
    var capability: PairingCapability { get }
    /// The fixed passkey, 0 to 999999: displayed if it is printed on the device, entered if it is known beforehand. Nil
    /// for a new random passkey in each pairing. After three failed attempts it is refused.
    var passkey: UInt32? { get }
    /// True to exchange keypress notifications during passkey entry, where the peer supports them too.
    var tellsKeypresses: Bool { get }
    /// True if the handler answers without asking a person. A pairing request of a peer goes to the oldest user of the
    /// link whose handler asks a person; if there is none, to the oldest whose handler decides alone.
    var decidesAlone: Bool { get }
    /// Returns false if an operation that the peripheral refuses for want of security must fail instead of starting a
    /// pairing.
    func permitsPairing(with peripheral: PeripheralID) -> Bool
    /// Asks a question; `answer` may be called later, once.
    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void)
    /// Asks if a new pairing may replace the bond with `peripheral`, which has not proved that it has the key of the
    /// bond; `answer` may be called later, once.
    func pairing(with peripheral: PeripheralID, replacesBond answer: @escaping (Bool) -> Void)
    /// Called when the last question needs no answer any more, because pairing continued or ended. A displayed passkey
    /// remains displayed until then.
    func pairingQuestionWithdrawn(with peripheral: PeripheralID)
    /// Called when the fixed passkey is refused from now on, because three attempts on it failed.
    func passkeyBlocked()
    /// Called for each keypress of the person who enters, on the peer, the passkey that is displayed here.
    func pairing(with peripheral: PeripheralID, heard keypress: Keypress)
}

extension PairingHandler {
    /// No keypress notifications.
    package var tellsKeypresses: Bool { false }
    /// Asks a person.
    package var decidesAlone: Bool { false }
    /// Permits pairing.
    package func permitsPairing(with peripheral: PeripheralID) -> Bool { true }
    /// Keeps the bond.
    package func pairing(with peripheral: PeripheralID, replacesBond answer: @escaping (Bool) -> Void) { answer(false) }
    /// Does nothing.
    package func passkeyBlocked() {}
    /// Does nothing.
    package func pairing(with peripheral: PeripheralID, heard keypress: Keypress) {}
}
