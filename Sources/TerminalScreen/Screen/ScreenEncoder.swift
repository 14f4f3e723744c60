/// Turns pictures of the screen into what has to be written to the terminal, which is only what changed.
package struct ScreenEncoder: Sendable {
    /// Where pictures stand.
    package enum Placement: Hashable, Sendable {
        /// They fill the screen.
        case screen
        /// They stand below the line at which the first one was drawn, and leave what is above.
        case inline
    }

    package let placement: Placement
    private let hasColours: Bool
    private var shown: ScreenBuffer?
    private var columns = 0
    /// The place of the cursor, counted from the first row of the picture; nil where terminals may disagree about it.
    private var place: (row: Int, column: Int)?
    private var style: Style?
    private var isCursorShown = false
    /// The rows below the first that exist, in a picture that stands inline.
    private var reservedRows = 1
    private var output = ""
    /// The row of the cursor, which is certain also where its column is not: no line is longer than the screen.
    private var knownRow = 0
    private var needsClear: Bool

    package init(placement: Placement, hasColours: Bool) {
        self.placement = placement
        needsClear = placement == .screen
        self.hasColours = hasColours
    }

    /// The next picture is drawn whole.
    /// - Parameter clears: whether the screen is emptied first; else a picture that stands inline begins at the cursor.
    package mutating func forget(clears: Bool) {
        shown = nil
        style = nil
        place = nil
        isCursorShown = false
        reservedRows = 1
        needsClear = clears
    }

    /// What brings the picture to the screen; empty where nothing changed.
    package mutating func encode(_ picture: ScreenBuffer) -> [UInt8] {
        output = ""
        if let shown, shown.columns != picture.columns || (placement == .screen && shown.rows != picture.rows) {
            forget(clears: true)
        }
        columns = picture.columns
        let before = begin(picture)
        for row in 0..<picture.rows {
            encode(row: row, of: picture, over: row < before.rows ? before : nil)
        }
        if placement == .inline, before.rows > picture.rows {
            move(picture.rows, 0)
            plain()
            output += "\u{1B}[J"
        }
        shown = picture
        finish(picture)
        return Array(output.utf8)
    }

    /// What has been drawn disappears, where it stands inline, and the cursor stands at its beginning.
    package mutating func encodeEnd() -> [UInt8] {
        output = ""
        guard placement == .inline, shown != nil else { return [] }
        plain()
        move(0, 0)
        output += "\u{1B}[J"
        if !isCursorShown { output += "\u{1B}[?25h" }
        forget(clears: false)
        return Array(output.utf8)
    }

    // MARK: Beginning and end

    private mutating func begin(_ picture: ScreenBuffer) -> ScreenBuffer {
        if let shown { return shown }
        let blank = ScreenBuffer(columns: picture.columns, rows: placement == .screen ? picture.rows : 0)
        output += "\u{1B}[?25l"
        plain()
        if placement == .screen || needsClear { output += "\u{1B}[H\u{1B}[2J" } else { output += "\r" }
        needsClear = false
        (place, knownRow) = ((0, 0), 0)
        return blank
    }

    private mutating func finish(_ picture: ScreenBuffer) {
        if let cursor = picture.cursor {
            if !output.isEmpty || place.map({ $0 != cursor }) ?? true || !isCursorShown {
                move(cursor.row, cursor.column)
                if !isCursorShown { output += "\u{1B}[?25h" }
                isCursorShown = true
            }
        } else {
            if isCursorShown { output += "\u{1B}[?25l" }
            isCursorShown = false
            // Messages of others begin below the picture.
            if placement == .inline, !output.isEmpty { move(picture.rows, 0) }
        }
        if !output.isEmpty { plain() }
    }

    // MARK: Rows

    private mutating func encode(row: Int, of picture: ScreenBuffer, over before: ScreenBuffer?) {
        let cells = picture[row: row]
        let start = cells.startIndex
        // A row that does not exist yet is empty once the cursor has made it.
        guard let before else {
            let end = (cells.lastIndex { $0 != .blank } ?? start - 1) + 1
            if placement == .inline { move(row, 0) }
            write(cells[start..<end], row: row, column: 0)
            return
        }
        let old = before[row: row]
        guard cells != old else { return }
        let offset = old.startIndex - start
        // The blank end of the row is erased at once.
        let textEnd = (cells.lastIndex { $0 != .blank } ?? start - 1) + 1
        var index = start
        while index < textEnd {
            guard cells[index] != old[index + offset] else {
                index += 1
                continue
            }
            var first = index
            if cells[first].character == nil, first > start { first -= 1 }
            var (end, same) = (index + 1, 0)
            // Few cells that are the same cost less than a movement of the cursor.
            var next = end
            while next < textEnd, same < 6 {
                if cells[next] != old[next + offset] {
                    (end, same) = (next + 1, 0)
                } else {
                    same += 1
                }
                next += 1
            }
            if end < textEnd, cells[end].character == nil { end += 1 }
            write(cells[first..<end], row: row, column: first - start)
            index = end
        }
        if old[(textEnd + offset)...].contains(where: { $0 != .blank }) {
            move(row, textEnd - start)
            plain()
            output += "\u{1B}[K"
        }
    }

    private mutating func write(_ cells: ArraySlice<ScreenCell>, row: Int, column: Int) {
        var column = column
        for cell in cells {
            defer { column += 1 }
            guard let character = cell.character else { continue }
            move(row, column)
            if style != cell.style {
                output += cell.style.sequence(hasColours: hasColours)
                style = cell.style
            }
            output.append(character)
            // Where terminals disagree about the width of a character, the place of the next one is said.
            place = CharacterWidth.isCertain(character) ? (row, column + 1) : nil
        }
        // At the margin the cursor is before or behind the last column.
        if column >= columns { place = nil }
    }

    private mutating func plain() {
        if style != .plain { output += "\u{1B}[m" }
        style = .plain
    }

    // MARK: The cursor

    private mutating func move(_ row: Int, _ column: Int) {
        defer { (place, knownRow) = ((row, column), row) }
        if let place, place == (row, column) { return }
        switch placement {
        case .screen: moveOnScreen(row, column)
        case .inline: moveInline(row, column)
        }
    }

    private mutating func moveOnScreen(_ row: Int, _ column: Int) {
        if let place, place.row == row, column > place.column, column - place.column < 1000 {
            let distance = column - place.column
            output += distance == 1 ? "\u{1B}[C" : "\u{1B}[\(distance)C"
        } else if column == 0 {
            output += row == 0 ? "\u{1B}[H" : "\u{1B}[\(row + 1)H"
        } else {
            output += "\u{1B}[\(row + 1);\(column + 1)H"
        }
    }

    /// Relative to the row in which the cursor is, because nobody knows where on the screen the picture stands.
    private mutating func moveInline(_ row: Int, _ column: Int) {
        var current = knownRow
        if current < row, current < reservedRows - 1 {
            let down = min(row, reservedRows - 1) - current
            output += "\u{1B}[\(down)B"
            current += down
        }
        while current < row {
            output += "\r\n"
            current += 1
            reservedRows = max(reservedRows, current + 1)
        }
        if current > row { output += "\u{1B}[\(current - row)A" }
        output += column == 0 ? "\r" : "\u{1B}[\(column + 1)G"
    }
}
