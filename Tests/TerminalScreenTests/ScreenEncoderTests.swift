import PeerSupport
import Testing

@testable import TerminalScreen

@Suite struct ScreenEncoderTests {
    /// Numbers that are the same in each run (xorshift).
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    private static let words = [
        "Polar H7", "温度計", "👩‍👩‍👧", "e\u{301}e\u{301}", "│├─", "-54 dBm", "🇩🇪", "❤️", "°C", "\u{1B}[2Jx", "   ", "a",
    ]

    private func change(_ screen: inout ScreenBuffer, _ generator: inout Generator) {
        let styles: [Style] = [.plain, .bold, .green, .dim, .red.reversed]
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let text = Self.words.randomElement(using: &generator) ?? ""
            let row = Int.random(in: 0..<max(1, screen.rows), using: &generator)
            let column = Int.random(in: 0..<screen.columns, using: &generator)
            screen.put(text, row: row, column: column, style: styles.randomElement(using: &generator) ?? .plain)
            if Bool.random(using: &generator) {
                screen.clear(rows: row..<row + 1, columns: column..<screen.columns)
            }
        }
    }

    @Test(arguments: 1...20) func terminalShowsThePictures(_ seed: UInt64) {
        var generator = Generator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        var terminal = TerminalEmulator(columns: 30, rows: 8)
        var encoder = ScreenEncoder(placement: .screen, hasColours: true)
        var screen = ScreenBuffer(columns: 30, rows: 8)
        for _ in 0..<60 {
            change(&screen, &generator)
            terminal.write(encoder.encode(screen))
            for row in 0..<8 { #expect(terminal.cells[row] == Array(screen[row: row])) }
        }
        #expect(terminal.unknown.isEmpty, "\(terminal.unknown)")
        #expect(!terminal.isCursorShown)
    }

    @Test(arguments: 1...20) func inlinePicturesGrowAndShrinkBelowTheText(_ seed: UInt64) {
        var generator = Generator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        var terminal = TerminalEmulator(columns: 30, rows: 10)
        terminal.write(Array("one\r\ntwo\r\n".utf8))
        var encoder = ScreenEncoder(placement: .inline, hasColours: true)
        for _ in 0..<40 {
            var screen = ScreenBuffer(columns: 30, rows: Int.random(in: 1...9, using: &generator))
            change(&screen, &generator)
            terminal.write(encoder.encode(screen))
            let top = max(0, 2 - terminal.scrolledRows)
            for row in 0..<screen.rows {
                #expect(terminal.cells[top + row] == Array(screen[row: row]))
            }
            for row in (top + screen.rows)..<10 { #expect(terminal.text(row: row).isEmpty) }
        }
        terminal.write(encoder.encodeEnd())
        #expect(terminal.unknown.isEmpty, "\(terminal.unknown)")
        // The earlier contents stay, except those that scrolled off; the cursor is below them.
        let above = max(0, 2 - terminal.scrolledRows)
        #expect(terminal.row == above && terminal.column == 0)
        for row in above..<10 { #expect(terminal.text(row: row).isEmpty) }
    }

    @Test func unchangedCellsAreNotSent() {
        var encoder = ScreenEncoder(placement: .screen, hasColours: true)
        var screen = ScreenBuffer(columns: 80, rows: 24)
        for row in 0..<24 { screen.put("a device with a name and a state", row: row, column: 2) }
        _ = encoder.encode(screen)
        #expect(encoder.encode(screen).isEmpty)
        screen.put("-54", row: 7, column: 40)
        #expect(encoder.encode(screen).count <= 16)
    }

    @Test func theCursorIsShownAtTheInput() {
        var terminal = TerminalEmulator(columns: 20, rows: 3)
        var encoder = ScreenEncoder(placement: .screen, hasColours: false)
        var screen = ScreenBuffer(columns: 20, rows: 3)
        LineEditor("温度").draw(on: &screen, row: 1, column: 2, width: 10)
        terminal.write(encoder.encode(screen))
        #expect(terminal.isCursorShown && terminal.row == 1 && terminal.column == 6)
        screen.put("x", row: 0, column: 0)
        terminal.write(encoder.encode(screen))
        #expect(terminal.row == 1 && terminal.column == 6)
        screen.cursor = nil
        terminal.write(encoder.encode(screen))
        #expect(!terminal.isCursorShown)
    }

    @Test func withoutColoursWeightsRemain() {
        var screen = ScreenBuffer(columns: 20, rows: 1)
        screen.put("x", row: 0, column: 0, style: .red.reversed)
        var plain = ScreenEncoder(placement: .screen, hasColours: false)
        let text = String(decoding: plain.encode(screen), as: UTF8.self)
        #expect(text.contains("\u{1B}[0;7m") && !text.contains("31"))
    }

    @Test func withoutUnicodeEveryByteIsASCII() {
        var screen = ScreenBuffer(columns: 60, rows: 3, glyphs: .ascii)
        screen.put("温度計 21.5 °C … ├─ é ❤️ µT", row: 0, column: 0)
        screen.put(String(repeating: "ü", count: 90), row: 1, column: 0)
        screen.line(row: 2)
        var encoder = ScreenEncoder(placement: .screen, hasColours: true)
        #expect(encoder.encode(screen).allSatisfy { $0 < 0x80 })
        #expect(screen.text(row: 0) == "?????? 21.5 deg C ... |- e ?? uT")
        #expect(screen.text(row: 1).hasSuffix("u~"))
    }
}
