/// A number of a profile: a decimal number with its precision, or one of the values that are none.
public enum ProfileNumber: Hashable, Sendable {
    /// A number.
    case finite(ExactDecimal)
    /// What a device sends instead of a number.
    case special(Special)

    /// Values that are no numbers: those of the medical floating point formats (IEEE 11073-20601; Personal Health
    /// Devices Transcoding, 2.2), and those that the specification of a field defines.
    public enum Special: String, Hashable, Sendable, CaseIterable {
        /// The result of a calculation that has none, or a failed measurement.
        case notANumber = "NaN"
        /// A number that cannot be told with the resolution at hand.
        case notAtThisResolution = "NRes"
        /// More than the largest number.
        case positiveInfinity = "+INF"
        /// Less than the smallest number.
        case negativeInfinity = "-INF"
        /// A pattern kept for future use.
        case reserved = "reserved"
        /// The device does not know.
        case unknown = "unknown"
        /// More than the field can hold.
        case overrun = "overrun"
        /// Less than the field can hold.
        case underrun = "underrun"
        /// The device states no preference.
        case unspecified = "unspecified"
    }

    /// A number from its digits and its power of ten.
    public init(_ mantissa: Int64, exponent: Int = 0) { self = .finite(ExactDecimal(mantissa, exponent: exponent)) }

    /// The number nearest to `value` with so many decimals; ``Special/notANumber`` and the infinities for what is none.
    public init(_ value: Double, decimals: Int) {
        if let exact = ExactDecimal(value, decimals: decimals) {
            self = .finite(exact)
        } else if value.isNaN {
            self = .special(.notANumber)
        } else {
            self = .special(value > 0 ? .positiveInfinity : .negativeInfinity)
        }
    }

    /// The number; nil where it is none.
    public var exact: ExactDecimal? {
        if case .finite(let value) = self { return value }
        return nil
    }

    /// The number as floating point; nil where it is none.
    public var value: Double? { exact?.double }

    /// Why it is no number; nil where it is one.
    public var special: Special? {
        if case .special(let special) = self { return special }
        return nil
    }
}

extension ProfileNumber {
    /// The number in a unit that is so many powers of ten smaller, with the digits that are known; whole where it can
    /// be.
    func moved(by powers: Int) -> ProfileNumber {
        guard let exact else { return self }
        let moved = ExactDecimal(exact.mantissa, exponent: exact.exponent + powers)
        // "10 g" and not "1E+1 g".
        guard moved.exponent > 0, let whole = moved.count(of: 1) else { return .finite(moved) }
        return .finite(ExactDecimal(whole))
    }
}

extension ProfileNumber: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// A whole number.
    public init(integerLiteral value: Int64) { self.init(value) }

    /// The digits, or the name of the special value.
    public var description: String {
        switch self {
        case .finite(let value): value.description
        case .special(let special): special.rawValue
        }
    }
}
