/// The two decimal floating-point formats of medical devices (IEEE 11073-20601): SFLOAT with a 4-bit exponent and a
/// 12-bit mantissa, FLOAT with 8 and 24 bits. Special values have the exponent 0.
public enum MedicalFloat: Hashable, Sendable {
    /// 16 bits.
    case sfloat
    /// 32 bits.
    case float

    private var mantissaBits: Int { self == .sfloat ? 12 : 24 }
    private var exponentBits: Int { self == .sfloat ? 4 : 8 }
    private var mantissaMask: UInt32 { 1 << UInt32(mantissaBits) - 1 }
    private var highestExponent: Int { 1 << (exponentBits - 1) - 1 }
    /// The largest mantissa, which stands for NaN.
    private var highestMantissa: Int64 { 1 << Int64(mantissaBits - 1) - 1 }

    /// The number of bytes.
    public var byteCount: Int { self == .sfloat ? 2 : 4 }

    /// Decodes a bit pattern. An SFLOAT uses the lower 16 bits.
    public func number(bits: UInt32) -> ProfileNumber {
        let mantissa = Int64(Int32(bitPattern: bits << UInt32(32 - mantissaBits)) >> Int32(32 - mantissaBits))
        let top = bits >> UInt32(mantissaBits)
        let exponent = Int(Int32(bitPattern: top << UInt32(32 - exponentBits)) >> Int32(32 - exponentBits))
        if exponent == 0, let special = special(mantissa) { return .special(special) }
        return .finite(ExactDecimal(mantissa, exponent: exponent))
    }

    /// Encodes a number; nil if it does not fit or has the bit pattern of a special value.
    public func bits(_ number: ProfileNumber) -> UInt32? {
        switch number {
        case .special(let special):
            return mantissa(special).map { UInt32(truncatingIfNeeded: $0) & mantissaMask }
        case .finite(let value):
            guard value.mantissa <= highestMantissa, value.mantissa >= -highestMantissa - 1,
                value.exponent <= highestExponent, value.exponent >= -highestExponent - 1,
                value.exponent != 0 || special(value.mantissa) == nil
            else { return nil }
            let exponent = UInt32(truncatingIfNeeded: value.exponent) & (1 << UInt32(exponentBits) - 1)
            return exponent << UInt32(mantissaBits) | UInt32(truncatingIfNeeded: value.mantissa) & mantissaMask
        }
    }

    /// Encodes the number nearest to `value` with at most `decimals` decimal places, fewer if the mantissa is too
    /// small.
    public func bits(_ value: Double, decimals: Int) -> UInt32 {
        let most = min(max(0, decimals), highestExponent)
        for places in (-highestExponent...most).reversed() {
            guard let exact = ExactDecimal(value, decimals: places) else { continue }
            if let bits = bits(.finite(exact)) { return bits }
        }
        let special: ProfileNumber.Special =
            value.isNaN ? .notANumber : value > 0 ? .positiveInfinity : .negativeInfinity
        return mantissa(special).map { UInt32(truncatingIfNeeded: $0) & mantissaMask } ?? 0
    }

    private func special(_ mantissa: Int64) -> ProfileNumber.Special? {
        switch mantissa {
        case highestMantissa: .notANumber
        case highestMantissa - 1: .positiveInfinity
        case -highestMantissa - 1: .notAtThisResolution
        case -highestMantissa: .reserved
        case -highestMantissa + 1: .negativeInfinity
        default: nil
        }
    }

    private func mantissa(_ special: ProfileNumber.Special) -> Int64? {
        switch special {
        case .notANumber: highestMantissa
        case .positiveInfinity: highestMantissa - 1
        case .notAtThisResolution: -highestMantissa - 1
        case .reserved: -highestMantissa
        case .negativeInfinity: -highestMantissa + 1
        case .unknown, .overrun, .underrun, .unspecified: nil
        }
    }
}
