import BluetoothModel

/// A question to the user during pairing.
package enum SecurityQuestion: Hashable, Sendable {
    /// Asks for consent to a pairing without anything to compare, which the other device started.
    case confirm
    /// Displays this passkey, 0 to 999999, to be entered on the other device. Pairing continues meanwhile; only the
    /// answer `refuse` has an effect.
    case display(passkey: UInt32)
    /// Asks for the passkey that the other device displays.
    case enterPasskey
    /// Asks if both devices display this number, 0 to 999999.
    case compare(number: UInt32)
    /// Asks if the bond of this device may be replaced, although the peer has not proved that it has the key of the
    /// bond. It also asks for consent to pair.
    case replaceBond(BluetoothAddress)
}

/// The user's answer to a question.
package enum SecurityAnswer: Hashable, Sendable {
    /// The user refused.
    case refuse
    /// The user accepted, or the passkey is displayed.
    case accept
    /// The passkey that was entered, 0 to 999999.
    case passkey(UInt32)
}

extension SecurityQuestion: CustomStringConvertible {
    /// The question without its number, which is secret until pairing has ended.
    package var description: String {
        switch self {
        case .confirm: "confirm"
        case .display: "display a passkey"
        case .enterPasskey: "enter a passkey"
        case .compare: "compare numbers"
        case .replaceBond(let identity): "replace the bond with \(identity)"
        }
    }
}

extension SecurityAnswer: CustomStringConvertible {
    /// The answer without the passkey.
    package var description: String {
        switch self {
        case .refuse: "refuse"
        case .accept: "accept"
        case .passkey: "a passkey"
        }
    }
}
