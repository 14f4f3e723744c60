/// Numbers and counts.
extension FieldCoder {
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

    mutating func wholeNumber<Number: FixedWidthInteger>(
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
        case .scaled(let format, let unit, let offset, let specials):
            return ProfileNumber(count: try take(name, format), of: unit, offset: offset, specials: specials)
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
        case .scaled(let format, let unit, let offset, let specials):
            let count = try value.count(name, of: unit, offset: offset, specials: specials, in: format.range)
            return (count, format)
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
}
