import TerminalScreen

/// A terminal that interprets the output of the module `TerminalScreen`, and records unknown sequences.
package struct TerminalEmulator: Sendable {
    package private(set) var columns: Int
    package private(set) var rows: Int
    package private(set) var cells: [[ScreenCell]]
    package private(set) var row = 0
    package private(set) var column = 0
    package private(set) var isCursorShown = true
    /// The number of rows that scrolled off the top of the screen.
    package private(set) var scrolledRows = 0
    /// The unsupported sequences.
    package private(set) var unknown: [String] = []
    private var style = Style.plain
    /// True while the alternate screen is shown, which a program leaves as it found it.
    package private(set) var isOtherScreen = false
    /// True if lines wrap at the margin.
    package private(set) var wraps = true
    /// Bytes of a sequence or a character that is not whole yet.
    private var rest: [UInt8] = []

    package init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        cells = Array(repeating: Array(repeating: .blank, count: columns), count: rows)
    }

    /// Changes the size of the terminal. The contents are cleared, because the program redraws them.
    package mutating func resize(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        cells = Array(repeating: Array(repeating: .blank, count: columns), count: rows)
        (row, column) = (min(row, rows - 1), min(column, columns - 1))
    }

    package func text(row: Int) -> String {
        var text = String(cells[row].compactMap(\.character))
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Writes bytes, in pieces of any size.
    package mutating func write(_ bytes: [UInt8]) {
        rest += bytes
        var end = rest.count
        // An escape sequence that has no letter yet, or the beginning of a character.
        if let escape = rest.lastIndex(of: 0x1B),
            !rest[(escape + 1)...].contains(where: { (0x40...0x5A).contains($0) || (0x61...0x7A).contains($0) })
        {
            end = escape
        } else if let start = rest.lastIndex(where: { $0 & 0xC0 != 0x80 }) {
            let length = rest[start] >= 0xF0 ? 4 : rest[start] >= 0xE0 ? 3 : rest[start] >= 0xC0 ? 2 : 1
            if start + length > rest.count { end = start }
        }
        let text = String(decoding: rest[..<end], as: UTF8.self)
        rest.removeFirst(end)
        write(text)
    }

    /// The text of the screen.
    package var text: String { (0..<rows).map { text(row: $0) }.joined(separator: "\n") }

    private mutating func write(_ text: String) {
        var rest = Array(text)[...]
        while let character = rest.popFirst() {
            switch character {
            case "\u{1B}":
                var sequence = ""
                while let next = rest.popFirst() {
                    sequence.append(next)
                    if next != "[", next.isLetter { break }
                }
                obey(sequence)
            case "\r": column = 0
            case "\r\n":
                column = 0
                lineFeed()
            case "\n": lineFeed()
            default: put(character)
            }
        }
    }

    private mutating func lineFeed() {
        guard row == rows - 1 else { return row += 1 }
        cells.removeFirst()
        cells.append(Array(repeating: .blank, count: columns))
        scrolledRows += 1
    }

    private mutating func put(_ character: Character) {
        if wraps, column >= columns {
            column = 0
            lineFeed()
        }
        guard let first = character.unicodeScalars.first, first.value >= 0x20, first.value != 0x7F else {
            return unknown.append("\(character.unicodeScalars.map(\.value))")
        }
        let width = CharacterWidth.of(character)
        // After the window became smaller, output in flight may address a position outside of it.
        guard row < cells.count, column + width <= min(columns, cells[row].count) else { return }
        if cells[row][column].character == nil, column > 0 { cells[row][column - 1].character = " " }
        if column + width < columns, cells[row][column + width].character == nil {
            cells[row][column + width].character = " "
        }
        cells[row][column] = ScreenCell(character: character, style: style)
        if width == 2 { cells[row][column + 1] = ScreenCell(character: nil, style: style) }
        column += width
    }

    private mutating func obey(_ sequence: String) {
        guard sequence.first == "[", let final = sequence.last else { return unknown.append(sequence) }
        let body = sequence.dropFirst().dropLast()
        let numbers = body.split(separator: ";").compactMap { Int($0) }
        let count = numbers.first ?? 1
        switch (final, body.first) {
        case ("h", "?") where body == "?25": isCursorShown = true
        case ("l", "?") where body == "?25": isCursorShown = false
        case ("h", "?") where body == "?1049", ("l", "?") where body == "?1049":
            isOtherScreen = final == "h"
            cells = Array(repeating: Array(repeating: .blank, count: columns), count: rows)
        case ("h", "?") where body == "?7", ("l", "?") where body == "?7": wraps = final == "h"
        // Pasted text in brackets.
        case ("h", "?") where body == "?2004", ("l", "?") where body == "?2004": break
        case ("H", _): (row, column) = ((numbers.first ?? 1) - 1, (numbers.dropFirst().first ?? 1) - 1)
        case ("A", _): row = max(0, row - count)
        case ("B", _): row = min(rows - 1, row + count)
        case ("C", _): column = min(columns - 1, column + count)
        case ("G", _): column = min(columns - 1, count - 1)
        case ("J", _):
            if body == "2" {
                cells = Array(repeating: Array(repeating: .blank, count: columns), count: rows)
            } else {
                erase(row: row, from: column)
                for row in (row + 1)..<max(rows, row + 1) { erase(row: row, from: 0) }
            }
        case ("K", _): erase(row: row, from: column)
        case ("m", _): style = Self.style(numbers)
        default: unknown.append(sequence)
        }
        // In the column after the last one the cursor is valid, because the next character wraps.
        if !(0..<rows).contains(row) || !(0...columns).contains(column) { unknown.append(sequence) }
    }

    private mutating func erase(row: Int, from column: Int) {
        for column in column..<columns { cells[row][column] = .blank }
    }

    private static func style(_ codes: [Int]) -> Style {
        var style = Style.plain
        for code in codes {
            switch code {
            case 1: style.isBold = true
            case 2: style.isDim = true
            case 4: style.isUnderlined = true
            case 7: style.isReversed = true
            case 31...36: style.colour = Style.Colour(rawValue: UInt8(code - 30))
            default: style = .plain
            }
        }
        return style
    }
}
