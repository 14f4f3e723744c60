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
