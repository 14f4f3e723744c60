import Testing

@testable import TerminalScreen

@Suite struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.decode(Array(text.utf8))
    }

    private static let sequences: [(String, [Key])] = [
        ("aé温😀", [.character("a"), .character("é"), .character("温"), .character("😀")]),
        ("\r\n\t\u{7F}\u{8}", [.enter, .enter, .tab, .backspace, .backspace]),
        ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
        ("\u{1B}OA\u{1B}OH\u{1B}[1;5F\u{1B}[Z", [.up, .home, .end, .backTab]),
        ("\u{1B}[3~\u{1B}[5~\u{1B}[6~\u{1B}[1~\u{1B}[8~", [.delete, .pageUp, .pageDown, .home, .end]),
        ("\u{1B}OP\u{1B}[15~\u{1B}[24~\u{1B}[[A", [.function(1), .function(5), .function(12), .function(1)]),
        ("\u{1}\u{15}", [.control("a"), .control("u")]),
        ("\u{1B}q", [.escape, .character("q")]),
        ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}[200~two\nlines\u{1B}[A\u{1B}[201~x", [.paste("two\nlines\u{1B}[A"), .character("x")]),
        // Unknown sequences are no text.
        ("\u{1B}[?1;2c\u{1B}[<0;3;4Mx\u{0}y", [.character("x"), .character("y")]),
        // An incomplete sequence.
        ("\u{1B}[1\u{1B}[Ab", [.up, .character("b")]),
        ("\u{85}", []),
    ]

    @Test(arguments: sequences) func bytesAreDecodedAsKeys(_ text: String, _ keys: [Key]) {
        #expect(self.keys(text) == keys)
    }

    /// A network splits sequences at any byte.
    @Test(arguments: sequences) func splitSequencesAreReassembled(_ text: String, _ keys: [Key]) {
        for size in 1...4 {
            var (decoder, rest, result) = (KeyDecoder(), Array(text.utf8)[...], [Key]())
            while !rest.isEmpty {
                result += decoder.decode(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(result == keys, "in pieces of \(size)")
            #expect(!decoder.isWaiting)
        }
    }

    @Test func escapeAloneIsAKeyWhenNothingFollows() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]).isEmpty && decoder.isWaiting)
        #expect(decoder.timeout() == [.escape] && !decoder.isWaiting)
        #expect(decoder.decode(Array("x".utf8)) == [.character("x")])
        // An incomplete character produces no key.
        #expect(decoder.decode([0xE6]).isEmpty)
        #expect(decoder.timeout().isEmpty && decoder.timeout().isEmpty)
    }

    @Test(arguments: 0..<200) func anyBytesAreDecoded(_ seed: Int) {
        var (decoder, state) = (KeyDecoder(), UInt64(seed + 1))
        for _ in 0..<200 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            let byte = UInt8(truncatingIfNeeded: state >> 33)
            _ = decoder.decode([byte % 3 == 0 ? 0x1B : byte % 5 == 0 ? 0x5B : byte])
        }
        _ = decoder.timeout()
        _ = decoder.decode(Array("\u{1B}[201~".utf8))
        #expect(decoder.decode(Array("zz".utf8)).last == .character("z"))
    }

    @Test func pastedTextIsBounded() {
        var decoder = KeyDecoder()
        _ = decoder.decode(Array("\u{1B}[200~".utf8))
        for _ in 0..<100 { #expect(decoder.decode(Array(repeating: 0x61, count: 1000)).isEmpty) }
        guard case .paste(let text)? = decoder.decode(Array("\u{1B}[201~".utf8)).first else {
            Issue.record("no text was pasted")
            return
        }
        #expect(text.count == KeyDecoder.pasteLimit)
        #expect(decoder.droppedByteCount == 100_000 - KeyDecoder.pasteLimit)
    }

    @Test func linesAreEdited() {
        var editor = LineEditor(history: ["last", "first"])
        func type(_ keys: [Key]) { for key in keys { _ = editor.apply(key) } }
        type([.character("u"), .character("8"), .paste(":5\n00"), .left, .backspace])
        #expect(editor.text == "u8:50")
        type([.home, .delete, .character("i"), .end, .character("1")])
        #expect(editor.text == "i8:501")
        type([.up, .up, .up])
        #expect(editor.text == "first")
        type([.down, .down])
        #expect(editor.text == "i8:501")
        type([.control("u"), .paste("one two"), .control("w")])
        #expect(editor.text == "one " && editor.cursor == 4)
        type([.character("e"), .character("\u{301}")])
        #expect(editor.text == "one e\u{301}" && editor.cursor == 5)
        #expect(editor.apply(.enter) == .accepted && editor.apply(.escape) == .cancelled)
        type([.paste(String(repeating: "x", count: 9000))])
        #expect(editor.text.count == LineEditor.limit)
    }

    @Test(
        arguments: [
            ([:], .ascii, false), (["LANG": "C"], .ascii, false), (["LANG": "C.UTF-8"], .unicode, false),
            (["LANG": "de_DE.utf8", "TERM": "xterm"], .unicode, true),
            (["LANG": "de_DE.UTF-8", "LC_ALL": "C", "TERM": "xterm"], .ascii, true),
            (["LC_CTYPE": "en_GB.UTF-8", "LANG": "C", "TERM": "dumb"], .unicode, false),
            (["LC_ALL": "", "LANG": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1"], .unicode, false),
        ] as [([String: String], Glyphs, Bool)])
    func theEnvironmentDeterminesTheTerminalsCapabilities(
        _ environment: [String: String], _ glyphs: Glyphs, _ hasColours: Bool
    ) {
        let facts = TerminalFacts(isTerminal: true, environment: environment)
        #expect(facts.glyphs == glyphs && facts.hasColours == hasColours)
        #expect(!TerminalFacts(isTerminal: false, environment: environment).isLive)
    }
}
