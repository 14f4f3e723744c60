import BluetoothModel

extension [UInt8] {
    /// Parses hexadecimal digits: "AA BB", "AABB", "0xAABB", "AA:BB", "aa-bb"; nil if malformed.
    public init?(hexText text: String) {
        var bytes: [UInt8] = []
        for var group in text.split(whereSeparator: { $0.isWhitespace || $0 == ":" || $0 == "-" || $0 == "," }) {
            if group.hasPrefix("0x") || group.hasPrefix("0X") { group = group.dropFirst(2) }
            // A single digit is a byte only if it stands alone: "0 1 A".
            if group.count == 1 { group = "0" + group }
            guard let octets = [UInt8](hexDigits: group) else { return nil }
            bytes += octets
        }
        self = bytes
    }
}

extension [UInt8?] {
    /// Parses a pattern of pairs of hexadecimal digits, and `??`, which is nil here, for any byte; nil if malformed.
    package init?(hexPattern text: Substring) {
        var (bytes, rest) = ([UInt8?](), text)
        while !rest.isEmpty {
            let pair = rest.prefix(2)
            rest = rest.dropFirst(2)
            if pair == "??" {
                bytes.append(nil)
            } else {
                guard let octets = [UInt8](hexDigits: pair), let octet = octets.first else { return nil }
                bytes.append(octet)
            }
        }
        self = bytes
    }
}
