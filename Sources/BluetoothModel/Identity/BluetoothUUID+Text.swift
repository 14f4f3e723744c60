extension BluetoothUUID {
    /// Parses a UUID in either case: `180D`, `0x180D`, `0000180D`, `0x0000180D` or the form of 36 characters.
    ///
    /// Swift treats `BluetoothUUID("180D")` with a string literal as a literal of this type, which is not optional and
    /// traps if malformed. Other strings return nil if malformed.
    public init?(_ text: String) {
        var digits = text.utf8[...]
        if digits.count != 36, digits.starts(with: [0x30, 0x78]) || digits.starts(with: [0x30, 0x58]) {  // 0x, 0X
            digits = digits.dropFirst(2)
            guard digits.count != 36 else { return nil }
        }
        switch digits.count {
        case 4, 8:
            guard let value = Self.number(digits) else { return nil }
            self.init(UInt32(truncatingIfNeeded: value))
        case 36:
            var groups: [UInt64] = []
            var rest = digits
            for length in [8, 4, 4, 4, 12] {
                if !groups.isEmpty { guard rest.popFirst() == 0x2D else { return nil } }  // -
                guard let value = Self.number(rest.prefix(length)) else { return nil }
                groups.append(value)
                rest = rest.dropFirst(length)
            }
            self.init(high: groups[0] << 32 | groups[1] << 16 | groups[2], low: groups[3] << 48 | groups[4])
        default:
            return nil
        }
    }

    /// Parses at most 16 hexadecimal digits. Unlike `UInt64(_:radix:)`, rejects a sign.
    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        var value: UInt64 = 0
        for character in digits {
            guard let digit = UInt8(hexDigit: character) else { return nil }
            value = value << 4 | UInt64(digit)
        }
        return value
    }

    /// The form of 36 characters in uppercase.
    public var fullText: String {
        let text = high.hexText(digits: 16) + low.hexText(digits: 16)
        var result = ""
        result.reserveCapacity(36)
        for (index, digit) in text.utf8.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { result += "-" }
            result.unicodeScalars.append(Unicode.Scalar(digit))
        }
        return result
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// The shortest form in uppercase: `180D`, `12345678` or 36 characters.
    public var description: String {
        guard let mediumValue else { return fullText }
        return mediumValue.hexText(digits: shortValue == nil ? 8 : 4)
    }
}

extension BluetoothUUID: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// Creates a UUID from a literal. A malformed literal is a programming error and traps.
    public init(stringLiteral text: String) {
        guard let uuid = BluetoothUUID(text) else {
            // Proof: only a literal of the source can have this value, and the declaration documents the stop.
            preconditionFailure(
                "\"\(text)\" is not a UUID: expected a form such as 180D, 0000180D or all 36 characters")
        }
        self = uuid
    }

    /// Creates a 16-bit or 32-bit UUID from a literal.
    @inlinable
    public init(integerLiteral value: UInt32) { self.init(value) }
}

extension BluetoothUUID: Codable {
    /// Decodes the text form.
    /// - Throws: `DecodingError` if the value is not the text of a UUID.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let uuid = BluetoothUUID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not a Bluetooth UUID")
        }
        self = uuid
    }

    /// Encodes the shortest text form.
    /// - Throws: the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
