import BluetoothModel

/// A question of pairing to the user.
public enum PairingQuestion: Hashable, Sendable {
    /// Confirm pairing, with nothing to compare.
    case confirm
    /// Display this passkey, 0 to 999999, which is entered on the other device.
    case display(passkey: UInt32)
    /// Enter the passkey that the other device displays.
    case enterPasskey
    /// Confirm that both devices display this number, 0 to 999999.
    case compare(number: UInt32)
}

/// The user's answer.
public enum PairingAnswer: Hashable, Sendable {
    /// Refuses pairing.
    case refuse
    /// Accepts, or confirms that the passkey is displayed.
    case accept
    /// The entered passkey, 0 to 999999.
    case passkey(UInt32)
}

extension PairingQuestion: CustomStringConvertible, CustomReflectable {
    /// The question without the number, which is secret until pairing has ended.
    public var description: String {
        switch self {
        case .confirm: "confirm"
        case .display: "display a passkey"
        case .enterPasskey: "enter a passkey"
        case .compare: "compare numbers"
        }
    }
    /// The mirror has no children, so a dump does not contain the number.
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
    /// The mirror has no children, so a dump does not contain the number.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

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
    /// Keeps the bond.
    package func pairing(with peripheral: PeripheralID, replacesBond answer: @escaping (Bool) -> Void) { answer(false) }
    /// Does nothing.
    package func passkeyBlocked() {}
    /// Does nothing.
    package func pairing(with peripheral: PeripheralID, heard keypress: Keypress) {}
}

/// The input and output capability of the user interface.
public enum PairingCapability: Hashable, Sendable, CaseIterable {
    /// Neither input nor output. Only Just Works is possible, which does not protect against a man in the middle.
    case noInputNoOutput
    /// Six digits can be displayed.
    case displayOnly
    /// Six digits can be displayed, and the user can confirm or refuse.
    case displayYesNo
    /// The user can enter six digits.
    case keyboardOnly
    /// Six digits can be displayed, and the user can enter six digits.
    case keyboardDisplay
}
