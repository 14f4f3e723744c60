/// Text for a terminal: its width, ways to cut and break it, and a form without anything that a terminal obeys.
package enum TerminalText {
    /// The text with control characters, line separators, bidirectional controls and other invisible characters
    /// written as `\u{202E}`. A terminal that prints the result executes nothing of it.
    package static func safe(_ text: String, keepingNewlines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: { isControl($0) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar), !(keepingNewlines && scalar == "\n") {
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        // The joiner of emoji such as families has no effect outside them.
        case .format: return scalar != "\u{200D}"
        default: return false
        }
    }

    /// The columns that the text takes.
    package static func width(_ text: String) -> Int { text.reduce(0) { $0 + CharacterWidth.of($1) } }

    /// The columns that a character takes.
    package static func width(_ character: Character) -> Int { CharacterWidth.of(character) }

    /// The text in at most `columns` columns. An ellipsis stands for what was cut off, spaces at the end aside.
    package static func cut(_ text: String, to columns: Int, glyphs: Glyphs = .unicode) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        if text.last == " " {
            let end = text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex
            let kept = String(text[..<end])
            if width(kept) <= columns { return kept }
        }
        var (result, used) = ("", 0)
        for character in text {
            let next = width(character)
            guard used + next <= columns - 1 else { break }
            result.append(character)
            used += next
        }
        return result + glyphs.ellipsis
    }

    /// The text in lines of at most `columns` columns, broken between words where possible. Every line but the first
    /// begins with `indent`.
    package static func wrap(_ text: String, to columns: Int, indent: String = "") -> [String] {
        // A terminal too narrow for the indent has none.
        let indent = columns - width(indent) < 8 ? "" : indent
        guard columns > 1, width(text) > columns else { return [text] }
        var (lines, rest, prefix) = ([String](), text[...], "")
        while width(String(rest)) > columns - width(prefix) {
            var (end, used) = (rest.startIndex, width(prefix))
            while used + width(rest[end]) <= columns {
                used += width(rest[end])
                end = rest.index(after: end)
            }
            // The first line has more than the text above the indent of the others.
            if rest[end] != " ", let space = rest[..<end].lastIndex(of: " "),
                let last = rest[..<space].lastIndex(where: { $0 != " " }),
                !prefix.isEmpty || width(String(rest[...last])) > width(indent)
            {
                end = space
            }
            var line = rest[..<end]
            while line.last == " " { line.removeLast() }
            lines.append(prefix + line)
            rest = rest[end...].drop { $0 == " " }
            prefix = indent
        }
        if !rest.isEmpty { lines.append(prefix + rest) }
        return lines
    }

    /// The text in exactly `columns` columns, cut or filled with spaces.
    package static func fit(
        _ text: String, to columns: Int, atEnd: Bool = false, glyphs: Glyphs = .unicode
    ) -> String {
        let text = cut(text, to: columns, glyphs: glyphs)
        let fill = String(repeating: " ", count: max(0, columns - width(text)))
        return atEnd ? fill + text : text + fill
    }
}
