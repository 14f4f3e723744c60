/// The width of characters in a terminal.
package enum CharacterWidth {
    /// The maximum number of scalars per drawn character. Longer ones are excessive stacks of combining marks.
    package static let scalarLimit = 12

    /// Returns the number of columns: 2 for East Asian wide characters and emoji, 0 for a mark without a base, else 1.
    package static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        // This includes a carriage return with its line feed, which is a single character.
        if first.isASCII { return hasEmojiSelector(character) ? 2 : 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if first.properties.isEmojiPresentation || hasEmojiSelector(character) { return 2 }
        return isWide(first.value) ? 2 : 1
    }

    /// Returns true if all terminals agree on the width: ASCII, Latin letters, lines and blocks.
    package static func isCertain(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first, character.unicodeScalars.count == 1 else { return false }
        switch first.value {
        case 0x20...0x7E, 0xC0...0x024F, 0x2500...0x259F: return true
        default: return false
        }
    }

    private static func hasEmojiSelector(_ character: Character) -> Bool {
        character.unicodeScalars.dropFirst().first == "\u{FE0F}"
    }

    /// East_Asian_Width W or F (Unicode Standard Annex #11), as ranges.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
            0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
            0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            return true
        default: return false
        }
    }
}
