import BluetoothProfiles

extension NumberFormat {
    /// Returns the number in `bytes`, in decimal digits: "500", "-3", "1.5", "36.6"; or the name of a special value of
    /// a floating point format: "nan", "inf", "NRes". Returns nil unless there are ``byteCount`` bytes.
    public func decoded(_ bytes: some BidirectionalCollection<UInt8>) -> String? {
        guard bytes.count == byteCount else { return nil }
        let little = isBigEndian ? Array(bytes.reversed()) : Array(bytes)
        var pattern: UInt64 = 0
        for (index, byte) in little.enumerated() { pattern |= UInt64(byte) << UInt64(8 * index) }
        switch kind {
        case .u8, .u16, .u24, .u32, .u48, .u64: return String(pattern)
        case .i8, .i16, .i24, .i32, .i48, .i64:
            let unused = Int64(64 - 8 * byteCount)
            return String(Int64(bitPattern: pattern << UInt64(unused)) >> unused)
        case .f32: return Self.shortened("\(Float(bitPattern: UInt32(truncatingIfNeeded: pattern)))")
        case .f64: return Self.shortened("\(Double(bitPattern: pattern))")
        case .sfloat, .medfloat:
            let format = kind == .sfloat ? MedicalFloat.sfloat : .float
            return format.number(bits: UInt32(truncatingIfNeeded: pattern)).description
        }
    }

    /// Digits without a fraction of zero.
    private static func shortened(_ digits: String) -> String {
        digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
    }
}
