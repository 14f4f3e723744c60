/// The input and output capability of a device (Core 6.0, Vol 3, Part H, 2.3.2).
package enum IOCapability: UInt8, Hashable, Sendable, CaseIterable {
    /// The device can display six digits.
    case displayOnly = 0
    /// The device can display six digits, and the user can answer yes or no.
    case displayYesNo = 1
    /// The user can enter six digits.
    case keyboardOnly = 2
    /// No input and no output.
    case noInputNoOutput = 3
    /// The device can display six digits, and the user can enter six digits.
    case keyboardDisplay = 4
}
