import BluetoothProfiles

/// A field of a value for display: name, content and unit as text.
package struct ValuePart: Hashable, Sendable {
    /// The name as words: "heart rate", "acceleration x".
    package var name: String
    /// The content in the customary unit: "72", "detected".
    package var text: String
    /// The symbol of the unit; nil if there is none.
    package var unit: String?
    /// The number for plots; nil if the content is none.
    package var number: Double?

    /// Returns the parts of a value's fields; those of a group have its name in front.
    package static func parts(of fields: [Field], in group: String = "") -> [ValuePart] {
        fields.flatMap { field -> [ValuePart] in
            if case .group(let inner) = field.value { return parts(of: inner, in: group + field.words + " ") }
            let usual = field.usual
            let isSpecial = if case .number(.special) = usual.value { true } else { false }
            return [
                ValuePart(
                    name: group + field.words, text: text(of: usual.value),
                    unit: isSpecial ? nil : usual.unit?.symbol, number: usual.number)
            ]
        }
    }

    /// Names of bits and of codes are identifiers; here they are words.
    private static func text(of value: FieldValue) -> String {
        func words(_ name: String) -> String {
            name.contains(" ") || name.first?.isLowercase != true ? name : Field(name, value).words
        }
        return switch value {
        case .bits(let names, _) where !names.isEmpty: names.map(words).joined(separator: ", ")
        case .code(_, let name?): words(name)
        default: value.description
        }
    }

    /// The part as a JSON object.
    package var json: JSONValue {
        var object: [String: JSONValue] = ["name": .string(name), "text": .string(text)]
        if let unit { object["unit"] = .string(unit) }
        if let number, number.isFinite { object["number"] = .number(number) }
        return .object(object)
    }
}

extension ValueText {
    /// The fields for display; empty if the type is unknown or the bytes are invalid.
    package var parts: [ValuePart] { ValuePart.parts(of: fields ?? []) }
}
