import Testing

@testable import TerminalScreen

@Suite struct ScreenBufferTests {
    @Test func controlCharactersAreEscaped() {
        var screen = ScreenBuffer(columns: 40, rows: 2)
        let name = "\u{1B}]0;title\u{07}\u{202E}gnp\u{200B}\u{9B}2J\r\n" + String(repeating: "x", count: 248)
        screen.put(name, row: 0, column: 0)
        #expect(screen.text(row: 1).isEmpty)
        for cell in screen[row: 0] {
            for scalar in (cell.character ?? " ").unicodeScalars {
                #expect(scalar.value >= 0x20 && ![0x7F, 0x9B, 0x202E, 0x200B].contains(scalar.value))
            }
        }
        #expect(screen.text(row: 0).hasPrefix("\\u{1B}]0;title\\u{7}\\u{202E}"))
        #expect(screen.text(row: 0).hasSuffix("…"))
    }

    /// A stack of combining marks draws over the lines above it in some terminals.
    @Test func combiningMarksAreBounded() {
        var screen = ScreenBuffer(columns: 10, rows: 1)
        screen.put("a" + String(repeating: "\u{301}", count: 200) + "b", row: 0, column: 0)
        #expect(screen[row: 0, column: 0].character?.unicodeScalars.count == CharacterWidth.scalarLimit)
        #expect(screen[row: 0, column: 1].character == "b")
        // A mark without a base takes no column.
        screen.put("\u{301}c", row: 0, column: 5)
        #expect(screen[row: 0, column: 5].character == "c")
    }

    @Test func wideCharactersAreNeverSplit() {
        var screen = ScreenBuffer(columns: 5, rows: 1)
        screen.put("温度計", row: 0, column: 0)
        #expect(screen.text(row: 0) == "温度…")
        screen.put("x", row: 0, column: 1)
        #expect(screen.text(row: 0) == " x度…")
        screen.put("yz", row: 0, column: 1)
        #expect(screen.text(row: 0) == " yz …")
    }

    @Test(
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("温", 2), ("😀", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("❤", 1),
            ("\u{301}", 0), ("가", 2),
            ("ｱ", 1), ("Ａ", 2), ("א", 1), ("\u{E000}", 1), ("☂", 1), ("⌚", 2),
        ] as [(Character, Int)])
    func charactersHaveTheirWidth(_ character: Character, _ width: Int) {
        #expect(CharacterWidth.of(character) == width)
    }

    @Test func textBeyondTheScreenIsOmitted() {
        var screen = ScreenBuffer(columns: 3, rows: 1)
        screen.put("abc", row: 5, column: 0)
        screen.put("abc", row: 0, column: 7)
        screen.put("abc", row: -1, column: -1)
        screen.paint(.bold, row: 9, columns: 4..<90)
        screen.clear(rows: -3..<9, columns: -1..<99)
        screen.line(row: 3)
        screen.line(column: 8, rows: 0..<1)
        #expect(screen.text.isEmpty)
    }

    @Test func listsScrollWithTheSelection() {
        var scroll = ListScroll()
        #expect(scroll.window(count: 100, page: 10) == 0..<10)
        for _ in 0..<12 { _ = scroll.apply(.down, count: 100, page: 10) }
        #expect(scroll.selected == 12 && scroll.window(count: 100, page: 10) == 3..<13)
        _ = scroll.apply(.end, count: 100, page: 10)
        #expect(scroll.window(count: 100, page: 10) == 90..<100)
        // Rows disappear, the screen grows.
        #expect(scroll.window(count: 5, page: 10) == 0..<5 && scroll.selected == 4)
        #expect(scroll.window(count: 0, page: 10).isEmpty)
    }
}
