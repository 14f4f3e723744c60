#if Programs
import Foundation

/// A JSON value whose numbers keep their digits: 36.60 stays 36.60, as FHIR requires.
package indirect enum JSONText: Sendable, Equatable {
    case null
    case flag(Bool)
    /// The digits in the text.
    case number(String)
    case text(String)
    case list([JSONText])
    case object([String: JSONText])

    /// The member of an object with this name; nil for other values.
    package subscript(name: String) -> JSONText? {
        if case .object(let object) = self { return object[name] }
        return nil
    }

    /// The text of a string; nil for other values.
    package var string: String? {
        if case .text(let text) = self { return text }
        return nil
    }

    /// The elements of an array; empty for other values.
    package var elements: [JSONText] {
        if case .list(let list) = self { return list }
        return []
    }

    /// The digits of a number; nil for other values.
    package var digits: String? {
        if case .number(let digits) = self { return digits }
        return nil
    }

    /// The value in one line, with keys in alphabetical order.
    package var encoded: String {
        var text = ""
        write(to: &text)
        return text
    }

    /// Writes an object with members in this order, without the dictionary of a value.
    static func write(_ members: [(name: String, value: JSONText)], to text: inout String) {
        text += "{"
        for (index, member) in members.enumerated() {
            if index > 0 { text += "," }
            quote(member.name, to: &text)
            text += ":"
            member.value.write(to: &text)
        }
        text += "}"
    }

    /// Writes a string, or null.
    static func write(_ string: String?, to text: inout String) {
        if let string { quote(string, to: &text) } else { text += "null" }
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .flag(let flag): text += flag ? "true" : "false"
        case .number(let digits): text += digits
        case .text(let string): Self.quote(string, to: &text)
        case .list(let list):
            text += "["
            for (index, value) in list.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let object):
            text += "{"
            for (index, key) in object.keys.sorted().enumerated() {
                if index > 0 { text += "," }
                Self.quote(key, to: &text)
                text += ":"
                object[key]?.write(to: &text)
            }
            text += "}"
        }
    }

    private static func quote(_ string: String, to text: inout String) {
        text += "\""
        defer { text += "\"" }
        if string.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        ) {
            text += string
            return
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || (0x2028...0x2029).contains(scalar.value):
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension JSONText: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let digits): try container.encode(Decimal(string: digits))
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }
}

extension JSONText: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    package init(stringLiteral value: String) { self = .text(value) }
    package init(arrayLiteral elements: JSONText...) { self = .list(elements) }
    package init(dictionaryLiteral elements: (String, JSONText)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }

    /// Creates the text, or null.
    package static func optional(_ text: String?) -> JSONText { text.map { .text($0) } ?? .null }

    /// Creates an object without the members that are nil.
    package static func known(_ members: [String: JSONText?]) -> JSONText { .object(members.compactMapValues { $0 }) }
}
#endif
