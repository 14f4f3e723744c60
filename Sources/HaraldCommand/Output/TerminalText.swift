/// Text for a terminal: how wide it is, how it is cut, and what is not let through.
enum TerminalText {
    /// Text from the air without anything that a terminal would obey: control characters and those that turn the
    /// direction of writing are shown by their numbers.
    static func safe(_ text: String, keepingNewlines: Bool = false) -> String {
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
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return scalar != "\u{200D}"
        default: return false
        }
    }

    /// How many columns the text takes.
    static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    /// A character takes two columns where East Asian scripts and pictures do, none where it only combines.
    static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.isASCII { return 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if first.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// The text in at most `columns` columns; what is cut off leaves an ellipsis.
    static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var (result, used) = ("", 0)
        for character in text {
            let next = width(character)
            guard used + next <= columns - 1 else { break }
            result.append(character)
            used += next
        }
        return result + "…"
    }

    /// The text in lines of at most `columns` columns, broken between words where that can be; every line but the first
    /// begins with `indent`.
    static func wrap(_ text: String, to columns: Int, indent: String = "") -> [String] {
        // In a terminal too narrow for the indent there is none.
        let indent = columns - width(indent) < 8 ? "" : indent
        guard columns > 1, width(text) > columns else { return [text] }
        var (lines, rest, prefix) = ([String](), text[...], "")
        while width(String(rest)) > columns - width(prefix) {
            var (end, used) = (rest.startIndex, width(prefix))
            while used + width(rest[end]) <= columns {
                used += width(rest[end])
                end = rest.index(after: end)
            }
            // Not where the first line would have nothing but what stands in the place of the indent.
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
    static func fit(_ text: String, to columns: Int, atEnd: Bool = false) -> String {
        let text = cut(text, to: columns)
        let fill = String(repeating: " ", count: max(0, columns - width(text)))
        return atEnd ? fill + text : text + fill
    }
}
