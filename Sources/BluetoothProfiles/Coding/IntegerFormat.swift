/// How a whole number is laid out: so many bytes, the least significant first, with a sign or without.
public enum IntegerFormat: Hashable, Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case uint8, int8, uint16, int16, uint24, int24, uint32, int32, uint40, uint48

    /// How many bytes it takes.
    public var byteCount: Int {
        switch self {
        case .uint8, .int8: 1
        case .uint16, .int16: 2
        case .uint24, .int24: 3
        case .uint32, .int32: 4
        case .uint40: 5
        case .uint48: 6
        }
    }

    var isSigned: Bool {
        switch self {
        case .int8, .int16, .int24, .int32: true
        default: false
        }
    }

    /// What fits.
    public var range: ClosedRange<Int64> {
        let bits = Int64(byteCount * 8)
        return isSigned ? -(1 << (bits - 1))...(1 << (bits - 1) - 1) : 0...(1 << bits - 1)
    }
}

/// How a decimal number is laid out.
public enum NumberLayout: Hashable, Sendable {
    /// A floating point number of medical devices.
    case medical(MedicalFloat)
    /// A count of `unit`; `specials` are the counts that are no numbers.
    case scaled(IntegerFormat, ExactDecimal, specials: [Int64: ProfileNumber.Special] = [:])

    /// 16 bits: IEEE 11073 SFLOAT.
    public static let sfloat = NumberLayout.medical(.sfloat)
    /// 32 bits: IEEE 11073 FLOAT.
    public static let float = NumberLayout.medical(.float)

    /// A count of powers of ten: `.decimal(.int16, -2)` are hundredths.
    ///
    /// `unknown` is the count that means that the number is not known; nil where there is none.
    public static func decimal(_ format: IntegerFormat, _ exponent: Int, unknown: Int64? = nil) -> NumberLayout {
        .scaled(
            format, ExactDecimal(1, exponent: exponent),
            specials: unknown.map { [$0: ProfileNumber.Special.unknown] } ?? [:])
    }
}
