/// What pairing asks the user.
public enum SecurityQuestion: Hashable, Sendable {
    /// Pair at all, with nothing to compare? Asked where the other device began.
    case confirm
    /// Show this number, which the other device asks for, 0 to 999999. Pairing goes on meanwhile; only `refuse`
    /// matters.
    case display(passkey: UInt32)
    /// Which number does the other device show?
    case enterPasskey
    /// Do both devices show this number, 0 to 999999?
    case compare(number: UInt32)
}

/// The user's answer.
public enum SecurityAnswer: Hashable, Sendable {
    /// No.
    case refuse
    /// Yes, or it is shown.
    case accept
    /// The number that was entered, 0 to 999999.
    case passkey(UInt32)
}

extension SecurityQuestion: CustomStringConvertible {
    /// The question without the number, which is a secret until pairing has ended.
    public var description: String {
        switch self {
        case .confirm: "confirm"
        case .display: "display a passkey"
        case .enterPasskey: "enter a passkey"
        case .compare: "compare numbers"
        }
    }
}

extension SecurityAnswer: CustomStringConvertible {
    /// The answer without the number.
    public var description: String {
        switch self {
        case .refuse: "refuse"
        case .accept: "accept"
        case .passkey: "a passkey"
        }
    }
}
