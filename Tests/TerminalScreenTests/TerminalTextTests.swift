import Testing

@testable import TerminalScreen

@Suite struct TerminalTextTests {
    @Test(
        arguments: [
            ("short", 10, "", ["short"]),
            ("exactly ten", 11, "", ["exactly ten"]),
            ("broken between words", 10, "", ["broken", "between", "words"]),
            ("the next line is indented", 16, "    ", ["the next line is", "    indented"]),
            ("abcdefghijklmnopqrst", 8, "", ["abcdefgh", "ijklmnop", "qrst"]),
            ("label   48415241-4C44-8000-8000", 24, "        ", ["label   48415241-4C44-80", "        00-8000"]),
            ("日本語 日本語", 8, "", ["日本語", "日本語"]),
            ("an indent that is too wide", 10, "        ", ["an indent", "that is", "too wide"]),
            ("", 10, "", [""]),
        ] as [(String, Int, String, [String])])
    func longTextWraps(_ text: String, _ columns: Int, _ indent: String, _ lines: [String]) {
        #expect(TerminalText.wrap(text, to: columns, indent: indent) == lines)
    }

    @Test func escapesDoNotTakeTheColumnOfAName() {
        #expect(TerminalText.brief("\u{202E}\u{1B}\u{7}Lamp\u{2066}") == "?Lamp?")
        #expect(TerminalText.brief("Lamp") == "Lamp")
    }

    @Test(arguments: 2..<60) func noLineIsTooWideAndNoLetterIsLost(_ columns: Int) {
        let text = "│  ├─ 2A23 System ID [read] #0x0020 = manufacturer identifier 0xFFFE4C1A2B  (2B 1A 4C FE)"
        let lines = TerminalText.wrap(text, to: columns, indent: "│  │        ")
        #expect(lines.allSatisfy { TerminalText.width($0) <= columns })
        func letters(_ text: String) -> String { text.filter { $0 != " " && $0 != "│" } }
        #expect(letters(lines.joined()) == letters(text))
    }

    @Test(arguments: [
        ("abcdef", 4, "abc…"), ("abc", 3, "abc"), ("温度計", 4, "温…"), ("温度計", 5, "温度…"), ("a", 0, ""), ("ab", 1, "…"),
        ("👩‍👩‍👧x", 2, "…"),
    ])
    func textIsTruncated(_ text: String, _ columns: Int, _ result: String) {
        #expect(TerminalText.cut(text, to: columns) == result)
        #expect(TerminalText.width(TerminalText.cut(text, to: columns)) <= columns)
    }
}
