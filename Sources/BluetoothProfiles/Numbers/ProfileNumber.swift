/// A decimal number with its precision, or a special value.
public enum ProfileNumber: Hashable, Sendable {
    /// A number.
    case finite(ExactDecimal)
    /// A special value in place of a number.
    case special(Special)

    /// Special values: those of the medical floating-point formats (IEEE 11073-20601; Personal Health Devices
    /// Transcoding, 2.2), and those that the specification of a field defines.
    public enum Special: String, Hashable, Sendable, CaseIterable {
        /// The result of an undefined calculation, or a failed measurement.
        case notANumber = "NaN"
        /// A number that cannot be represented at this resolution.
        case notAtThisResolution = "NRes"
        /// The number exceeds the largest representable number.
        case positiveInfinity = "+INF"
        /// The number is below the smallest representable number.
        case negativeInfinity = "-INF"
        /// A pattern reserved for future use.
        case reserved = "reserved"
        /// The value is unknown.
        case unknown = "unknown"
        /// The value exceeds the field's maximum.
        case overrun = "overrun"
        /// The value is below the field's minimum.
        case underrun = "underrun"
        /// No preference.
        case unspecified = "unspecified"
    }

    /// Creates a number from its digits and power of ten.
    public init(_ mantissa: Int64, exponent: Int = 0) { self = .finite(ExactDecimal(mantissa, exponent: exponent)) }

    /// Creates the number nearest to `value` with the given decimal places; ``Special/notANumber`` for NaN, else an
    /// infinity if it is not finite or has more than 18 digits.
    public init(_ value: Double, decimals: Int) {
        if let exact = ExactDecimal(value, decimals: decimals) {
            self = .finite(exact)
        } else if value.isNaN {
            self = .special(.notANumber)
        } else {
            self = .special(value > 0 ? .positiveInfinity : .negativeInfinity)
        }
    }

    /// The number; nil for a special value.
    public var exact: ExactDecimal? {
        if case .finite(let value) = self { return value }
        return nil
    }

    /// The nearest floating-point number; nil for a special value.
    public var value: Double? { exact?.double }

    /// The special value; nil for a number.
    public var special: Special? {
        if case .special(let special) = self { return special }
        return nil
    }
}

extension ProfileNumber {
    /// Returns the number in a unit that is smaller by `powers` powers of ten, with the same digits. Without an
    /// exponent if the result is an integer.
    func moved(by powers: Int) -> ProfileNumber {
        guard let exact else { return self }
        let moved = ExactDecimal(exact.mantissa, exponent: exact.exponent + powers)
        // "10 g" rather than "1E+1 g".
        guard moved.exponent > 0, let whole = moved.count(of: 1) else { return .finite(moved) }
        return .finite(ExactDecimal(whole))
    }
}

/// Numbers as integer multiples of a unit.
extension ProfileNumber {
    /// Creates the number that the integer `count` stands for; ``Special/notAtThisResolution`` if it has more digits
    /// than an exact number can have.
    init(count: Int64, of unit: ExactDecimal, offset: Int64, specials: [Int64: Special]) {
        if let special = specials[count] {
            self = .special(special)
        } else {
            let (sum, isSumTooLarge) = count.addingReportingOverflow(offset)
            let (product, isTooLarge) = sum.multipliedReportingOverflow(by: unit.mantissa)
            self =
                isSumTooLarge || isTooLarge
                ? .special(.notAtThisResolution) : .finite(ExactDecimal(product, exponent: unit.exponent))
        }
    }

    /// Returns the integer that stands for the number.
    /// - Throws: ``ValueError`` for `name` if there is none within `range`.
    func count(
        _ name: String, of unit: ExactDecimal, offset: Int64, specials: [Int64: Special], in range: ClosedRange<Int64>
    ) throws(ValueError) -> Int64 {
        switch self {
        case .special(let special):
            if let raw = specials.first(where: { $0.value == special })?.key { return raw }
        case .finite(let exact):
            guard let multiple = exact.count(of: unit) else {
                throw ValueError(field: name, reason: "\(exact) is not a multiple of \(unit)")
            }
            let (count, isOverflow) = multiple.subtractingReportingOverflow(offset)
            guard !isOverflow, range.contains(count), specials[count] == nil else {
                throw ValueError(field: name, reason: "\(exact) is out of range")
            }
            return count
        }
        throw ValueError(field: name, reason: "\(self) cannot be encoded")
    }
}

extension ProfileNumber: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self.init(value) }

    /// The number with all its digits, or the name of the special value.
    public var description: String {
        switch self {
        case .finite(let value): value.description
        case .special(let special): special.rawValue
        }
    }
}
