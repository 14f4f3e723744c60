/// Encodes pictures of the screen as terminal output that contains only the changes.
package struct ScreenEncoder: Sendable {
    /// The placement of pictures.
    package enum Placement: Hashable, Sendable {
        /// Pictures fill the screen.
        case screen
        /// Pictures start at the line of the cursor; the lines above stay.
        case inline
    }

    package let placement: Placement
    private let hasColours: Bool
    private var shown: ScreenBuffer?
    private var columns = 0
    /// The position of the cursor relative to the picture; nil if it depends on the terminal.
    private var place: (row: Int, column: Int)?
    private var style: Style?
    private var isCursorShown = false
    /// The number of rows that exist, for inline placement.
    private var reservedRows = 1
    private var output = ""
    /// The row of the cursor, which is known even if its column is not, because no line exceeds the screen.
    private var knownRow = 0
    private var needsClear: Bool

    package init(placement: Placement, hasColours: Bool) {
        self.placement = placement
        needsClear = placement == .screen
        self.hasColours = hasColours
    }

    /// Makes the next picture be drawn completely.
    /// - Parameter clears: true to clear the screen first; else an inline picture starts at the cursor.
    package mutating func forget(clears: Bool) {
        shown = nil
        style = nil
        place = nil
        isCursorShown = false
        reservedRows = 1
        needsClear = clears
    }

    /// Returns the output that shows the picture; empty if nothing changed.
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

    /// Returns the output that erases an inline picture and moves the cursor to its start.
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
            // Other messages then start below the picture.
            if placement == .inline, !output.isEmpty { move(picture.rows, 0) }
        }
        if !output.isEmpty { plain() }
    }

    // MARK: Rows

    private mutating func encode(row: Int, of picture: ScreenBuffer, over before: ScreenBuffer?) {
        let cells = picture[row: row]
        let start = cells.startIndex
        // A new inline row is empty after the cursor has created it.
        guard let before else {
            let end = (cells.lastIndex { $0 != .blank } ?? start - 1) + 1
            if placement == .inline { move(row, 0) }
            write(cells[start..<end], row: row, column: 0)
            return
        }
        let old = before[row: row]
        guard cells != old else { return }
        let offset = old.startIndex - start
        // The blank rest of the row is erased with one sequence.
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
            // A few unchanged cells cost less than a cursor movement.
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
            // After a character of uncertain width the next position is set explicitly.
            place = CharacterWidth.isCertain(character) ? (row, column + 1) : nil
        }
        // After the last column the position of the cursor differs between terminals.
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

    /// Moves relative to the current row, because the position of the picture on the screen is unknown.
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
