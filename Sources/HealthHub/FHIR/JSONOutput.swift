#if Programs
/// JSON that is being written, in UTF-8.
struct JSONOutput {
    private(set) var octets: [UInt8] = []

    /// Creates an empty output with room for this number of octets.
    init(capacity: Int = 0) { octets.reserveCapacity(capacity) }

    /// Appends text that is JSON.
    mutating func append(_ json: String) { octets.append(contentsOf: json.utf8) }

    /// Writes an object with members in this order.
    mutating func write(_ members: [(name: String, value: JSONText)]) {
        append("{")
        for (index, member) in members.enumerated() {
            if index > 0 { append(",") }
            quote(member.name)
            append(":")
            write(member.value)
        }
        append("}")
    }

    /// Writes a string, or null.
    mutating func write(_ string: String?) {
        if let string { quote(string) } else { append("null") }
    }

    /// Writes a value, with the members of objects in alphabetical order.
    mutating func write(_ value: JSONText) {
        switch value {
        case .null: append("null")
        case .flag(let flag): append(flag ? "true" : "false")
        case .number(let digits): append(digits)
        case .text(let string): quote(string)
        case .list(let list):
            append("[")
            for (index, value) in list.enumerated() {
                if index > 0 { append(",") }
                write(value)
            }
            append("]")
        case .object(let object):
            write(object.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
    }

    /// Writes a string.
    private mutating func quote(_ string: String) {
        append("\"")
        let start = octets.count
        append(string)
        if octets[start...].contains(where: Self.mayNeedEscape) {
            octets.removeSubrange(start...)
            for scalar in string.unicodeScalars { appendEscaped(scalar) }
        }
        append("\"")
    }

    /// Returns true for an octet of a character that ``appendEscaped(_:)`` may write in another form.
    private static func mayNeedEscape(_ octet: UInt8) -> Bool {
        octet < 0x20 || octet > 0x7E || octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append("\\\"")
        case "\\": append("\\\\")
        case "\n": append("\\n")
        case "\r": append("\\r")
        case "\t": append("\\t")
        case _ where scalar.value < 0x20 || scalar.value == 0x7F || (0x2028...0x2029).contains(scalar.value):
            let hex = String(scalar.value, radix: 16)
            append("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
        default: octets.append(contentsOf: scalar.utf8)
        }
    }
}
#endif
