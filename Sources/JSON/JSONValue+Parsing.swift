import Foundation

package struct JSONProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason and the position, in octets.
    package var description: String
}

extension JSONValue {
    /// Parses JSON (RFC 8259). If an object has several members with the same name, the last one is used.
    /// - Throws: ``JSONProblem`` for invalid JSON, values nested more than 64 levels deep, and numbers of more than
    ///   64 characters.
    package init(parsing octets: [UInt8]) throws(JSONProblem) {
        var parser = Parser(octets: octets)
        self = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.place == octets.count else { throw parser.problem("text after the value") }
    }

    private struct Parser {
        let octets: [UInt8]
        var place = 0

        init(octets: [UInt8]) { self.octets = octets }

        func problem(_ reason: String) -> JSONProblem {
            JSONProblem(description: "\(reason) at octet \(place)")
        }

        var next: UInt8? { place < octets.count ? octets[place] : nil }

        mutating func skipSpace() {
            while let next, next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D { place += 1 }
        }

        mutating func value(depth: Int) throws(JSONProblem) -> JSONValue {
            guard depth < 64 else { throw problem("values are nested too deep") }
            skipSpace()
            switch next {
            case UInt8(ascii: "{"): return try object(depth)
            case UInt8(ascii: "["): return try list(depth)
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "t"): return try word("true", .bool(true))
            case UInt8(ascii: "f"): return try word("false", .bool(false))
            case UInt8(ascii: "n"): return try word("null", .null)
            case nil: throw problem("the text ends unexpectedly")
            default: return try number()
            }
        }

        private mutating func word(_ text: String, _ value: JSONValue) throws(JSONProblem) -> JSONValue {
            guard octets[place...].starts(with: text.utf8) else { throw problem("a value is missing") }
            place += text.utf8.count
            return value
        }

        private mutating func expect(_ octet: UInt8) throws(JSONProblem) {
            skipSpace()
            guard next == octet else { throw problem("'\(UnicodeScalar(octet))' is missing") }
            place += 1
        }

        private mutating func object(_ depth: Int) throws(JSONProblem) -> JSONValue {
            place += 1
            // Most objects have a few members: the dictionary does not grow.
            var members = [String: JSONValue](minimumCapacity: 6)
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

        private mutating func list(_ depth: Int) throws(JSONProblem) -> JSONValue {
            place += 1
            var values: [JSONValue] = []
            skipSpace()
            if next == UInt8(ascii: "]") {
                place += 1
                return .array(values)
            }
            while true {
                values.append(try value(depth: depth + 1))
                skipSpace()
                if next == UInt8(ascii: ",") {
                    place += 1
                    continue
                }
                try expect(UInt8(ascii: "]"))
                return .array(values)
            }
        }

        private mutating func string() throws(JSONProblem) -> String {
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

        private mutating func number() throws(JSONProblem) -> JSONValue {
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
            // An integer in another form, such as -0, keeps its digits too.
            if let number = Int(text), number != 0 || text == "0" { return .int(number) }
            return .decimal(text)
        }

        private mutating func skipDigits() -> Int {
            let start = place
            while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { place += 1 }
            return place - start
        }
    }
}
