import Foundation

/// The alignment of a value in a column.
public struct OSLogStringAlignment: Sendable {
    private enum Side { case none, left, right }

    private let side: Side
    private let columns: @Sendable () -> Int

    /// No padding.
    public static var none: OSLogStringAlignment { OSLogStringAlignment(side: .none) { 0 } }
    /// Left-aligned in a column of `columns` characters.
    public static func left(columns: @autoclosure @escaping @Sendable () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(side: .left, columns: columns)
    }
    /// Right-aligned in a column of `columns` characters.
    public static func right(columns: @autoclosure @escaping @Sendable () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(side: .right, columns: columns)
    }

    private init(side: Side, columns: @escaping @Sendable () -> Int) {
        self.side = side
        self.columns = columns
    }

    func aligned(_ text: String) -> String {
        let padding = String(repeating: " ", count: max(0, bounded(columns()) - text.count))
        return side == .right ? padding + text : text + padding
    }
}

/// A number of columns or digits, within reasonable limits.
private func bounded(_ number: Int) -> Int { min(max(number, 0), 1000) }

/// The format of an integer.
public struct OSLogIntegerFormatting: Sendable {
    private var radix = 10
    private var prefix = ""
    private var isUppercase = false
    private var hasSign = false
    private var digits = 0

    /// Decimal digits.
    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting() }
    /// Hexadecimal digits.
    public static var hex: OSLogIntegerFormatting { .hex() }
    /// Octal digits.
    public static var octal: OSLogIntegerFormatting { .octal() }

    /// Decimal, with at least `minDigits` digits, and a plus sign for positive numbers if `explicitPositiveSign` is
    /// true.
    public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 0) -> OSLogIntegerFormatting {
        var format = OSLogIntegerFormatting()
        (format.hasSign, format.digits) = (explicitPositiveSign, minDigits)
        return format
    }

    /// Hexadecimal, with at least `minDigits` digits, with or without the prefix "0x".
    public static func hex(
        explicitPrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0
    ) -> OSLogIntegerFormatting {
        var format = OSLogIntegerFormatting()
        format.radix = 16
        format.prefix = explicitPrefix ? "0x" : ""
        (format.isUppercase, format.digits) = (uppercase, minDigits)
        return format
    }

    /// Octal, with at least `minDigits` digits, with or without the prefix "0o".
    public static func octal(
        explicitPrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0
    ) -> OSLogIntegerFormatting {
        var format = OSLogIntegerFormatting()
        format.radix = 8
        format.prefix = explicitPrefix ? "0o" : ""
        (format.isUppercase, format.digits) = (uppercase, minDigits)
        return format
    }

    func text(_ number: some FixedWidthInteger) -> String {
        var text = String(number.magnitude, radix: radix, uppercase: isUppercase)
        text = String(repeating: "0", count: max(0, bounded(digits) - text.count)) + text
        return (number < 0 ? "-" : hasSign ? "+" : "") + prefix + text
    }
}

/// The format of a floating-point number.
public struct OSLogFloatFormatting: Sendable {
    private let conversion: String
    private let precision: @Sendable () -> Int
    private let hasSign: Bool

    private init(_ conversion: String, hasSign: Bool = false, _ precision: @escaping @Sendable () -> Int = { 6 }) {
        self.conversion = conversion
        self.hasSign = hasSign
        self.precision = precision
    }

    /// Six digits after the point.
    public static var fixed: OSLogFloatFormatting { OSLogFloatFormatting("f") }
    /// Six digits after the point, and an exponent.
    public static var exponential: OSLogFloatFormatting { OSLogFloatFormatting("e") }
    /// Fixed or exponential, whichever is shorter.
    public static var hybrid: OSLogFloatFormatting { OSLogFloatFormatting("g") }
    /// Hexadecimal digits.
    public static var hex: OSLogFloatFormatting { OSLogFloatFormatting("a") }

    /// Fixed-point, with this number of digits after the decimal point.
    public static func fixed(
        precision: @autoclosure @escaping @Sendable () -> Int = 6, explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(uppercase ? "F" : "f", hasSign: explicitPositiveSign, precision)
    }

    /// Exponential, with this number of digits after the decimal point.
    public static func exponential(
        precision: @autoclosure @escaping @Sendable () -> Int = 6, explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(uppercase ? "E" : "e", hasSign: explicitPositiveSign, precision)
    }

    /// Fixed-point or exponential, whichever is shorter, with this number of digits.
    public static func hybrid(
        precision: @autoclosure @escaping @Sendable () -> Int = 6, explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(uppercase ? "G" : "g", hasSign: explicitPositiveSign, precision)
    }

    func text(_ number: Double) -> String {
        let digits = conversion == "a" ? "" : ".\(bounded(precision()))"
        return String(format: "%\(hasSign ? "+" : "")\(digits)\(conversion)", number)
    }
}

/// The form of a truth value.
public enum OSLogBoolFormat: Hashable, Sendable {
    /// "true" or "false".
    case truth
    /// "yes" or "no".
    case answer

    func text(_ value: Bool) -> String {
        switch self {
        case .truth: value ? "true" : "false"
        case .answer: value ? "yes" : "no"
        }
    }
}
