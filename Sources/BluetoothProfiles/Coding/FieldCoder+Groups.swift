/// Optional fields, groups of fields, records and times.
extension FieldCoder {
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
        forms.merge(Group.forms) { own, _ in own }
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
                coder = FieldCoder(
                    decoding: Array(input[position + 1..<position + size]), describes: describes, forms: Record.forms)
                var record = Record()
                try record.code(&coder)
                try coder.finish()
                values.append(record)
                position += size
            } else {
                coder = FieldCoder(encodingWith: describes, forms: Record.forms)
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
        forms.merge(Group.forms) { own, _ in own }
        try value.code(&self)
        let inner = fields
        fields = before
        describe(name, .group(inner))
    }

    /// Codes a date and time.
    /// - Throws: ``ValueError`` if bytes are missing or a part is out of range.
    public mutating func time(_ name: String, _ value: inout DateTime) throws(ValueError) {
        let (before, start) = (fields, position)
        do throws(ValueError) {
            try value.code(&self, name: name)
        } catch {
            guard isDecoding, invalidTimes != nil, input.count - start >= DateTime.byteCount else { throw error }
            invalidTimes?.append(start)
            (value, position) = (DateTime(), start + DateTime.byteCount)
        }
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
        guard describes else { return }
        var field = Field(name, value(), unit: unit)
        field.form = forms[name]
        fields.append(field)
    }

    /// Describes a field without bytes of its own at an index of the fields, of which later ones are moved.
    mutating func describe(_ name: String, _ value: FieldValue, at index: Int) {
        if describes { fields.insert(Field(name, value), at: index) }
    }
}
