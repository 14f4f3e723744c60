/// The fields of a packet, declared in one line of text: `link:link reason:reason`. Hyphens in names become spaces.
///
/// A layout states what of a packet may be shown: every field whose format is not ``Format/hidden(_:)``. Octets that
/// belong to no field are concealed.
package struct PacketLayout: Sendable {
    /// The encoding of a field in a packet, and its form in text.
    package enum Format: Hashable, Sendable {
        case number(Int), signed, hex(Int)
        /// A time of `bytes` bytes in units of `unit` microseconds.
        case time(bytes: Int, unit: Int)
        case seconds
        /// The number of repetitions of the rest, or a bit field with one repetition per set bit.
        case count, phys
        case phy, code([String]), code16([String])
        case status, reason, link, version, company, level
        case address, plainAddress
        case bytes(Int)
        /// Bytes that are not shown, such as keys. The value is their number; nil for all that follow.
        case hidden(Int?)
        /// Advertising data with a length byte, padded to `padded` bytes.
        case advertising(padded: Int?)
        /// Advertising data without a length, up to the end.
        case structures
        case text, rest, channels
        /// The following fields repeat. The last count is the number of repetitions.
        case repetition
    }

    package struct Field: Hashable, Sendable {
        package let name: String
        package let format: Format
    }

    package let fields: [Field]

    /// The layout of a packet without keys, which is shown as it is.
    static let plain = PacketLayout(fields: [Field(name: "", format: .rest)])

    private init(fields: [Field]) { self.fields = fields }

    /// Parses a declaration; returns nil if a format is unknown.
    package init?(_ text: Substring) {
        var fields: [Field] = []
        for word in text.split(separator: " ") {
            let parts = word.split(separator: ":", maxSplits: 1)
            let name = parts[0].split(separator: "-").joined(separator: " ")
            guard let format = Self.format(parts.count == 2 ? parts[1] : parts[0]) else { return nil }
            fields.append(Field(name: name, format: format))
        }
        self.fields = fields
    }

    private static let formats: [Substring: Format] = [
        "u8": .number(1), "u16": .number(2), "u24": .number(3), "u32": .number(4), "x8": .hex(1), "x16": .hex(2),
        "x64": .hex(8), "625us": .time(bytes: 2, unit: 625), "625us24": .time(bytes: 3, unit: 625),
        "1250us": .time(bytes: 2, unit: 1250), "10ms": .time(bytes: 2, unit: 10_000), "us": .time(bytes: 2, unit: 1),
        "us24": .time(bytes: 3, unit: 1), "seconds": .seconds, "count": .count, "phys": .phys, "phy": .phy,
        "status": .status, "reason": .reason, "link": .link, "version": .version, "company": .company, "dbm": .level,
        "addr": .address, "bdaddr": .plainAddress, "key": .hidden(16), "hidden": .hidden(nil),
        "ad": .advertising(padded: nil), "ad31": .advertising(padded: 31), "structures": .structures, "text": .text,
        "rest": .rest, "channels": .channels, "repeat": .repetition,
    ]

    private static func format(_ word: Substring) -> Format? {
        if let known = formats[word] { return known }
        if word.hasPrefix("hidden") { return Int(word.dropFirst(6)).map { .hidden($0) } }
        if word.hasPrefix("bytes") { return Int(word.dropFirst(5)).map { .bytes($0) } }
        guard word.contains("|") else { return nil }
        let is16 = word.hasPrefix("16|")
        let names = (is16 ? word.dropFirst(3) : word).split(separator: "|").map {
            $0.split(separator: "-").joined(separator: " ")
        }
        return is16 ? .code16(names) : .code(names)
    }
}
