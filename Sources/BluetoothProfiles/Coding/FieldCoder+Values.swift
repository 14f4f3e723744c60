import BluetoothModel

/// Codes, text and bytes.
extension FieldCoder {
    /// Codes a number with assigned values.
    /// - Throws: ``ValueError`` if bytes are missing or the value does not fit.
    public mutating func code<Code: NamedCode>(
        _ name: String, _ value: inout Code, _ format: IntegerFormat = .uint8
    ) throws(ValueError) {
        var raw = value.rawValue
        let number = try wholeNumber(name, &raw, format)
        value = Code(rawValue: raw)
        describe(name, .code(number, value.name))
    }

    /// Codes two 4-bit numbers in one byte, the lower half first.
    /// - Throws: ``ValueError`` if the byte is missing, or a number has more than 4 bits.
    public mutating func nibbles<Low: NamedCode, High: NamedCode>(
        _ lowName: String, _ low: inout Low, _ highName: String, _ high: inout High
    ) throws(ValueError) where Low.RawValue == UInt8, High.RawValue == UInt8 {
        guard isDecoding || low.rawValue < 16 else { throw ValueError(field: lowName, reason: "more than 4 bits") }
        guard isDecoding || high.rawValue < 16 else { throw ValueError(field: highName, reason: "more than 4 bits") }
        var both = low.rawValue & 15 | high.rawValue << 4
        _ = try wholeNumber(lowName, &both, .uint8)
        (low, high) = (Low(rawValue: both & 15), High(rawValue: both >> 4))
        lastField = highName
        describe(lowName, .code(Int64(low.rawValue), low.name))
        describe(highName, .code(Int64(high.rawValue), high.name))
    }

    /// Codes a set of bits.
    /// - Throws: ``ValueError`` if bytes are missing or the value does not fit.
    public mutating func bits<Bits: NamedBits>(
        _ name: String, _ value: inout Bits, _ format: IntegerFormat
    ) throws(ValueError) {
        var raw = value.rawValue
        let number = try wholeNumber(name, &raw, format)
        value = Bits(rawValue: raw)
        describe(name, .bits(value.setNames, UInt64(number)))
    }

    /// Codes a set of bits as optional octets, the lowest first, each present if its flag is set. An octet without bits
    /// means the same as a missing one.
    /// - Parameter bits: the flag of each octet.
    /// - Throws: ``ValueError`` if an octet is missing.
    public mutating func octets<Bits: NamedBits>(
        _ name: String, _ value: inout Bits, bits: [Int]
    ) throws(ValueError) where Bits.RawValue == UInt32 {
        var raw = value.rawValue
        if isDecoding { raw = 0 }
        for (index, bit) in bits.enumerated() {
            let shift = UInt32(8 * index)
            guard flag(bit, when: raw >> shift & 0xFF != 0) else { continue }
            var octet = UInt8(truncatingIfNeeded: raw >> shift)
            _ = try wholeNumber(name, &octet, .uint8)
            raw |= UInt32(octet) << shift
        }
        value = Bits(rawValue: raw)
        if raw != 0 { describe(name, .bits(value.setNames, UInt64(raw))) }
    }

    /// Codes a time zone in quarters of an hour from UTC, -48 to 56; -128 if unknown (GATT Specification Supplement,
    /// 3.226).
    /// - Throws: ``ValueError`` if the byte is missing.
    public mutating func timeZone(_ name: String, _ value: inout Int8) throws(ValueError) {
        _ = try wholeNumber(name, &value, .int8)
        let shown: FieldValue =
            switch value {
            case -128: .number(.special(.unknown))
            case -48...56: .real(Double(value) / 4)
            default: .number(.special(.reserved))
            }
        describe(name, shown, .hours)
    }

    /// Codes all remaining bytes as UTF-8 text. When decoding, removes trailing zeros, which some devices send.
    /// - Throws: ``ValueError`` if the bytes are not UTF-8.
    public mutating func text(_ name: String, _ value: inout String) throws(ValueError) {
        if isDecoding {
            var bytes = input[position...]
            position = input.count
            while bytes.last == 0 { bytes = bytes.dropLast() }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ValueError(field: name, reason: "the bytes are not UTF-8 text")
            }
            value = text
        } else {
            output += Array(value.utf8)
        }
        lastField = name
        describe(name, .text(value))
    }

    /// Codes uninterpreted bytes.
    /// - Parameter count: the number of bytes; nil for all that remain.
    /// - Throws: ``ValueError`` if there are fewer bytes, or `value` has another count.
    public mutating func bytes(_ name: String, _ value: inout [UInt8], count: Int? = nil) throws(ValueError) {
        if isDecoding {
            let length = count ?? bytesLeft
            try need(length, name)
            value = Array(input[position..<position + length])
            position += length
        } else {
            if let count, value.count != count {
                throw ValueError(field: name, reason: "\(value.count) bytes, but \(count) are required")
            }
            output += value
        }
        lastField = name
        describe(name, .bytes(value))
    }

    /// Codes bytes that are the same in every value, without describing them.
    /// - Parameter isChecked: false if other bytes are accepted when decoding.
    /// - Throws: ``ValueError`` if there are other bytes.
    public mutating func constant(_ name: String, _ constant: [UInt8], isChecked: Bool = true) throws(ValueError) {
        var bytes = constant
        try hiddenBytes(name, &bytes, count: constant.count)
        guard bytes == constant || !isChecked else {
            throw ValueError(field: name, reason: "\(bytes.hexText()) instead of \(constant.hexText())")
        }
    }

    /// Codes a UUID of 16 bytes.
    /// - Throws: ``ValueError`` if there are fewer bytes.
    public mutating func uuid(_ name: String, _ value: inout BluetoothUUID) throws(ValueError) {
        var writer = ByteWriter(capacity: 16)
        value.write128(to: &writer)
        var bytes = isBigEndian ? writer.bytes.reversed() : writer.bytes
        try hiddenBytes(name, &bytes, count: 16)
        let ordered = isBigEndian ? bytes.reversed() : bytes
        value = ordered.withByteView { BluetoothUUID(littleEndian: $0) } ?? value
        describe(name, .text(value.fullText))
    }

    /// Codes `count` bytes, or all that remain, without describing them.
    mutating func hiddenBytes(_ name: String, _ value: inout [UInt8], count: Int? = nil) throws(ValueError) {
        let before = fields
        try bytes(name, &value, count: count)
        fields = before
    }
}
