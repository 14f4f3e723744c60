import Foundation

/// JSON that is being written, in UTF-8.
struct JSONOutput {
    /// The octets that were written.
    private(set) var octets: [UInt8] = []

    private mutating func append(_ json: String) { octets.append(contentsOf: json.utf8) }

    /// Writes a value, with the members of objects in alphabetical order.
    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let flag): append(flag ? "true" : "false")
        case .int(let number): append(String(number))
        case .number(let number): append(Self.text(number))
        case .decimal(let digits): append(digits)
        case .string(let string): quote(string)
        case .array(let list):
            append("[")
            for (index, value) in list.enumerated() {
                if index > 0 { append(",") }
                write(value)
            }
            append("]")
        case .object(let object):
            append("{")
            for (index, (name, value)) in object.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { append(",") }
                quote(name)
                append(":")
                write(value)
            }
            append("}")
        }
    }

    /// JSON has no representation of NaN and infinity, so they become strings.
    private static func text(_ value: Double) -> String {
        if value.isNaN { return "\"nan\"" }
        if value.isInfinite { return value < 0 ? "\"-inf\"" : "\"inf\"" }
        return digits(value)
    }

    /// Returns the digits of a finite number. Fifteen survive the conversion to binary; further ones are rounding
    /// errors.
    static func digits(_ value: Double) -> String {
        let digits = Double(String(format: "%.15g", value)) ?? value
        return Int64(exactly: digits).map { String($0) } ?? String(digits)
    }

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
