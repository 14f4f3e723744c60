import Explorer
import Foundation
import Harald
import VirtualDevices

/// Number formats for decoding bytes: `u16,i16be,f32`, applied in order and repeated while bytes remain.
package struct NumberColumns: Hashable, Sendable {
    /// The numbers of a value, and the remaining bytes, which form no complete number.
    package struct Numbers: Hashable, Sendable {
        /// The numbers in decimal digits.
        package var texts: [String]
        package var rest: [UInt8]

        /// The numbers, "512 -3 1.5", and the remaining bytes in hexadecimal.
        package var line: String {
            let left = rest.isEmpty ? [] : ["(and \(rest.hexText(separator: " ")))"]
            return (texts + left).joined(separator: " ")
        }

        /// A JSON array of the numbers. Special values that are no JSON number are strings.
        package var json: JSONValue {
            .array(texts.map { text in Double(text)?.isFinite == true ? .decimal(text) : .string(text) })
        }
    }

    private let formats: [NumberFormat]

    /// Parses names of formats, separated by commas.
    /// - Throws: ``InputError`` with the name of an unknown format.
    package init(_ text: String) throws(InputError) {
        var formats: [NumberFormat] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = name.filter { $0 != " " }
            guard let format = NumberFormat(name) else {
                throw InputError(
                    "'\(name)' is not a number format: \(NumberFormat.names.joined(separator: ", ")), each with "
                        + "'be' at the end for the most significant byte first")
            }
            formats.append(format)
        }
        self.formats = formats
    }

    /// Decodes the numbers in `bytes`.
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

/// The display form of values.
package enum ValueForm: Hashable, Sendable {
    /// Decoded if the type is known, and in hexadecimal.
    case decoded
    /// Numbers in these formats.
    case numbers(NumberColumns)
    /// The bytes without decoding; in lines of text as hexadecimal digits.
    case raw
    case base64

    /// Returns the value in a line of text; nil if ``ValueText`` formats it.
    package func text(_ bytes: [UInt8]) -> String? {
        switch self {
        case .decoded: nil
        case .numbers(let columns): bytes.isEmpty ? "(empty)" : columns.numbers(in: bytes).line
        case .raw: bytes.hexText()
        case .base64: Data(bytes).base64EncodedString()
        }
    }

    /// Returns the additional keys for the JSON object of the value.
    package func json(_ bytes: [UInt8]) -> [String: JSONValue] {
        switch self {
        case .decoded, .raw: [:]
        case .numbers(let columns): ["as": columns.numbers(in: bytes).json]
        case .base64: ["base64": .string(Data(bytes).base64EncodedString())]
        }
    }
}
