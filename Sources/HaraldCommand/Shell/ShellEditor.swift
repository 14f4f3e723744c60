import Foundation
import Synchronization
import TerminalScreen

/// Reads lines from the terminal: editing keys, history, completion.
final class ShellEditor: Sendable {
    /// The key that ended a line.
    enum Input: Equatable {
        case line(String)
        /// Ctrl-D on an empty line, or the end of the input.
        case end
    }

    /// The line as it is on the screen.
    private struct Drawn: Sendable {
        var prompt = ""
        var editor = LineEditor()
    }

    private let drawn = Mutex(Drawn())
    /// Keys that were typed ahead, while a command was running or in one piece with an earlier line.
    private let waiting = Mutex<[Key]>([])

    func line(
        _ prompt: String, history: [String], complete: @escaping @Sendable (String) -> [String]
    ) async -> Input {
        drawn.withLock { $0 = Drawn(prompt: prompt, editor: LineEditor(history: history)) }
        // Wrapping stays on, for the output of commands in the background.
        let session = TerminalSession(placement: .inline, readsKeys: true, readsInterrupt: true) { Console.draw($0) }
        Console.draw(Array("\u{1B}[?7h".utf8))
        Console.setEditing((Array("\r\u{1B}[K".utf8), { [self] in picture() }))
        redraw()
        var result: Input?
        for key in waiting.withLock({ keys in
            defer { keys = [] }
            return keys
        }) {
            if result == nil { result = take(key, complete) } else { waiting.withLock { $0.append(key) } }
        }
        if result == nil {
            loop: for await event in session.events {
                switch event {
                case .key(let key):
                    result = take(key, complete)
                    if result != nil { break loop }
                case .changed: redraw()
                case .closed:
                    result = .end
                    break loop
                }
            }
        }
        Console.setEditing(nil)
        // The line stays on the screen as it was entered.
        Console.draw(Array("\r\u{1B}[K".utf8) + Array(shownLine.utf8) + [0x0A])
        await session.close()
        for await case .key(let key) in session.events { waiting.withLock { $0.append(key) } }
        return result ?? .end
    }

    private func discardLine() {
        drawn.withLock { $0.editor = LineEditor() }
        Console.draw(Array("^C\n".utf8))
        redraw()
    }

    private var shownLine: String { drawn.withLock { $0.prompt + TerminalText.safe($0.editor.text) } }

    private func take(_ key: Key, _ complete: (String) -> [String]) -> Input? {
        let text = drawn.withLock { $0.editor.text }
        if key == .control("d"), text.isEmpty { return .end }
        if key == .tab {
            completeWord(text, complete)
            return nil
        }
        if key == .control("c") {
            discardLine()
            return nil
        }
        if key == .control("l") {
            Console.draw(Array("\u{1B}[H\u{1B}[2J".utf8))
            redraw()
            return nil
        }
        // A pasted text of several lines is several lines.
        if case .paste(let pasted) = key, let end = pasted.firstIndex(where: \.isNewline) {
            let rest = String(pasted[pasted.index(after: end)...])
            waiting.withLock { $0 = (rest.isEmpty ? [] : [.paste(rest)]) + $0 }
            drawn.withLock { _ = $0.editor.apply(.paste(String(pasted[..<end]))) }
            return .line(drawn.withLock { $0.editor.text })
        }
        // Escape empties nothing here.
        if key == .escape { return nil }
        let outcome = drawn.withLock { $0.editor.apply(key) }
        if outcome == .accepted { return .line(drawn.withLock { $0.editor.text }) }
        if outcome == .changed { redraw() }
        return nil
    }

    private func completeWord(_ text: String, _ complete: (String) -> [String]) {
        // Only at the end of the line.
        guard drawn.withLock({ $0.editor.cursor == text.count }) else { return }
        let words = complete(text)
        let start = text.lastIndex(of: " ").map { text.index(after: $0) } ?? text.startIndex
        let typed = text[start...]
        guard !words.isEmpty else { return Console.draw([0x07]) }
        let common = ShellCompletion.common(words)
        if words.count == 1 {
            // A value follows a prefix such as `u8:` without a space.
            let end = words[0].hasSuffix(":") ? "" : " "
            replace(text[..<start] + words[0] + end)
        } else if common.count > typed.count {
            replace(text[..<start] + common)
        } else {
            let width = Terminal.size.columns
            let shown = words.prefix(60).joined(separator: "  ") + (words.count > 60 ? "  ..." : "")
            Console.write(TerminalText.wrap(TerminalText.safe(shown), to: width).map { $0 + "\n" }.joined())
        }
    }

    private func replace(_ text: some StringProtocol) {
        drawn.withLock { drawn in
            _ = drawn.editor.apply(.control("u"))
            _ = drawn.editor.apply(.paste(String(text)))
        }
        redraw()
    }

    private func redraw() { Console.draw(Array("\r\u{1B}[K".utf8) + picture()) }

    /// The prompt and the part of the line around the cursor, in one row.
    private func picture() -> [UInt8] {
        let (prompt, editor) = drawn.withLock { ($0.prompt, $0.editor) }
        let room = max(8, Terminal.size.columns - TerminalText.width(prompt) - 1)
        let characters = editor.text.map { TerminalText.safe(String($0)) }
        var first = 0
        func columns(_ range: Range<Int>) -> Int { characters[range].reduce(0) { $0 + TerminalText.width($1) } }
        while columns(first..<editor.cursor) > room { first += 1 }
        var last = editor.cursor
        while last < characters.count, columns(first..<(last + 1)) <= room { last += 1 }
        let column = TerminalText.width(prompt) + columns(first..<editor.cursor)
        let text = prompt + characters[first..<last].joined()
        return Array((text + "\r" + (column > 0 ? "\u{1B}[\(column)C" : "")).utf8)
    }
}
