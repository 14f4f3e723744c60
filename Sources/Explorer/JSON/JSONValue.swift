import Foundation

/// A JSON value.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case number(Double)
    /// A number with its original digits: 36.60.
    case decimal(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The value in one line: keys in alphabetical order, slashes not escaped.
    package var text: String {
        var text = ""
        append(to: &text)
        return text
    }

    private func append(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .int(let value): text += String(value)
        case .number(let value): text += Self.number(value)
        case .decimal(let digits): text += digits
        case .string(let value): Self.quote(value, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.append(to: &text)
            }
            text += "]"
        case .object(let values):
            text += "{"
            for (index, key) in values.keys.sorted().enumerated() {
                if index > 0 { text += "," }
                Self.quote(key, to: &text)
                text += ":"
                values[key]?.append(to: &text)
            }
            text += "}"
        }
    }

    /// JSON has no representation of NaN and infinity, so they become strings.
    private static func number(_ value: Double) -> String {
        if value.isNaN { return "\"nan\"" }
        if value.isInfinite { return value < 0 ? "\"-inf\"" : "\"inf\"" }
        // Fifteen digits survive the conversion to binary; further digits are rounding errors.
        let digits = Double(String(format: "%.15g", value)) ?? value
        return Int64(exactly: digits).map { String($0) } ?? String(digits)
    }

    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                if scalar.value < 0x20 {
                    text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
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
