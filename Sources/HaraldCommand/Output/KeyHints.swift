import TerminalScreen

/// The key hints at the bottom of a screen.
enum KeyHints {
    /// The hints in as many lines as they need.
    static func lines(_ hints: [String], width: Int) -> [StyledText] {
        let lines: [String] = hints.reduce(into: []) { lines, hint in
            if let last = lines.last, TerminalText.width(last) + 2 + TerminalText.width(hint) <= width {
                lines[lines.count - 1] = last + "  " + hint
            } else {
                lines.append(TerminalText.cut(hint, to: width))
            }
        }
        return lines.map { StyledText($0, .dim) }
    }
}
