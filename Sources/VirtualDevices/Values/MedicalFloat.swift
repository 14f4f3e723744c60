import Foundation

/// Floating point numbers to the base of ten, as medical devices send them (IEEE 11073-20601).
public enum MedicalFloat {
    /// The bits of `value` with at most `digits` decimals, fewer where the mantissa has no room for them; NaN and the
    /// infinities have patterns of their own.
    static func encoded(_ value: Double, digits: Int, isShort: Bool) -> UInt32 {
        let (mantissaBits, exponentBits) = isShort ? (UInt32(12), UInt32(4)) : (24, 8)
        // The two highest positive and the two lowest negative mantissas are the special values.
        let limit = Double(1 << (mantissaBits - 1)) - 3
        let mantissaMask: UInt32 = 1 << mantissaBits - 1
        let special = mantissaMask >> 1
        if value.isNaN { return special }
        let highest = isShort ? 7 : 127
        for exponent in -min(max(0, digits), highest)...highest {
            let mantissa = (value * pow(10, Double(-exponent))).rounded()
            guard abs(mantissa) <= limit else { continue }
            let bits = UInt32(bitPattern: Int32(mantissa)) & mantissaMask
            return (UInt32(bitPattern: Int32(exponent)) & (1 << exponentBits - 1)) << mantissaBits | bits
        }
        return value > 0 ? special - 1 : special + 3
    }

    /// The number that a 16-bit pattern stands for; nil for a pattern that is no number.
    public static func value(short bits: UInt16) -> Double? {
        let mantissa = Int32(Int16(bitPattern: bits << 4) >> 4)
        guard abs(mantissa) < 2046, mantissa != -2046 else { return nil }
        return Double(mantissa) * pow(10, Double(Int8(bitPattern: UInt8(bits >> 12) << 4) >> 4))
    }

    /// The number that a 32-bit pattern stands for; nil for a pattern that is no number.
    public static func value(long bits: UInt32) -> Double? {
        let mantissa = Int32(bitPattern: bits << 8) >> 8
        guard abs(mantissa) < 8_388_606 else { return nil }
        return Double(mantissa) * pow(10, Double(Int8(bitPattern: UInt8(bits >> 24))))
    }
}
