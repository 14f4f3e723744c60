extension UInt8 {
    /// The value of a hexadecimal digit in ASCII, in either case; nil for any other character.
    package init?(hexDigit character: UInt8) {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = character - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self = character - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self = character - UInt8(ascii: "a") + 10
        default: return nil
        }
    }
}

extension [UInt8] {
    /// Creates octets from pairs of hexadecimal digits in either case, without separators; nil for any other text.
    package init?(hexDigits text: some StringProtocol) {
        var octets: [UInt8] = []
        octets.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let digit = UInt8(hexDigit: character) else { return nil }
            if let first = high {
                octets.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return nil }
        self = octets
    }
}

extension FixedWidthInteger {
    /// Parses a decimal number, or a hexadecimal one with the prefix `0x` or `0X`; nil for any other text.
    package init?(decimalOrHex text: some StringProtocol) {
        let isHex = text.hasPrefix("0x") || text.hasPrefix("0X")
        guard let value = isHex ? Self(text.dropFirst(2), radix: 16) : Self(text, radix: 10) else { return nil }
        self = value
    }
}

extension BinaryInteger {
    /// Returns the number in uppercase hexadecimal, padded with zeros to at least `digits` digits.
    package func hexText(digits: Int) -> String {
        let text = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
