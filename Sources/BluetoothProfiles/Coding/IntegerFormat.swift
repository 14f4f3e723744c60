/// The layout of an integer: size and signedness. Little-endian.
public enum IntegerFormat: Hashable, Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case uint8, int8, uint16, int16, uint24, int24, uint32, int32, uint40, uint48

    /// The number of bytes.
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

    /// The values that fit.
    public var range: ClosedRange<Int64> {
        let bits = Int64(byteCount * 8)
        return isSigned ? -(1 << (bits - 1))...(1 << (bits - 1) - 1) : 0...(1 << bits - 1)
    }
}

/// The layout of a decimal number.
public enum NumberLayout: Hashable, Sendable {
    /// An IEEE 11073 floating-point number.
    case medical(MedicalFloat)
    /// An integer multiple of a unit, to which `offset` is added first; `specials` are the integers that stand for
    /// special values.
    case scaled(
        IntegerFormat, ExactDecimal, offset: Int64 = 0, specials: [Int64: ProfileNumber.Special] = [:])

    /// IEEE 11073 SFLOAT, 16 bits.
    public static let sfloat = NumberLayout.medical(.sfloat)
    /// IEEE 11073 FLOAT, 32 bits.
    public static let float = NumberLayout.medical(.float)

    /// An integer multiple of a power of ten: `.decimal(.int16, -2)` has a resolution of 0.01.
    ///
    /// `unknown` is the integer that stands for an unknown value; nil if there is none.
    public static func decimal(_ format: IntegerFormat, _ exponent: Int, unknown: Int64? = nil) -> NumberLayout {
        .multiple(format, of: ExactDecimal(1, exponent: exponent), unknown: unknown)
    }

    /// An integer multiple of `unit`, to which `offset` is added first: `.multiple(.uint16, of: 1, offset: 50_000)`
    /// starts at 50,000.
    ///
    /// `unknown` is the integer that stands for an unknown value; nil if there is none.
    public static func multiple(
        _ format: IntegerFormat, of unit: ExactDecimal, offset: Int64 = 0, unknown: Int64? = nil
    ) -> NumberLayout {
        .scaled(format, unit, offset: offset, specials: unknown.map { [$0: ProfileNumber.Special.unknown] } ?? [:])
    }
}
