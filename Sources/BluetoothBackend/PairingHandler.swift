import BluetoothModel

/// A question that pairing asks the user.
public enum PairingQuestion: Hashable, Sendable {
    /// Pair at all, with nothing to compare?
    case confirm
    /// Show this number, which the other device asks for (0 to 999999).
    case display(passkey: UInt32)
    /// Which number does the other device show?
    case enterPasskey
    /// Do both devices show this number (0 to 999999)?
    case compare(number: UInt32)
}

/// The user's answer.
public enum PairingAnswer: Hashable, Sendable {
    /// No.
    case refuse
    /// Yes, or it is shown.
    case accept
    /// The number that was entered, 0 to 999999.
    case passkey(UInt32)
}

/// Answers questions about pairing; confined to the loop.
public protocol PairingHandler: AnyObject {
    /// Asks; `answer` may be called later, once.
    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void)
}
