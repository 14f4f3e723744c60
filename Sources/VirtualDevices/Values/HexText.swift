extension [UInt8] {
    /// Parses hexadecimal digits: "AA BB", "AABB", "0xAABB", "AA:BB", "aa-bb"; nil if malformed.
    public init?(hexText text: String) {
        var bytes: [UInt8] = []
        for var group in text.split(whereSeparator: { $0.isWhitespace || $0 == ":" || $0 == "-" || $0 == "," }) {
            if group.hasPrefix("0x") || group.hasPrefix("0X") { group = group.dropFirst(2) }
            // A single digit is a byte only if it stands alone: "0 1 A".
            if group.count == 1 { group = "0" + group }
            guard group.count.isMultiple(of: 2) else { return nil }
            while !group.isEmpty {
                guard group.prefix(2).allSatisfy(\.isHexDigit), let byte = UInt8(group.prefix(2), radix: 16) else {
                    return nil
                }
                bytes.append(byte)
                group = group.dropFirst(2)
            }
        }
        self = bytes
    }
}
