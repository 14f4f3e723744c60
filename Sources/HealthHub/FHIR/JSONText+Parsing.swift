#if Programs
import Foundation

/// The error for invalid JSON.
package struct JSONTextProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason and the position, in octets.
    package var description: String
}

extension JSONText {
    /// Parses JSON (RFC 8259). If an object has several members with the same name, the last one is used.
    /// - Throws: ``JSONTextProblem`` for invalid JSON, values nested more than 64 levels deep, and numbers of more than
    ///   64 characters.
    package init(_ octets: [UInt8]) throws(JSONTextProblem) {
        var parser = Parser(octets: octets)
        self = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.place == octets.count else { throw parser.problem("text after the value") }
    }

    private struct Parser {
        let octets: [UInt8]
        var place = 0

        init(octets: [UInt8]) { self.octets = octets }

        func problem(_ reason: String) -> JSONTextProblem {
            JSONTextProblem(description: "\(reason) at octet \(place)")
        }

        var next: UInt8? { place < octets.count ? octets[place] : nil }

        mutating func skipSpace() {
            while let next, next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D { place += 1 }
        }

        mutating func value(depth: Int) throws(JSONTextProblem) -> JSONText {
            guard depth < 64 else { throw problem("values are nested too deep") }
            skipSpace()
            switch next {
            case UInt8(ascii: "{"): return try object(depth)
            case UInt8(ascii: "["): return try list(depth)
            case UInt8(ascii: "\""): return .text(try string())
            case UInt8(ascii: "t"): return try word("true", .flag(true))
            case UInt8(ascii: "f"): return try word("false", .flag(false))
            case UInt8(ascii: "n"): return try word("null", .null)
            case nil: throw problem("the text ends unexpectedly")
            default: return try number()
            }
        }

        private mutating func word(_ text: String, _ value: JSONText) throws(JSONTextProblem) -> JSONText {
            guard octets[place...].starts(with: text.utf8) else { throw problem("a value is missing") }
            place += text.utf8.count
            return value
        }

        private mutating func expect(_ octet: UInt8) throws(JSONTextProblem) {
            skipSpace()
            guard next == octet else { throw problem("'\(UnicodeScalar(octet))' is missing") }
            place += 1
        }

        private mutating func object(_ depth: Int) throws(JSONTextProblem) -> JSONText {
            place += 1
            // Most objects have a few members: the dictionary does not grow.
            var members = [String: JSONText](minimumCapacity: 6)
            skipSpace()
            if next == UInt8(ascii: "}") {
                place += 1
                return .object(members)
            }
            while true {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw problem("a name is missing") }
                let name = try string()
                try expect(UInt8(ascii: ":"))
                members[name] = try value(depth: depth + 1)
                skipSpace()
                if next == UInt8(ascii: ",") {
                    place += 1
                    continue
                }
                try expect(UInt8(ascii: "}"))
                return .object(members)
            }
        }

        private mutating func list(_ depth: Int) throws(JSONTextProblem) -> JSONText {
            place += 1
            var values: [JSONText] = []
            skipSpace()
            if next == UInt8(ascii: "]") {
                place += 1
                return .list(values)
            }
            while true {
                values.append(try value(depth: depth + 1))
                skipSpace()
                if next == UInt8(ascii: ",") {
                    place += 1
                    continue
                }
                try expect(UInt8(ascii: "]"))
                return .list(values)
            }
        }

        private mutating func string() throws(JSONTextProblem) -> String {
            let start = place
            place += 1
            var (hasEscapes, isASCII) = (false, true)
            while let octet = next, octet != UInt8(ascii: "\"") {
                guard octet >= 0x20 else { throw problem("a control character in a string") }
                if octet == UInt8(ascii: "\\") {
                    hasEscapes = true
                    place += 2
                } else {
                    if octet > 0x7F { isASCII = false }
                    place += 1
                }
            }
            guard place < octets.count else { throw problem("a string does not end") }
            place += 1
            let content = octets[(start + 1)..<(place - 1)]
            if !hasEscapes {
                if isASCII { return String(decoding: content, as: UTF8.self) }
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw problem("invalid UTF-8 in the preceding string")
                }
                return text
            }
            // Foundation decodes the escapes.
            let data = Data([UInt8(ascii: "[")] + octets[start..<place] + [UInt8(ascii: "]")])
            guard let texts = try? JSONDecoder().decode([String].self, from: data), let text = texts.first else {
                throw problem("an invalid escape or invalid UTF-8 in the preceding string")
            }
            return text
        }

        private mutating func number() throws(JSONTextProblem) -> JSONText {
            let start = place
            if next == UInt8(ascii: "-") { place += 1 }
            let isZero = next == UInt8(ascii: "0")
            let wholes = skipDigits()
            var isNumber = wholes > 0 && (wholes == 1 || !isZero)
            if next == UInt8(ascii: ".") {
                place += 1
                isNumber = skipDigits() > 0 && isNumber
            }
            if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
                place += 1
                if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
                isNumber = skipDigits() > 0 && isNumber
            }
            guard isNumber else { throw problem("a value is missing") }
            guard place - start <= 64 else { throw problem("a number of more than 64 characters") }
            let text = String(decoding: octets[start..<place], as: UTF8.self)
            return .number(text)
        }

        /// Returns the number of digits.
        private mutating func skipDigits() -> Int {
            let start = place
            while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { place += 1 }
            return place - start
        }
    }
}
#endif
