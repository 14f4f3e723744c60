import Foundation

/// The parsed part of a C source file: macros, initialisers and calls, as far as tables of test data consist of them.
struct CSource {
    /// The text without comments, with continued lines joined.
    let text: String
    /// The bodies of macros without parameters.
    let macros: [String: String]

    init(_ source: String) {
        var text = source.replacing(#/\/\*.*?\*\//#.dotMatchesNewlines(), with: " ")
        text = text.replacing(#/\/\/[^\n]*/#, with: " ")
        text = text.replacing("\\\n", with: " ")
        self.text = text
        var macros: [String: String] = [:]
        for match in text.matches(of: #/(?m)^#define\s+(\w+)[ \t]+([^\n]+)$/#) {
            macros[String(match.1)] = String(match.2)
        }
        self.macros = macros
    }

    /// The text between the brackets that open at or after `start`, and where it ends.
    func bracketed(_ start: String.Index) -> (inner: Substring, end: String.Index)? {
        let pairs: [Character: Character] = ["(": ")", "{": "}", "[": "]"]
        guard let open = text[start...].firstIndex(where: { pairs[$0] != nil }) else { return nil }
        var closing: [Character] = []
        var index = open
        while index < text.endIndex {
            let character = text[index]
            if character == "\"" || character == "'" {
                index = skipQuoted(index)
                continue
            }
            if let close = pairs[character] { closing.append(close) }
            if character == closing.last {
                closing.removeLast()
                if closing.isEmpty { return (text[text.index(after: open)..<index], index) }
            }
            index = text.index(after: index)
        }
        return nil
    }

    /// Behind the quotation that begins at `start`.
    private func skipQuoted(_ start: String.Index) -> String.Index {
        var index = text.index(after: start)
        while index < text.endIndex, text[index] != text[start] {
            if text[index] == "\\" { index = text.index(after: index) }
            index = text.index(after: index)
        }
        return index < text.endIndex ? text.index(after: index) : index
    }

    /// The parts between the commas that stand in no brackets and no quotation.
    static func arguments(_ list: some StringProtocol) -> [String] {
        var parts = [""]
        var depth = 0
        var quote: Character?
        for character in list {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if "({[".contains(character) {
                depth += 1
            } else if ")}]".contains(character) {
                depth -= 1
            } else if character == ",", depth == 0 {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
        }
        return parts.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// `NAME(...)`: the name and the arguments; nil for anything else.
    static func call(_ text: String) -> (name: String, arguments: [String])? {
        guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else { return nil }
        let name = text[..<open].trimmingCharacters(in: .whitespacesAndNewlines)
        return (name, arguments(text[text.index(after: open)...].dropLast()))
    }

    /// A string of one or more literals, or of macros that stand for one.
    func string(_ text: String) -> String? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if let body = macros[trimmed] { return string(body) }
        let literals = trimmed.matches(of: #/"([^"]*)"/#)
        return literals.isEmpty ? nil : literals.map { String($0.1) }.joined()
    }

    /// A number, a character, or names of `constants`, joined with `|`.
    static func number(_ text: String, _ constants: [String: Int] = [:]) -> Int? {
        var value = 0
        for part in text.split(separator: "|") {
            let word = part.trimmingCharacters(in: .whitespacesAndNewlines)
            if let constant = constants[word] {
                value |= constant
            } else if word.hasPrefix("'"), let character = word.dropFirst().first?.asciiValue {
                value |= Int(character)
            } else if word.lowercased().hasPrefix("0x"), let number = Int(word.dropFirst(2), radix: 16) {
                value |= number
            } else if let number = Int(word) {
                value |= number
            } else if let sum = difference(word) {
                value |= sum
            } else {
                return nil
            }
        }
        return value
    }

    /// `0x0121 - 0x0100 + 1`.
    private static func difference(_ text: String) -> Int? {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count > 1, words.count % 2 == 1, var value = number(words[0]) else { return nil }
        for index in stride(from: 1, to: words.count, by: 2) {
            guard let operand = number(words[index + 1]) else { return nil }
            switch words[index] {
            case "+": value += operand
            case "-": value -= operand
            default: return nil
            }
        }
        return value
    }

    /// Bytes that stand one after the other.
    static func bytes(_ parts: [String]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for part in parts where !part.isEmpty {
            if let fill = part.firstMatch(of: #/^\[\s*0\s*\.\.\.\s*(\d+)\s*\]\s*=\s*(\w+)$/#), let last = Int(fill.1),
                let value = number(String(fill.2))
            {
                bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: value), count: last + 1)
                continue
            }
            guard let value = number(part) else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: value))
        }
        return bytes
    }
}
