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

extension PairingQuestion: CustomStringConvertible, CustomReflectable {
    /// The question without the number, which is a secret until pairing has ended.
    public var description: String {
        switch self {
        case .confirm: "confirm"
        case .display: "display a passkey"
        case .enterPasskey: "enter a passkey"
        case .compare: "compare numbers"
        }
    }
    /// Shows no number either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PairingAnswer: CustomStringConvertible, CustomReflectable {
    /// The answer without the number.
    public var description: String {
        switch self {
        case .refuse: "refuse"
        case .accept: "accept"
        case .passkey: "a passkey"
        }
    }
    /// Shows no number either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Answers questions about pairing; confined to the loop.
public protocol PairingHandler: AnyObject {
    /// What can be shown and entered, which decides what is asked.
    var capability: PairingCapability { get }
    /// The fixed passkey, 0 to 999999, that is shown because it is printed on the device, or that is entered because it is
    /// known beforehand; nil for a fresh one each time. After three failed attempts it is refused.
    var passkey: UInt32? { get }
    /// Whether the user's key presses are told while a passkey is entered, where the peer does that too.
    var tellsKeypresses: Bool { get }
    /// Whether the handler answers without asking a person. A peer's request to pair goes to the oldest user of the
    /// link whose handler asks somebody, and to one that decides alone only where there is no other.
    var decidesAlone: Bool { get }
    /// Asks; `answer` may be called later, once.
    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void)
    /// The question that was asked last needs no answer any more: pairing went on or ended. A number that is shown
    /// stays until then.
    func pairingQuestionWithdrawn(with peripheral: PeripheralID)
    /// The fixed passkey is refused from now on, because three attempts on it failed.
    func passkeyBlocked()
    /// The peer's user does something while entering the passkey that is shown here.
    func pairing(with peripheral: PeripheralID, heard keypress: Keypress)
}

extension PairingHandler {
    /// They are not.
    public var tellsKeypresses: Bool { false }
    /// It asks.
    public var decidesAlone: Bool { false }
    /// Nothing.
    public func passkeyBlocked() {}
    /// Nothing.
    public func pairing(with peripheral: PeripheralID, heard keypress: Keypress) {}
}

/// What can be shown to the user, and what the user can enter.
public enum PairingCapability: Hashable, Sendable, CaseIterable {
    /// Neither: only pairing without anything to compare, which does not protect from somebody in the middle.
    case noInputNoOutput
    /// Six digits can be shown.
    case displayOnly
    /// Six digits can be shown, and the user can say yes or no.
    case displayYesNo
    /// The user can enter six digits.
    case keyboardOnly
    /// Six digits can be shown, and the user can enter six.
    case keyboardDisplay
}
