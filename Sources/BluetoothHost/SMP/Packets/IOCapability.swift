/// What a device can show, and what its user can enter (Core 6.0, Vol 3, Part H, 2.3.2).
public enum IOCapability: UInt8, Hashable, Sendable, CaseIterable {
    /// It shows six digits.
    case displayOnly = 0
    /// It shows six digits, and the user can say yes or no.
    case displayYesNo = 1
    /// The user can enter six digits.
    case keyboardOnly = 2
    /// Neither.
    case noInputNoOutput = 3
    /// It shows six digits, and the user can enter six.
    case keyboardDisplay = 4
}
