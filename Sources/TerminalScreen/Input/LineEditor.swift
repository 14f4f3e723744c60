/// A line of text being edited.
package struct LineEditor: Hashable, Sendable {
    /// The effect of a key on the line.
    package enum Outcome: Hashable, Sendable {
        case changed, unchanged, accepted, cancelled
    }

    /// The maximum number of characters.
    package static let limit = 4096

    private var characters: [Character]
    /// The number of characters before the cursor.
    package private(set) var cursor: Int
    private var history: [String]
    /// The index of the shown history line; nil for the new line.
    private var place: Int?
    private var draft = ""

    /// - Parameter history: earlier lines, most recent first; up and down select them.
    package init(_ text: String = "", history: [String] = []) {
        characters = Array(text)
        cursor = characters.count
        self.history = history
    }

    package var text: String { String(characters) }

    /// Applies a key.
    package mutating func apply(_ key: Key) -> Outcome {
        switch key {
        case .enter: return .accepted
        case .escape: return .cancelled
        case .character(let character): insert(String(character))
        // Line breaks are removed from pasted text.
        case .paste(let text): insert(text.filter { !$0.isNewline })
        case .backspace:
            guard cursor > 0 else { return .unchanged }
            cursor -= 1
            characters.remove(at: cursor)
        case .delete, .control("d"):
            guard cursor < characters.count else { return .unchanged }
            characters.remove(at: cursor)
        case .control("u"):
            characters.removeFirst(cursor)
            cursor = 0
        case .control("k"): characters.removeLast(characters.count - cursor)
        case .control("w"): removeWord()
        case .left, .control("b"): cursor = max(0, cursor - 1)
        case .right, .control("f"): cursor = min(characters.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = characters.count
        case .up: return recall(1)
        case .down: return recall(-1)
        default: return .unchanged
        }
        return .changed
    }

    /// Draws the line in a part of a row, scrolled so that the cursor is visible.
    package func draw(on screen: inout ScreenBuffer, row: Int, column: Int, width: Int, style: Style = .plain) {
        guard width > 1 else { return }
        let shown = characters.map { screen.glyphs.text(TerminalText.safe(String($0))) }
        var first = 0
        func columnsBeforeCursor() -> Int { shown[first..<cursor].reduce(0) { $0 + TerminalText.width($1) } }
        while columnsBeforeCursor() >= width { first += 1 }
        let before = columnsBeforeCursor()
        screen.put(shown[first...].joined(), row: row, column: column, width: width, style: style)
        screen.cursor = (row, column + before)
    }

    private mutating func insert(_ text: String) {
        let new = Array(text.prefix(Self.limit - characters.count))
        characters.insert(contentsOf: new, at: cursor)
        // An inserted combining mark may form one character with the one before it.
        let (before, after) = (String(characters[..<(cursor + new.count)]), characters[(cursor + new.count)...])
        characters = Array(before) + after
        cursor = characters.count - after.count
    }

    private mutating func removeWord() {
        var start = cursor
        while start > 0, characters[start - 1] == " " { start -= 1 }
        while start > 0, characters[start - 1] != " " { start -= 1 }
        characters.removeSubrange(start..<cursor)
        cursor = start
    }

    private mutating func recall(_ step: Int) -> Outcome {
        let next = (place ?? -1) + step
        guard next < history.count, next >= -1, next != (place ?? -1) else { return .unchanged }
        if place == nil { draft = text }
        place = next < 0 ? nil : next
        characters = Array(place.map { history[$0] } ?? draft)
        cursor = characters.count
        return .changed
    }
}
