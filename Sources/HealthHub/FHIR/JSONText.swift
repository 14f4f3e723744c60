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
        var output = JSONOutput()
        output.write(self)
        return String(decoding: output.octets, as: UTF8.self)
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
