/// Decodes, encodes and describes the fields of a value, one call per field.
public struct FieldCoder {
    private enum Direction { case decoding, encoding }

    /// The flags of a value, which indicate the optional fields that are present.
    private struct Flags {
        var value: UInt32
        /// The offset in the output at which the flags are stored once all fields are encoded.
        var offset: Int
        var format: IntegerFormat
    }

    private let direction: Direction
    private let input: [UInt8]
    private var position = 0
    private var flags: Flags?
    private var lastField = ""
    private var isGroup = false
    /// The encoded bytes.
    private(set) var output: [UInt8] = []
    private let describes: Bool
    /// The described fields.
    private(set) var fields: [Field] = []

    init(decoding bytes: [UInt8], describes: Bool) {
        direction = .decoding
        input = bytes
        self.describes = describes
    }

    init(encodingWith describes: Bool) {
        direction = .encoding
        input = []
        self.describes = describes
    }

    /// True when decoding, false when encoding.
    public var isDecoding: Bool { direction == .decoding }
    /// The number of bytes left to decode; 0 when encoding.
    public var bytesLeft: Int { isDecoding ? input.count - position : 0 }
    /// The bytes that were decoded or encoded so far.
    public var bytesSoFar: ArraySlice<UInt8> { isDecoding ? input[..<position] : output[...] }

    mutating func finish() throws(ValueError) {
        guard !isDecoding || position == input.count else {
            let count = input.count - position
            throw ValueError(
                field: lastField.isEmpty ? "value" : lastField,
                reason: "\(count) byte\(count == 1 ? " follows" : "s follow") the last field")
        }
        placeFlags()
    }

    // MARK: Flags

    /// Codes the flags of the value.
    /// - Parameters:
    ///   - known: the flags with an assigned meaning.
    ///   - reserved: receives the other flags when decoding, provides them when encoding.
    /// - Throws: ``ValueError`` if bytes are missing.
    public mutating func flags(
        _ format: IntegerFormat, known: UInt32, _ reserved: inout ReservedPart
    ) throws(ValueError) {
        if isDecoding {
            let value = UInt32(truncatingIfNeeded: try take("flags", format))
            reserved.flags = value & ~known
            flags = Flags(value: value, offset: 0, format: format)
        } else {
            flags = Flags(value: reserved.flags & ~known, offset: output.count, format: format)
            output += Array(repeating: 0, count: format.byteCount)
        }
        lastField = "flags"
    }

    /// Returns true if a flag is set. When encoding, sets the flag if `condition` holds.
    public mutating func flag(_ bit: Int, when condition: @autoclosure () -> Bool) -> Bool {
        guard isDecoding else {
            let isSet = condition()
            if isSet { flags?.value |= 1 << UInt32(bit) }
            return isSet
        }
        return (flags?.value ?? 0) >> UInt32(bit) & 1 == 1
    }

    /// Codes several flags as one number.
    public mutating func flags(_ bits: Range<Int>, _ value: inout UInt8) {
        let (mask, shift) = (UInt32(1) << UInt32(bits.count) - 1, UInt32(bits.lowerBound))
        if isDecoding {
            value = UInt8(truncatingIfNeeded: (flags?.value ?? 0) >> shift & mask)
        } else {
            flags?.value |= (UInt32(value) & mask) << shift
        }
    }

    /// Codes the bytes after the known fields. They are present only if a reserved flag is set.
    public mutating func rest(_ reserved: inout ReservedPart) {
        if isDecoding {
            guard reserved.flags != 0, position < input.count else { return }
            reserved.bytes = Array(input[position...])
            position = input.count
        } else if reserved.flags != 0 {
            output += reserved.bytes
        }
        if describes, !reserved.bytes.isEmpty { fields.append(Field("reserved", .bytes(reserved.bytes))) }
    }

    private mutating func placeFlags() {
        guard !isDecoding, let flags else { return }
        for index in 0..<flags.format.byteCount {
            output[flags.offset + index] = UInt8(truncatingIfNeeded: flags.value >> UInt32(8 * index))
        }
    }

    // MARK: Numbers

    /// Codes an integer.
    /// - Parameters:
    ///   - range: the range in the specification; nil for all values that fit.
    ///   - specials: the values that are not numbers, and their meanings. `value` holds them unchanged.
    ///   - shown: the description of a value.
    /// - Throws: ``ValueError`` if bytes are missing or the value is out of range.
    public mutating func integer<Number: FixedWidthInteger>(
        _ name: String, _ value: inout Number, _ format: IntegerFormat, unit: GATTUnit? = nil,
        in range: ClosedRange<Int64>? = nil, specials: [Int64: ProfileNumber.Special] = [:],
        shown: (Int64) -> FieldValue = { .integer($0) }
    ) throws(ValueError) {
        let raw = try wholeNumber(name, &value, format, in: range)
        describe(name, specials[raw].map { .number(.special($0)) } ?? shown(raw), unit)
    }

    private mutating func wholeNumber<Number: FixedWidthInteger>(
        _ name: String, _ value: inout Number, _ format: IntegerFormat, in range: ClosedRange<Int64>? = nil
    ) throws(ValueError) -> Int64 {
        let allowed = range ?? format.range
        var raw: Int64
        if isDecoding {
            raw = try take(name, format)
        } else {
            guard let exact = Int64(exactly: value) else {
                throw ValueError(field: name, reason: "\(value) does not fit")
            }
            raw = exact
        }
        guard allowed.contains(raw) else {
            throw ValueError(
                field: name, reason: "\(raw) is outside \(allowed.lowerBound)...\(allowed.upperBound)")
        }
        if isDecoding {
            guard let fitting = Number(exactly: raw) else {
                throw ValueError(field: name, reason: "\(raw) does not fit")
            }
            value = fitting
        } else {
            put(raw, format)
            raw = Int64(value)
        }
        lastField = name
        return raw
    }

    /// Codes a decimal number.
    /// - Throws: ``ValueError`` if bytes are missing, or the layout cannot represent the number.
    public mutating func number(
        _ name: String, _ value: inout ProfileNumber, _ layout: NumberLayout, unit: GATTUnit? = nil
    ) throws(ValueError) {
        if isDecoding {
            value = try takeNumber(name, layout)
        } else {
            let (raw, format) = try pattern(name, value, layout)
            put(raw, format)
        }
        lastField = name
        describe(name, .number(value), unit)
    }

    /// Codes a decimal number without describing it.
    mutating func hiddenNumber(
        _ name: String, _ value: inout ProfileNumber, _ layout: NumberLayout
    ) throws(ValueError) {
        let before = fields
        try number(name, &value, layout)
        fields = before
    }

    private mutating func takeNumber(_ name: String, _ layout: NumberLayout) throws(ValueError) -> ProfileNumber {
        switch layout {
        case .medical(let float):
            let raw = try take(name, float == .sfloat ? .uint16 : .uint32)
            return float.number(bits: UInt32(truncatingIfNeeded: raw))
        case .scaled(let format, let unit, let specials):
            let raw = try take(name, format)
            if let special = specials[raw] { return .special(special) }
            return .finite(ExactDecimal(raw * unit.mantissa, exponent: unit.exponent))
        }
    }

    private func pattern(
        _ name: String, _ value: ProfileNumber, _ layout: NumberLayout
    ) throws(ValueError) -> (Int64, IntegerFormat) {
        switch layout {
        case .medical(let float):
            guard let bits = float.bits(value) else {
                throw ValueError(
                    field: name, reason: "\(value) does not fit in \(float == .sfloat ? "an SFLOAT" : "a FLOAT")")
            }
            return (Int64(bits), float == .sfloat ? .uint16 : .uint32)
        case .scaled(let format, let unit, let specials):
            switch value {
            case .special(let special):
                if let raw = specials.first(where: { $0.value == special })?.key { return (raw, format) }
            case .finite(let exact):
                guard let count = exact.count(of: unit) else {
                    throw ValueError(field: name, reason: "\(exact) is not a multiple of \(unit)")
                }
                guard format.range.contains(count), specials[count] == nil else {
                    throw ValueError(field: name, reason: "\(exact) is out of range")
                }
                return (count, format)
            }
            throw ValueError(field: name, reason: "\(value) cannot be encoded")
        }
    }

    /// Codes an integer multiple of a fraction, such as 1/1024 s.
    /// - Parameter factor: the fraction in `unit`.
    /// - Throws: ``ValueError`` if bytes are missing.
    public mutating func count(
        _ name: String, _ value: inout UInt16, times factor: Double, unit: GATTUnit
    ) throws(ValueError) {
        let raw = try wholeNumber(name, &value, .uint16)
        describe(name, .real(Double(raw) * factor), unit)
    }

    /// Codes all remaining bytes as 16-bit integer multiples of a fraction.
    /// - Parameter factor: the fraction in `unit`.
    /// - Throws: ``ValueError`` if the last one is incomplete.
    public mutating func counts(
        _ name: String, _ values: inout [UInt16], times factor: Double, unit: GATTUnit
    ) throws(ValueError) {
        if isDecoding {
            values = []
            while bytesLeft > 0 { values.append(UInt16(truncatingIfNeeded: try take(name, .uint16))) }
        } else {
            for value in values { put(Int64(value), .uint16) }
        }
        lastField = name
        // The flag may be set although there are no values.
        if !values.isEmpty { describe(name, .list(values.map { .real(Double($0) * factor) }), unit) }
    }

    // MARK: Codes, text, bytes

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

    /// Codes a set of bits as optional octets, the lowest first, each present if its flag is set.
    /// - Parameter bits: the flag of each octet.
    /// - Throws: ``ValueError`` if an octet is missing.
    public mutating func octets<Bits: NamedBits>(
        _ name: String, _ value: inout Bits, bits: [Int]
    ) throws(ValueError) where Bits.RawValue == UInt32 {
        var raw = value.rawValue
        if isDecoding { raw = 0 }
        var isThere = false
        for (index, bit) in bits.enumerated() {
            let shift = UInt32(8 * index)
            guard flag(bit, when: raw >> shift & 0xFF != 0) else { continue }
            var octet = UInt8(truncatingIfNeeded: raw >> shift)
            _ = try wholeNumber(name, &octet, .uint8)
            raw |= UInt32(octet) << shift
            isThere = true
        }
        value = Bits(rawValue: raw)
        if isThere { describe(name, .bits(value.setNames, UInt64(raw))) }
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

    /// Codes all remaining bytes without describing them.
    mutating func hiddenBytes(_ name: String, _ value: inout [UInt8]) throws(ValueError) {
        let before = fields
        try bytes(name, &value)
        fields = before
    }

    // MARK: Optional fields

    /// Codes an integer that is present if a flag is set.
    /// - Throws: ``ValueError`` if bytes are missing or the value is out of range.
    public mutating func integer<Number: FixedWidthInteger>(
        _ name: String, _ value: inout Number?, _ format: IntegerFormat, unit: GATTUnit? = nil,
        in range: ClosedRange<Int64>? = nil, specials: [Int64: ProfileNumber.Special] = [:], bit: Int
    ) throws(ValueError) {
        guard flag(bit, when: value != nil) else { return value = nil }
        var number = value ?? 0
        try integer(name, &number, format, unit: unit, in: range, specials: specials)
        value = number
    }

    /// Codes a decimal number that is present if a flag is set.
    /// - Throws: ``ValueError`` if bytes are missing, or the layout cannot represent the number.
    public mutating func number(
        _ name: String, _ value: inout ProfileNumber?, _ layout: NumberLayout, unit: GATTUnit? = nil, bit: Int
    ) throws(ValueError) {
        guard flag(bit, when: value != nil) else { return value = nil }
        var number = value ?? 0
        try self.number(name, &number, layout, unit: unit)
        value = number
    }

    /// Codes a number with assigned values that is present if a flag is set.
    /// - Throws: ``ValueError`` if bytes are missing or the value does not fit.
    public mutating func code<Code: NamedCode>(
        _ name: String, _ value: inout Code?, _ format: IntegerFormat = .uint8, bit: Int
    ) throws(ValueError) {
        guard flag(bit, when: value != nil) else { return value = nil }
        var code = value ?? Code(rawValue: 0)
        try self.code(name, &code, format)
        value = code
    }

    /// Codes a set of bits that is present if a flag is set.
    /// - Throws: ``ValueError`` if bytes are missing or the value does not fit.
    public mutating func bits<Bits: NamedBits>(
        _ name: String, _ value: inout Bits?, _ format: IntegerFormat, bit: Int
    ) throws(ValueError) {
        guard flag(bit, when: value != nil) else { return value = nil }
        var bits = value ?? []
        try self.bits(name, &bits, format)
        value = bits
    }

    /// Codes a group of fields that is present if a flag is set.
    /// - Throws: ``ValueError`` of a field of the group.
    public mutating func group<Group: FieldGroup>(_ value: inout Group?, bit: Int) throws(ValueError) {
        guard flag(bit, when: value != nil) else { return value = nil }
        var group = value ?? Group()
        try group.code(&self)
        value = group
    }

    /// Codes all remaining bytes as records. The first byte of each is its length, including that byte.
    /// - Throws: ``ValueError`` if a length is wrong, or that of a field of a record.
    public mutating func records<Record: SizedRecord>(_ name: String, _ values: inout [Record]) throws(ValueError) {
        if isDecoding { values = [] }
        var shown: [FieldValue] = []
        var index = 0
        while isDecoding ? bytesLeft > 0 : index < values.count {
            var coder: FieldCoder
            if isDecoding {
                let size = Int(input[position])
                guard size > 0, size <= bytesLeft else {
                    throw ValueError(field: "size", reason: "\(size) bytes, but \(bytesLeft) are left")
                }
                coder = FieldCoder(decoding: Array(input[position + 1..<position + size]), describes: describes)
                var record = Record()
                try record.code(&coder)
                try coder.finish()
                values.append(record)
                position += size
            } else {
                coder = FieldCoder(encodingWith: describes)
                var record = values[index]
                try record.code(&coder)
                try coder.finish()
                guard coder.output.count < 255 else {
                    throw ValueError(field: "size", reason: "the record is too long")
                }
                output += [UInt8(coder.output.count + 1)] + coder.output
            }
            index += 1
            if describes { shown.append(.group(coder.fields)) }
        }
        lastField = name
        describe(name, .list(shown))
    }

    /// Codes a checksum of all preceding bytes, including the length octet of a record.
    /// - Parameters:
    ///   - isThere: true if the checksum is present. When decoding, set if exactly two bytes remain.
    ///   - isRecord: true if a length octet precedes the fields that this coder codes.
    /// - Throws: ``ValueError`` if the checksum is wrong.
    public mutating func checksum(_ name: String, _ isThere: inout Bool, isRecord: Bool = false) throws(ValueError) {
        if isDecoding { isThere = bytesLeft == 2 }
        guard isThere else { return }
        placeFlags()
        let size = isDecoding ? input.count + 1 : output.count + 3
        let crc = CRC16.ccitt((isRecord ? [UInt8(truncatingIfNeeded: size)] : []) + bytesSoFar)
        if isDecoding {
            let sent = try take(name, .uint16)
            guard sent == Int64(crc) else {
                throw ValueError(
                    field: name,
                    reason: "it is 0x\(String(sent, radix: 16)), but the bytes give 0x\(String(crc, radix: 16))")
            }
        } else {
            put(Int64(crc), .uint16)
        }
        lastField = name
    }

    /// Codes a group of fields and describes them as one field.
    /// - Throws: ``ValueError`` of a field of the group.
    public mutating func group<Group: FieldGroup>(_ name: String, _ value: inout Group) throws(ValueError) {
        let before = fields
        fields = []
        try value.code(&self)
        let inner = fields
        fields = before
        describe(name, .group(inner))
    }

    /// Codes a date and time.
    /// - Throws: ``ValueError`` if bytes are missing or a part is out of range.
    public mutating func time(_ name: String, _ value: inout DateTime) throws(ValueError) {
        let before = fields
        try value.code(&self, name: name)
        fields = before
        lastField = name
        describe(name, .time(value))
    }

    /// Codes a date.
    /// - Throws: ``ValueError`` if bytes are missing or a part is out of range.
    public mutating func date(_ name: String, _ value: inout DateTime) throws(ValueError) {
        let before = fields
        try value.codeDate(&self, name: name)
        fields = before
        lastField = name
        describe(name, .text(value.dateText))
    }

    /// Codes a date and time that is present if a flag is set.
    /// - Throws: ``ValueError`` if bytes are missing or a part is out of range.
    public mutating func time(_ name: String, _ value: inout DateTime?, bit: Int) throws(ValueError) {
        guard flag(bit, when: value != nil) else { return value = nil }
        var time = value ?? DateTime()
        try self.time(name, &time)
        value = time
    }

    /// Describes a field without bytes of its own, which is computed from others or is part of the flags.
    public mutating func describe(_ name: String, _ value: @autoclosure () -> FieldValue, _ unit: GATTUnit? = nil) {
        if describes { fields.append(Field(name, value(), unit: unit)) }
    }

    // MARK: Bytes

    private func need(_ count: Int, _ name: String) throws(ValueError) {
        guard bytesLeft >= count else {
            throw ValueError(
                field: name, reason: "\(count) byte\(count == 1 ? "" : "s") needed, \(bytesLeft) left")
        }
    }

    private mutating func take(_ name: String, _ format: IntegerFormat) throws(ValueError) -> Int64 {
        try need(format.byteCount, name)
        var raw: Int64 = 0
        for index in 0..<format.byteCount { raw |= Int64(input[position + index]) << Int64(8 * index) }
        position += format.byteCount
        let unused = Int64(64 - 8 * format.byteCount)
        return format.isSigned ? (raw << unused) >> unused : raw
    }

    private mutating func put(_ raw: Int64, _ format: IntegerFormat) {
        for index in 0..<format.byteCount { output.append(UInt8(truncatingIfNeeded: raw >> Int64(8 * index))) }
    }
}
