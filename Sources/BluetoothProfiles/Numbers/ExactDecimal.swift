/// A decimal number that preserves its precision: 2.0 differs from 2.00.
///
/// Its value is ``mantissa`` times ten to the power of ``exponent``.
public struct ExactDecimal: Hashable, Sendable {
    /// The digits, as a signed integer.
    public var mantissa: Int64
    /// The power of ten; -1 for one decimal place.
    public var exponent: Int

    /// Creates a number from its digits and power of ten.
    public init(_ mantissa: Int64, exponent: Int = 0) {
        self.mantissa = mantissa
        self.exponent = exponent
    }

    /// Creates the number nearest to `value` with the given decimal places; nil if it is not finite or has more than 18
    /// digits.
    public init?(_ value: Double, decimals: Int) {
        guard let scaled = Self.scaled(value, by: decimals) else { return nil }
        self.init(scaled, exponent: -decimals)
    }

    private static func scaled(_ value: Double, by decimals: Int) -> Int64? {
        guard (-300...18).contains(decimals) else { return nil }
        let power = powerOfTen(abs(decimals))
        let scaled = (decimals >= 0 ? value * power : value / power).rounded()
        guard scaled.isFinite, abs(scaled) < 1e18 else { return nil }
        return Int64(scaled)
    }

    /// The nearest floating-point number.
    public var double: Double {
        // A single division or multiplication of exact operands is rounded once. 10^22 is the largest exact power.
        exponent >= 0 ? Double(mantissa) * Self.powerOfTen(exponent) : Double(mantissa) / Self.powerOfTen(-exponent)
    }

    private static func powerOfTen(_ exponent: Int) -> Double {
        var result = 1.0
        var (base, left) = (10.0, exponent)
        while left > 0 {
            if left & 1 == 1 { result *= base }
            base *= base
            left >>= 1
        }
        return result
    }

    /// Returns the number as a multiple of `unit`; nil if it is not an integer multiple.
    func count(of unit: ExactDecimal) -> Int64? {
        var (numerator, denominator) = (mantissa, unit.mantissa)
        var shift = exponent - unit.exponent
        if numerator == 0 { return 0 }
        while shift != 0 {
            let (product, overflow) =
                shift > 0
                ? numerator.multipliedReportingOverflow(by: 10) : denominator.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            if shift > 0 {
                numerator = product
                shift -= 1
            } else {
                denominator = product
                shift += 1
            }
        }
        return numerator.isMultiple(of: denominator) ? numerator / denominator : nil
    }
}

extension ExactDecimal: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self.init(value) }

    /// Parses a number and preserves its decimal places: "36.60". Nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        let digits = parts.first.map { $0.drop { $0 == "-" } } ?? ""
        guard !digits.isEmpty, parts.count == 1 || !decimals.isEmpty, digits.utf8.allSatisfy(Self.isDigit),
            decimals.utf8.allSatisfy(Self.isDigit), let mantissa = Int64(String(parts[0]) + decimals)
        else { return nil }
        self.init(mantissa, exponent: -decimals.count)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The number with all its digits: "36.60", "2E+2", "1E-8".
    public var description: String {
        let sign = mantissa < 0 ? "-" : ""
        let digits = String(mantissa.magnitude)
        // The power of ten of the first digit.
        let adjusted = exponent + digits.count - 1
        guard exponent > 0 || adjusted < -6 else {
            let decimals = -exponent
            if decimals == 0 { return sign + digits }
            let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
            return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
        }
        let fraction = digits.count > 1 ? ".\(digits.dropFirst())" : ""
        return "\(sign)\(digits.prefix(1))\(fraction)E\(adjusted < 0 ? "-" : "+")\(abs(adjusted))"
    }
}
