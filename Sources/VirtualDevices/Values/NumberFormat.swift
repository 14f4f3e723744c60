import BluetoothProfiles
import Foundation

/// How a number is laid out in the bytes of a value: "u8", "i16", "u32be", "f32", "sfloat".
///
/// Bytes are in little-endian order, as in GATT, unless the name ends in "be".
public struct NumberFormat: Hashable, Sendable {
    /// What kind of number it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case u8, u16, u24, u32, u48, u64, i8, i16, i24, i32, i48, i64, f32, f64
        /// The 16-bit floating point number of medical devices (IEEE 11073-20601): 4 bits of exponent, 12 of mantissa.
        case sfloat
        /// The 32-bit floating point number of medical devices (IEEE 11073-20601): 8 bits of exponent, 24 of mantissa.
        case medfloat
    }

    /// What kind of number it is.
    public var kind: Kind
    /// Whether the most significant byte comes first.
    public var isBigEndian: Bool

    /// A layout.
    public init(_ kind: Kind, isBigEndian: Bool = false) {
        self.kind = kind
        self.isBigEndian = isBigEndian
    }

    /// The layout that `name` names; nil for an unknown name.
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

    /// All names without "be", for messages.
    public static let names = Kind.allCases.map(\.rawValue)

    /// How many bytes a number takes.
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

    /// What an integer may be; nil for floating point.
    var integerRange: (lowest: Int64, highest: UInt64)? {
        let bits = UInt64(byteCount * 8)
        switch kind {
        case .u8, .u16, .u24, .u32, .u48, .u64: return (0, bits == 64 ? .max : 1 << bits - 1)
        case .i8, .i16, .i24, .i32, .i48, .i64:
            return bits == 64 ? (.min, UInt64(Int64.max)) : (-(1 << Int64(bits - 1)), 1 << (bits - 1) - 1)
        case .f32, .f64, .sfloat, .medfloat: return nil
        }
    }

    /// The bytes of `value`: an integer is rounded and held to its range; a medical float keeps `digits` decimals where
    /// they fit.
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

    /// The bytes of a number as a person writes it: "72", "-3", "0x1F4", "36.6"; nil where it is none or does not fit.
    public func encoded(_ text: String) -> [UInt8]? {
        guard let range = integerRange else {
            guard let value = Double(text), value.isFinite || kind == .f32 || kind == .f64 else { return nil }
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
    /// The name.
    public var description: String { kind.rawValue + (isBigEndian ? "be" : "") }
}
