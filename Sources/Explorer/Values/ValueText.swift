import BluetoothProfiles
import Harald

/// A value in hexadecimal, as text, and decoded where its type is known.
package struct ValueText: Hashable, Sendable {
    package let bytes: [UInt8]
    /// Its fields; nil where the type is not known, or the bytes are no value of it.
    package let fields: [Field]?
    /// What is wrong with the bytes, where the type is known.
    package let problem: ValueError?

    package init(_ bytes: [UInt8], of uuid: BluetoothUUID) {
        self.bytes = bytes
        do throws(ValueError) {
            fields = try Profiles.fields(of: bytes, uuid: uuid)
            problem = nil
        } catch {
            (fields, problem) = (nil, error)
        }
    }

    /// "AA BB"; "(empty)" for no bytes.
    package var hex: String { bytes.isEmpty ? "(empty)" : bytes.hexText(separator: " ") }

    /// The bytes as text, where they are text that can be printed; a zero at the end, as some devices send it, aside.
    package var text: String? {
        var bytes = bytes[...]
        while bytes.last == 0 { bytes = bytes.dropLast() }
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
            PrintableText.escape(text) == text
        else { return nil }
        return text
    }

    /// One line: what it means where that is known, then the bytes.
    package var line: String {
        if let fields {
            let bytes = bytes.isEmpty ? hex : "(\(hex))"
            return "\(PrintableText.escape(fields.text))  \(bytes)"
        }
        if let problem { return "\(hex)  (\(problem))" }
        return text.map { "\(hex)  \"\($0)\"" } ?? hex
    }

    /// Two ways to show bytes of an unknown type.
    package enum Form: Hashable, Sendable {
        case hex
        /// The bytes, and what they are as text.
        case text
    }

    /// The form of ``line`` for bytes of an unknown type.
    package var form: Form { text == nil ? .hex : .text }

    /// The same as ``line``, with bytes of an unknown type in this form, also where a value by itself would be shown in
    /// the other one: so that all values of a characteristic look alike.
    package func line(_ form: Form) -> String {
        guard fields == nil, problem == nil else { return line }
        guard form == .text else { return hex }
        return "\(hex)  \"\(PrintableText.escape(String(decoding: bytes, as: UTF8.self)))\""
    }

    /// The keys that a JSON object about it has.
    package var json: [String: JSONValue] {
        var object: [String: JSONValue] = ["hex": .string(bytes.hexText())]
        if let fields {
            object["fields"] = JSONValue(fields)
            // A value of one field is that field.
            if fields.count == 1 { object["value"] = JSONValue(single: fields[0]) }
        }
        if let problem { object["problem"] = .string("\(problem)") }
        // A number whose byte happens to be a letter is no text.
        if let text, fields == nil || fields?.first?.value == .text(text) { object["text"] = .string(text) }
        return object
    }
}
