/// A character cell of the screen.
package struct ScreenCell: Hashable, Sendable {
    /// The character; nil in the second column of a wide one.
    package var character: Character?
    package var style: Style

    package init(character: Character?, style: Style) {
        self.character = character
        self.style = style
    }

    package static let blank = ScreenCell(character: " ", style: .plain)
}

/// A picture of the screen: rows of cells.
///
/// Control characters are escaped in all text that is put into it, so untrusted names and values need no other
/// treatment.
package struct ScreenBuffer: Hashable, Sendable {
    package let columns: Int
    package let rows: Int
    /// The characters that the terminal supports; text is converted when it is put.
    package let glyphs: Glyphs
    /// The position of the cursor, for example in an edited line; nil to hide it.
    package var cursor: (row: Int, column: Int)? {
        get { cursorPlace.map { ($0.row, $0.column) } }
        set { cursorPlace = newValue.map { Place(row: $0.row, column: $0.column) } }
    }

    private struct Place: Hashable, Sendable {
        var row: Int
        var column: Int
    }

    private var cells: [ScreenCell]
    private var cursorPlace: Place?

    /// Creates an empty picture.
    package init(columns: Int, rows: Int, glyphs: Glyphs = .unicode) {
        self.columns = max(1, columns)
        self.rows = max(0, rows)
        self.glyphs = glyphs
        cells = Array(repeating: .blank, count: self.columns * self.rows)
    }

    package subscript(row row: Int, column column: Int) -> ScreenCell { cells[row * columns + column] }

    /// The cells of a row.
    package subscript(row row: Int) -> ArraySlice<ScreenCell> { cells[row * columns..<(row + 1) * columns] }

    /// Returns the text of a row without trailing spaces.
    package func text(row: Int) -> String {
        var text = String(self[row: row].compactMap(\.character))
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The text of all rows.
    package var text: String { (0..<rows).map { text(row: $0) }.joined(separator: "\n") }

    /// Puts text on a row at a column, at most `width` columns wide. Longer text is cut, with an ellipsis.
    /// - Returns: the column after the text.
    @discardableResult
    package mutating func put(
        _ text: String, row: Int, column: Int, width: Int? = nil, style: Style = .plain
    ) -> Int {
        guard (0..<rows).contains(row), (0..<columns).contains(column) else { return column }
        let room = min(width ?? .max, columns - column)
        let shown = TerminalText.cut(glyphs.text(TerminalText.safe(text)), to: room, glyphs: glyphs)
        var next = column
        for character in shown {
            let width = CharacterWidth.of(character)
            guard width > 0 else { continue }
            guard next + width <= column + room else { break }
            set(Self.bounded(character), width, row, next, style)
            next += width
        }
        return next
    }

    /// Puts text of several styles on a row.
    @discardableResult
    package mutating func put(_ text: StyledText, row: Int, column: Int, width: Int? = nil) -> Int {
        let room = min(width ?? .max, columns - column)
        guard room > 0 else { return column }
        var next = column
        for span in text.cut(to: room, glyphs: glyphs).spans {
            next = put(span.text, row: row, column: next, width: column + room - next, style: span.style)
        }
        return next
    }

    /// Changes the style of a part of a row without changing its text.
    package mutating func paint(_ style: Style, row: Int, columns range: Range<Int>? = nil) {
        guard (0..<rows).contains(row) else { return }
        for column in (range ?? 0..<columns).clamped(to: 0..<columns) { cells[row * columns + column].style = style }
    }

    /// Draws a horizontal line over a part of a row.
    package mutating func line(row: Int, columns range: Range<Int>? = nil, style: Style = .dim) {
        guard (0..<rows).contains(row) else { return }
        for column in (range ?? 0..<columns).clamped(to: 0..<columns) {
            set(glyphs.lines.horizontal, 1, row, column, style)
        }
    }

    /// Draws a vertical line over a part of a column.
    package mutating func line(column: Int, rows range: Range<Int>, style: Style = .dim) {
        guard (0..<columns).contains(column) else { return }
        for row in range.clamped(to: 0..<rows) { set(glyphs.lines.vertical, 1, row, column, style) }
    }

    /// Clears a part of the picture.
    package mutating func clear(rows rowRange: Range<Int>, columns columnRange: Range<Int>) {
        for row in rowRange.clamped(to: 0..<rows) {
            for column in columnRange.clamped(to: 0..<columns) { set(" ", 1, row, column, .plain) }
        }
    }

    /// Returns a character with a limited number of combining marks, which terminals can render.
    private static func bounded(_ character: Character) -> Character {
        guard character.unicodeScalars.count > CharacterWidth.scalarLimit else { return character }
        var text = String.UnicodeScalarView()
        for scalar in character.unicodeScalars.prefix(CharacterWidth.scalarLimit) { text.append(scalar) }
        return String(text).first ?? " "
    }

    private mutating func set(_ character: Character, _ width: Int, _ row: Int, _ column: Int, _ style: Style) {
        let index = row * columns + column
        // Clears the other half of a wide character that is partly overwritten.
        if cells[index].character == nil, column > 0 { cells[index - 1].character = " " }
        let end = index + width
        if column + width < columns, cells[end].character == nil { cells[end].character = " " }
        cells[index] = ScreenCell(character: character, style: style)
        if width == 2 { cells[index + 1] = ScreenCell(character: nil, style: style) }
    }
}
