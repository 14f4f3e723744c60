import Harald

/// A value in hexadecimal, as text, and decoded where its type is known.
struct ValueText: Hashable, Sendable {
    let bytes: [UInt8]
    let decoded: DecodedValue?

    init(_ bytes: [UInt8], of uuid: BluetoothUUID) {
        self.bytes = bytes
        decoded = ValueDecoder.decode(bytes, of: uuid)
    }

    /// "AA BB"; "(empty)" for no bytes.
    var hex: String { bytes.isEmpty ? "(empty)" : bytes.hexText(separator: " ") }

    /// The bytes as text, where they are text that can be printed; a zero at the end, as some devices send it, aside.
    var text: String? {
        var bytes = bytes[...]
        while bytes.last == 0 { bytes = bytes.dropLast() }
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
            TerminalText.safe(text) == text
        else { return nil }
        return text
    }

    /// One line: what it means where that is known, then the bytes.
    var line: String {
        if let decoded { return "\(TerminalText.safe(decoded.text))  (\(hex))" }
        return text.map { "\(hex)  \"\($0)\"" } ?? hex
    }

    /// The keys that a JSON object about it has.
    var json: [String: JSONValue] {
        var object: [String: JSONValue] = ["hex": .string(bytes.hexText())]
        if let decoded { object["value"] = decoded.json }
        // A number whose byte happens to be a letter is no text.
        if let text, decoded == nil || decoded?.json == .string(text) { object["text"] = .string(text) }
        return object
    }
}
