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
