#if Programs
/// Shortens scripts and style sheets without changing their meaning.
///
/// It removes comments, indentation, and spaces and line ends next to punctuation. It recognises strings, templates and
/// regular expressions and leaves them unchanged. It is not a general minifier: the input is limited to the files of
/// this project, and the browser tests run its output.
enum CompactText {
    /// Shortens a script (ECMAScript).
    static func script(_ source: some Collection<UInt8>) -> [UInt8] {
        var reader = Reader(source: Array(source))
        reader.script(until: nil)
        return reader.result
    }

    /// Shortens a style sheet. Unlike a script it has no regular expressions, templates and single-line comments. The
    /// space before a colon is kept, because it may begin a selector.
    static func style(_ source: some Collection<UInt8>) -> [UInt8] {
        var reader = Reader(source: Array(source))
        reader.style()
        return reader.result
    }

    private struct Reader {
        let source: [UInt8]
        var position = 0
        var result: [UInt8] = []

        private var next: UInt8? { position < source.count ? source[position] : nil }
        private func character(_ offset: Int) -> UInt8? {
            position + offset < source.count ? source[position + offset] : nil
        }

        init(source: [UInt8]) { self.source = source }

        mutating func script(until end: UInt8?) {
            var depth = 0
            while let byte = next {
                if byte == end, depth == 0 { return }
                switch byte {
                case UInt8(ascii: "'"), UInt8(ascii: "\""): copyString(byte)
                case UInt8(ascii: "`"): copyTemplate()
                case UInt8(ascii: "/") where character(1) == UInt8(ascii: "/"): skipLine()
                case UInt8(ascii: "/") where character(1) == UInt8(ascii: "*"): skipComment()
                case UInt8(ascii: "/") where beginsExpression: copyExpression()
                case UInt8(ascii: " "), UInt8(ascii: "\t"): space(keepsAround: Self.isScriptWord, doubles: "+-")
                case UInt8(ascii: "\n"): endOfLine(after: "{;,([\n")
                default:
                    if byte == UInt8(ascii: "{") { depth += 1 }
                    if byte == UInt8(ascii: "}") { depth -= 1 }
                    take()
                }
            }
        }

        mutating func style() {
            while let byte = next {
                switch byte {
                case UInt8(ascii: "'"), UInt8(ascii: "\""): copyString(byte)
                case UInt8(ascii: "/") where character(1) == UInt8(ascii: "*"): skipComment()
                case UInt8(ascii: " "), UInt8(ascii: "\t"): space(keepsAround: Self.isStyleWord, doubles: "")
                case UInt8(ascii: "\n"): endOfLine(after: "{};,\n")
                default: take()
                }
            }
        }

        private mutating func take() {
            result.append(source[position])
            position += 1
        }

        /// Keeps the end of a line unless it follows one of these characters: elsewhere it may end a statement.
        private mutating func endOfLine(after signs: String) {
            position += 1
            guard let before = result.last, !signs.utf8.contains(before) else { return }
            result.append(UInt8(ascii: "\n"))
        }

        /// Keeps one space between two words, and none elsewhere.
        private mutating func space(keepsAround isWord: (UInt8, Bool) -> Bool, doubles: String) {
            while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { position += 1 }
            guard let before = result.last, let after = next else { return }
            let isDouble = before == after && doubles.utf8.contains(before)
            if isDouble || (isWord(before, false) && isWord(after, true)) { result.append(UInt8(ascii: " ")) }
        }

        private static func isScriptWord(_ byte: UInt8, _: Bool) -> Bool {
            byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
                || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
                || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
        }

        /// All characters except those that end or begin a declaration.
        private static func isStyleWord(_ byte: UInt8, _ isAfter: Bool) -> Bool {
            if byte == UInt8(ascii: ":") { return isAfter }
            return !"{};,\n".utf8.contains(byte)
        }

        private mutating func copyString(_ quote: UInt8) {
            take()
            while let byte = next, byte != quote, byte != UInt8(ascii: "\n") {
                if byte == UInt8(ascii: "\\") { take() }
                if next != nil { take() }
            }
            if next != nil { take() }
        }

        private mutating func copyTemplate() {
            take()
            while let byte = next, byte != UInt8(ascii: "`") {
                if byte == UInt8(ascii: "\\") {
                    take()
                    if next != nil { take() }
                } else if byte == UInt8(ascii: "$"), character(1) == UInt8(ascii: "{") {
                    take()
                    take()
                    script(until: UInt8(ascii: "}"))
                    if next != nil { take() }
                } else {
                    take()
                }
            }
            if next != nil { take() }
        }

        /// A slash after a value is a division; elsewhere it begins a regular expression.
        private var beginsExpression: Bool {
            guard let before = result.last(where: { $0 != UInt8(ascii: " ") }) else { return true }
            return !Self.isScriptWord(before, false) && !")]}`'\"".utf8.contains(before)
        }

        private mutating func copyExpression() {
            var isInClass = false
            take()
            while let byte = next, byte != UInt8(ascii: "\n") {
                if byte == UInt8(ascii: "\\") { take() }
                if byte == UInt8(ascii: "[") { isInClass = true }
                if byte == UInt8(ascii: "]") { isInClass = false }
                if next != nil { take() }
                if byte == UInt8(ascii: "/"), !isInClass { return }
            }
        }

        private mutating func skipLine() { while next != nil, next != UInt8(ascii: "\n") { position += 1 } }

        private mutating func skipComment() {
            position += 2
            while let byte = next, !(byte == UInt8(ascii: "*") && character(1) == UInt8(ascii: "/")) {
                // According to the language, a comment of several lines counts as a line end.
                if byte == UInt8(ascii: "\n"), result.last != byte { result.append(byte) }
                position += 1
            }
            position = min(position + 2, source.count)
        }
    }
}
#endif
