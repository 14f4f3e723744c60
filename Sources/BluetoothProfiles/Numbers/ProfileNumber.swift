/// A number of a profile: a decimal number with its precision, or one of the values that are none.
public enum ProfileNumber: Hashable, Sendable {
    /// A number.
    case finite(ExactDecimal)
    /// What a device sends instead of a number.
    case special(Special)

    /// Values that are no numbers (IEEE 11073-20601; Personal Health Devices Transcoding, 2.2).
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
