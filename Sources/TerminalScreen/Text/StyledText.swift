/// Text in pieces of different styles.
package struct StyledText: Hashable, Sendable {
    /// A piece of one style.
    package struct Span: Hashable, Sendable {
        package var text: String
        package var style: Style
    }

    package private(set) var spans: [Span]

    package init(_ text: String = "", _ style: Style = .plain) {
        spans = text.isEmpty ? [] : [Span(text: text, style: style)]
    }

    /// Adds a piece.
    package mutating func append(_ text: String, _ style: Style = .plain) {
        if !text.isEmpty { spans.append(Span(text: text, style: style)) }
    }

    /// Adds the pieces of another text.
    package mutating func append(_ other: StyledText) { spans += other.spans }

    /// The text without styles.
    package var plain: String { spans.map(\.text).joined() }

    /// The columns that the text takes.
    package var width: Int { spans.reduce(0) { $0 + TerminalText.width($1.text) } }

    /// The text with the sequences of its styles.
    /// - Parameter coloured: whether the output shows styles.
    package func string(coloured: Bool) -> String { spans.map { $0.style.apply($0.text, coloured) }.joined() }

    /// The text in at most `columns` columns. An ellipsis stands for what was cut off.
    package func cut(to columns: Int, glyphs: Glyphs = .unicode) -> StyledText {
        guard width > columns else { return self }
        var (result, left) = (StyledText(), columns)
        for span in spans {
            let width = TerminalText.width(span.text)
            if width < left {
                result.append(span.text, span.style)
                left -= width
            } else {
                // The ellipsis belongs at the end, so one column stays for it.
                result.append(TerminalText.cut(span.text + " ", to: left, glyphs: glyphs), span.style)
                break
            }
        }
        return result
    }
}
