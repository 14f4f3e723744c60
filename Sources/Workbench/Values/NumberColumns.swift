import Explorer
import Foundation
import Harald
import VirtualDevices

/// Bytes taken apart into numbers: `u16,i16be,f32`, one after the other, and again as long as bytes are left.
package struct NumberColumns: Hashable, Sendable {
    /// The numbers of a value, and the bytes that are no whole one.
    package struct Numbers: Hashable, Sendable {
        /// In digits.
        package var texts: [String]
        package var rest: [UInt8]

        /// "512 -3 1.5", and what is left in hexadecimal.
        package var line: String {
            let left = rest.isEmpty ? [] : ["(and \(rest.hexText(separator: " ")))"]
            return (texts + left).joined(separator: " ")
        }

        /// Numbers as JSON has them, and others by their names.
        package var json: JSONValue {
            .array(texts.map { text in Double(text)?.isFinite == true ? .decimal(text) : .string(text) })
        }
    }

    private let formats: [NumberFormat]

    /// The formats by their names, with commas between.
    /// - Throws: ``InputError`` that names the one which is unknown.
    package init(_ text: String) throws(InputError) {
        var formats: [NumberFormat] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = name.filter { $0 != " " }
            guard let format = NumberFormat(name) else {
                throw InputError(
                    "'\(name)' is no format of numbers; there are \(NumberFormat.names.joined(separator: ", ")), each with "
                        + "'be' at the end for the most significant byte first")
            }
            formats.append(format)
        }
        self.formats = formats
    }

    /// The numbers in `bytes`.
    package func numbers(in bytes: [UInt8]) -> Numbers {
        var (numbers, rest) = (Numbers(texts: [], rest: []), bytes[...])
        var index = 0
        while !rest.isEmpty {
            let format = formats[index % formats.count]
            guard let text = format.decoded(rest.prefix(format.byteCount)) else { break }
            numbers.texts.append(text)
            rest = rest.dropFirst(format.byteCount)
            index += 1
        }
        numbers.rest = Array(rest)
        return numbers
    }
}

/// How values are shown.
package enum ValueForm: Hashable, Sendable {
    /// Decoded where the type is known, and in hexadecimal.
    case decoded
    /// As these numbers.
    case numbers(NumberColumns)
    /// The bytes themselves, or, among text, in hexadecimal without a meaning.
    case raw
    case base64

    /// The value in a line of text; nil where ``ValueText`` knows best.
    package func text(_ bytes: [UInt8]) -> String? {
        switch self {
        case .decoded: nil
        case .numbers(let columns): bytes.isEmpty ? "(empty)" : columns.numbers(in: bytes).line
        case .raw: bytes.hexText()
        case .base64: Data(bytes).base64EncodedString()
        }
    }

    /// The keys that the JSON object of the value has besides.
    package func json(_ bytes: [UInt8]) -> [String: JSONValue] {
        switch self {
        case .decoded, .raw: [:]
        case .numbers(let columns): ["as": columns.numbers(in: bytes).json]
        case .base64: ["base64": .string(Data(bytes).base64EncodedString())]
        }
    }
}
