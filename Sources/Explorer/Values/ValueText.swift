import BluetoothProfiles
import Harald

/// A value in hexadecimal, as text, and decoded if its type is known.
package struct ValueText: Hashable, Sendable {
    package let bytes: [UInt8]
    /// The decoded fields; nil if the type is unknown or the bytes are invalid.
    package let fields: [Field]?
    /// The decoding error; nil if the bytes are valid or the type is unknown.
    package let problem: ValueError?

    /// Creates a value.
    /// - Parameter format: the Characteristic Presentation Format, for a value whose type is unknown.
    package init(_ bytes: [UInt8], of uuid: BluetoothUUID, format: CharacteristicPresentationFormat? = nil) {
        self.bytes = bytes
        do throws(ValueError) {
            if let known = try Profiles.fields(of: bytes, uuid: uuid) {
                fields = known
            } else {
                fields = try format?.field(of: bytes).map { [$0] }
            }
            problem = nil
        } catch {
            (fields, problem) = (nil, error)
        }
    }

    /// The bytes in the form "AA BB"; "(empty)" for none.
    package var hex: String { bytes.isEmpty ? "(empty)" : bytes.hexText(separator: " ") }

    /// The bytes as text, if they are printable UTF-8. Trailing zeros, which some devices send, are ignored.
    package var text: String? {
        var bytes = bytes[...]
        while bytes.last == 0 { bytes = bytes.dropLast() }
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
            PrintableText.escape(text) == text
        else { return nil }
        return text
    }

    /// The decoded value if it is known, then the bytes, in one line.
    package var line: String {
        if let fields {
            let bytes = bytes.isEmpty ? hex : "(\(hex))"
            return "\(PrintableText.escape(fields.text))  \(bytes)"
        }
        if let problem { return "\(hex)  (\(problem))" }
        return text.map { "\(hex)  \"\($0)\"" } ?? hex
    }

    /// The forms for bytes of an unknown type.
    package enum Form: Hashable, Sendable {
        case hex
        /// The bytes, followed by their text.
        case text
    }

    /// The form of ``line`` for bytes of an unknown type.
    package var form: Form { text == nil ? .hex : .text }

    /// Returns ``line`` with bytes of an unknown type in this form, so that all values of a characteristic look alike.
    package func line(_ form: Form) -> String {
        guard fields == nil, problem == nil else { return line }
        guard form == .text else { return hex }
        return "\(hex)  \"\(PrintableText.escape(String(decoding: bytes, as: UTF8.self)))\""
    }

    /// The members of a JSON object about the value.
    package var json: [String: JSONValue] {
        var object: [String: JSONValue] = ["hex": .string(bytes.hexText())]
        if let fields {
            object["fields"] = JSONValue(fields)
            // A value with a single field is that field.
            if fields.count == 1 { object["value"] = JSONValue(single: fields[0]) }
        }
        if let problem { object["problem"] = .string("\(problem)") }
        // A number whose byte happens to be a letter is not shown as text.
        if let text, fields == nil || fields?.first?.value == .text(text) { object["text"] = .string(text) }
        return object
    }
}
