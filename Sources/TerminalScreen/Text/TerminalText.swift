/// Functions for terminal text: width, truncation, wrapping, and removal of control characters.
package enum TerminalText {
    /// Returns the text with control characters, line separators, bidirectional controls and other invisible characters
    /// escaped in the form `\u{202E}`. The result contains nothing that a terminal executes.
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

    /// Returns the text with each run of such characters replaced by `?`, for columns of a list: escapes would take the
    /// place of the text.
    package static func brief(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isRun = false
        for scalar in text.unicodeScalars {
            let isHidden = isControl(scalar)
            if !isHidden { result.append(scalar) } else if !isRun { result.append("?") }
            isRun = isHidden
        }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        // The zero-width joiner of emoji such as families has no effect elsewhere.
        case .format: return scalar != "\u{200D}"
        default: return false
        }
    }

    /// Returns the width of a text in columns.
    package static func width(_ text: String) -> Int { text.reduce(0) { $0 + CharacterWidth.of($1) } }

    /// Returns the width of a character in columns.
    package static func width(_ character: Character) -> Int { CharacterWidth.of(character) }

    /// Returns the text cut to at most `columns` columns, with an ellipsis for the omitted part unless that is spaces
    /// only.
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

    /// Wraps the text into lines of at most `columns` columns, between words if possible. All lines but the first begin
    /// with `indent`.
    package static func wrap(_ text: String, to columns: Int, indent: String = "") -> [String] {
        // In a very narrow terminal the indent is omitted.
        let indent = columns - width(indent) < 8 ? "" : indent
        guard columns > 1, width(text) > columns else { return [text] }
        var (lines, rest, prefix) = ([String](), text[...], "")
        while width(String(rest)) > columns - width(prefix) {
            var (end, used) = (rest.startIndex, width(prefix))
            while used + width(rest[end]) <= columns {
                used += width(rest[end])
                end = rest.index(after: end)
            }
            // The first line is not broken within the width of the indent, so that it has text beyond it.
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

    /// Returns the text in exactly `columns` columns, cut or padded with spaces.
    package static func fit(
        _ text: String, to columns: Int, atEnd: Bool = false, glyphs: Glyphs = .unicode
    ) -> String {
        let text = cut(text, to: columns, glyphs: glyphs)
        let fill = String(repeating: " ", count: max(0, columns - width(text)))
        return atEnd ? fill + text : text + fill
    }
}
