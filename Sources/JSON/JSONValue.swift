import Foundation

/// A JSON value. Numbers that were parsed, and decimals, keep their digits: 36.60 stays 36.60.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case number(Double)
    /// A number with its original digits.
    case decimal(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The value in one line: keys in alphabetical order, slashes not escaped.
    package var text: String {
        var output = JSONOutput()
        output.write(self)
        return String(decoding: output.octets, as: UTF8.self)
    }
}

extension JSONValue {
    /// The member of an object with this name; nil for other values.
    package subscript(_ name: String) -> JSONValue? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    /// The text of a string; nil for other values.
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The Boolean value; nil for other values.
    package var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    /// The integer; nil for other values.
    package var integer: Int? {
        switch self {
        case .int(let number): number
        // 5.0 is an integer too.
        case .decimal: number.flatMap { Int(exactly: $0) }
        default: nil
        }
    }
    /// The elements of an array; empty for other values.
    package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    /// The number; nil for other values, and for a number that is too large.
    package var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .number(let number): number
        case .decimal(let digits): Double(digits).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// The digits of a number; nil for other values.
    package var digits: String? {
        switch self {
        case .int(let number): String(number)
        case .number(let number) where number.isFinite: JSONOutput.digits(number)
        case .decimal(let digits): digits
        default: nil
        }
    }

    /// Returns the object with additional members; existing ones are replaced.
    package func adding(_ more: [String: JSONValue]) -> JSONValue {
        guard case .object(let object) = self else { return self }
        return .object(object.merging(more) { $1 })
    }

    /// A string; null for nil.
    package static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    /// A number; null for nil.
    package static func optional(_ value: Int?) -> JSONValue { value.map { .int($0) } ?? .null }
    /// An object without the members that are nil.
    package static func known(_ members: [String: JSONValue?]) -> JSONValue { .object(members.compactMapValues { $0 }) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension JSONValue: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .int(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .decimal(let digits): try container.encode(Decimal(string: digits))
        case .string(let text): try container.encode(text)
        case .array(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }
}
