/// Text with spans of different styles.
package struct StyledText: Hashable, Sendable {
    /// A span of one style.
    package struct Span: Hashable, Sendable {
        package var text: String
        package var style: Style
    }

    package private(set) var spans: [Span]

    package init(_ text: String = "", _ style: Style = .plain) {
        spans = text.isEmpty ? [] : [Span(text: text, style: style)]
    }

    /// Appends a span.
    package mutating func append(_ text: String, _ style: Style = .plain) {
        if !text.isEmpty { spans.append(Span(text: text, style: style)) }
    }

    /// Appends the spans of another text.
    package mutating func append(_ other: StyledText) { spans += other.spans }

    /// The text without styles.
    package var plain: String { spans.map(\.text).joined() }

    /// The width in columns.
    package var width: Int { spans.reduce(0) { $0 + TerminalText.width($1.text) } }

    /// Returns the text with the control sequences of its styles.
    /// - Parameter coloured: false for output without styles.
    package func string(coloured: Bool) -> String { spans.map { $0.style.apply($0.text, coloured) }.joined() }

    /// Returns the text cut to at most `columns` columns, with an ellipsis if it was cut.
    package func cut(to columns: Int, glyphs: Glyphs = .unicode) -> StyledText {
        guard width > columns else { return self }
        var (result, left) = (StyledText(), columns)
        for span in spans {
            let width = TerminalText.width(span.text)
            if width < left {
                result.append(span.text, span.style)
                left -= width
            } else {
                // The appended space makes `cut` reserve a column for the ellipsis.
                result.append(TerminalText.cut(span.text + " ", to: left, glyphs: glyphs), span.style)
                break
            }
        }
        return result
    }
}
