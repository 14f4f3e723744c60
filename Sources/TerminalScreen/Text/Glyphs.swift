import Foundation

/// The character set of a terminal.
package enum Glyphs: Hashable, Sendable {
    /// All of Unicode, in UTF-8.
    case unicode
    /// ASCII only, for locales without UTF-8 such as `C`.
    case ascii

    /// The mark of truncated text, one column wide.
    package var ellipsis: String { self == .unicode ? "…" : "~" }

    /// The branches of a tree: a branch, the last branch, and the line beside a branch. Three columns each.
    package var tree: (branch: String, last: String, line: String) {
        self == .unicode ? ("├─ ", "└─ ", "│  ") : ("|- ", "`- ", "|  ")
    }

    /// A horizontal and a vertical line.
    package var lines: (horizontal: Character, vertical: Character) { self == .unicode ? ("─", "│") : ("-", "|") }

    /// The marks of a sparkline, from low to high.
    package var levels: [Character] { self == .unicode ? Array("▁▂▃▄▅▆▇█") : Array("_.-:=+*#") }

    /// The arrow keys, as help texts name them.
    package var upDown: String { self == .unicode ? "↑↓" : "up/down" }

    /// The marks of a connection state: connected, changing, and disconnected.
    package var lights: (on: String, half: String, off: String) {
        self == .unicode ? ("●", "◐", "○") : ("*", "~", "o")
    }

    /// Converts a text to the character set. Units and Latin letters are transliterated to ASCII; other characters
    /// become one question mark per column.
    package func text(_ text: String) -> String {
        guard self == .ascii, text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        var result = ""
        for character in text {
            if character.isASCII {
                result.append(character)
            } else if let replacement = Self.replacements[character] {
                result += replacement
            } else if let base = String(character).decomposedStringWithCompatibilityMapping.unicodeScalars.first,
                base.isASCII
            {
                result.unicodeScalars.append(base)
            } else {
                result += String(repeating: "?", count: CharacterWidth.of(character))
            }
        }
        return result
    }

    private static let replacements: [Character: String] = [
        "°": "deg ", "℃": "deg C", "µ": "u", "μ": "u", "Ω": "ohm", "²": "^2", "³": "^3", "₂": "2", "·": ".", "•": "*",
        "…": "...", "–": "-", "—": "-", "−": "-", "×": "x", "÷": "/", "±": "+/-", "≤": "<=", "≥": ">=", "→": "->",
        "←": "<-", "↑": "up", "↓": "down", "‘": "'", "’": "'", "“": "\"", "”": "\"", "ß": "ss", "æ": "ae", "Æ": "AE",
        "ø": "o", "Ø": "O", "─": "-", "│": "|", "├": "|", "└": "`", "┌": "+", "┐": "+", "┘": "+", "┬": "+", "┴": "+",
        "●": "*", "◐": "~", "○": "o", "▁": "_", "▂": ".", "▃": "-", "▄": ":", "▅": "=", "▆": "+", "▇": "*", "█": "#",
        "★": "*", "☆": "-", "✓": "x",
    ]
}
