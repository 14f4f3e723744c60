import BluetoothProfiles
import Foundation

/// The encoding of a number: "u8", "i16", "u32be", "f32", "sfloat".
///
/// Little-endian, as in GATT, unless the name ends in "be".
public struct NumberFormat: Hashable, Sendable {
    /// The type of a number.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case u8, u16, u24, u32, u48, u64, i8, i16, i24, i32, i48, i64, f32, f64
        /// IEEE 11073-20601 SFLOAT, 16 bits: a 4-bit exponent and a 12-bit mantissa.
        case sfloat
        /// IEEE 11073-20601 FLOAT, 32 bits: an 8-bit exponent and a 24-bit mantissa.
        case medfloat
    }

    /// The type of the number.
    public var kind: Kind
    /// True if the most significant byte comes first.
    public var isBigEndian: Bool

    /// Creates a format.
    public init(_ kind: Kind, isBigEndian: Bool = false) {
        self.kind = kind
        self.isBigEndian = isBigEndian
    }

    /// Creates a format from its name; nil if unknown.
    public init?(_ name: String) {
        let name = name.lowercased()
        if let kind = Kind(rawValue: name) {
            self.init(kind)
        } else if name.hasSuffix("be"), let kind = Kind(rawValue: String(name.dropLast(2))) {
            self.init(kind, isBigEndian: true)
        } else {
            return nil
        }
    }

    /// All names without the suffix "be", for messages.
    public static let names = Kind.allCases.map(\.rawValue)

    /// The number of bytes.
    public var byteCount: Int {
        switch kind {
        case .u8, .i8: 1
        case .u16, .i16, .sfloat: 2
        case .u24, .i24: 3
        case .u32, .i32, .f32, .medfloat: 4
        case .u48, .i48: 6
        case .u64, .i64, .f64: 8
        }
    }

    /// The range of an integer format; nil for floating-point formats.
    var integerRange: (lowest: Int64, highest: UInt64)? {
        let bits = UInt64(byteCount * 8)
        switch kind {
        case .u8, .u16, .u24, .u32, .u48, .u64: return (0, bits == 64 ? .max : 1 << bits - 1)
        case .i8, .i16, .i24, .i32, .i48, .i64:
            return bits == 64 ? (.min, UInt64(Int64.max)) : (-(1 << Int64(bits - 1)), 1 << (bits - 1) - 1)
        case .f32, .f64, .sfloat, .medfloat: return nil
        }
    }

    /// Encodes a number. Integers are rounded and clamped to their range. Medical floats have `digits` decimal places,
    /// fewer if the mantissa is too small.
    public func encoded(_ value: Double, digits: Int = 1) -> [UInt8] {
        switch kind {
        case .f32: return bytes(UInt64(Float(value).bitPattern))
        case .f64: return bytes(value.bitPattern)
        case .sfloat, .medfloat:
            return bytes(UInt64((kind == .sfloat ? MedicalFloat.sfloat : .float).bits(value, decimals: digits)))
        default:
            guard let range = integerRange, !value.isNaN else { return bytes(0) }
            let rounded = value.rounded()
            if rounded < 0 {
                let lowest = Double(range.lowest)
                return bytes(UInt64(bitPattern: rounded <= lowest ? range.lowest : Int64(rounded)))
            }
            return bytes(rounded >= Double(range.highest) ? range.highest : UInt64(rounded))
        }
    }

    /// Returns true if a floating-point format has the number: infinity only where the text says so.
    private func isRepresentable(_ value: Double, from text: String) -> Bool {
        if value.isFinite { return kind != .f32 || Float(value).isFinite }
        return (kind == .f32 || kind == .f64) && !text.contains(where: \.isNumber)
    }

    /// Encodes a number from its text: "72", "-3", "0x1F4", "36.6"; nil if it is malformed or out of range.
    public func encoded(_ text: String) -> [UInt8]? {
        guard let range = integerRange else {
            guard let value = Double(text), isRepresentable(value, from: text) else { return nil }
            let digits = text.split(separator: ".", maxSplits: 1).dropFirst().first.map(\.count) ?? 0
            return encoded(value, digits: min(digits, 7))
        }
        let isNegative = text.hasPrefix("-")
        let magnitudeText = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let isHex = magnitudeText.lowercased().hasPrefix("0x")
        guard let first = (isHex ? magnitudeText.dropFirst(2) : magnitudeText).first, first.isHexDigit,
            let magnitude = UInt64(isHex ? magnitudeText.dropFirst(2) : magnitudeText, radix: isHex ? 16 : 10)
        else { return nil }
        if isNegative {
            guard magnitude <= range.lowest.magnitude else { return nil }
            return bytes(0 &- magnitude)
        }
        return magnitude <= range.highest ? bytes(magnitude) : nil
    }

    private func bytes(_ pattern: UInt64) -> [UInt8] {
        let little = (0..<byteCount).map { UInt8(truncatingIfNeeded: pattern >> UInt64($0 * 8)) }
        return isBigEndian ? little.reversed() : little
    }
}

extension NumberFormat: CustomStringConvertible {
    /// The name of the format.
    public var description: String { kind.rawValue + (isBigEndian ? "be" : "") }
}
