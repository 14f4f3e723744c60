/// A table of text that fits a width.
///
/// In a table that is too wide, columns are shrunk to their minimum widths one after the other; if that is not enough,
/// columns are omitted. A column without `leastWidth` and `yield`, such as the one that identifies a row, keeps its
/// text complete as long as the column alone fits.
package struct TextTable: Sendable {
    package struct Column: Sendable {
        package var title: String
        /// True for right alignment.
        package var isNumber: Bool
        /// The minimum width; nil if the column does not shrink.
        package var leastWidth: Int?
        /// The rank in the order in which columns are omitted or shrunk, 1 first; nil if the column is never omitted.
        /// Columns without a rank shrink after the others, from the last to the first.
        package var yield: Int?

        package init(title: String, isNumber: Bool = false, leastWidth: Int? = nil, yield: Int? = nil) {
            self.title = title
            self.isNumber = isNumber
            self.leastWidth = leastWidth
            self.yield = yield
        }
    }

    package struct Cell: Sendable {
        package var text: String
        package var style: Style

        package init(_ text: String, _ style: Style? = nil) {
            self.text = TerminalText.safe(text)
            self.style = style ?? .plain
        }
    }

    package var columns: [Column]
    package var rows: [[Cell]] = []
    private static let gap = "  "
    /// The indent of omitted cells, which are placed below their row.
    private static let indent = "    "

    package init(_ columns: [Column]) { self.columns = columns }

    /// Returns the lines of the table, the title first.
    ///
    /// - Parameters:
    ///   - width: the maximum width of a line; nil for no limit.
    ///   - wraps: true to continue cut or omitted text in further lines.
    package func lines(
        width: Int?, coloured: Bool = false, wraps: Bool = false, glyphs: Glyphs = .unicode
    ) -> [String] {
        let (title, rows) = styled(width: width, wraps: wraps, glyphs: glyphs)
        return [title.string(coloured: coloured)] + rows.flatMap { $0.map { $0.string(coloured: coloured) } }
    }

    /// Returns the title, and the lines of each row.
    package func blocks(
        width: Int?, coloured: Bool = false, wraps: Bool = false, glyphs: Glyphs = .unicode
    ) -> (title: String, rows: [[String]]) {
        let (title, rows) = styled(width: width, wraps: wraps, glyphs: glyphs)
        return (title.string(coloured: coloured), rows.map { $0.map { $0.string(coloured: coloured) } })
    }

    /// Returns the title, and the lines of each row, with their styles.
    package func styled(
        width: Int?, wraps: Bool = false, glyphs: Glyphs = .unicode
    ) -> (title: StyledText, rows: [[StyledText]]) {
        var table = self
        if glyphs == .ascii {
            table.rows = rows.map { $0.map { Cell(glyphs.text($0.text), $0.style) } }
        }
        let layout = table.layout(width: width)
        let title = table.line(columns.map { Cell($0.title, .bold) }, layout, width, glyphs)
        return (title, table.rows.map { table.block($0, layout, width, wraps, glyphs) })
    }

    // MARK: Widths

    /// The visible columns with their widths.
    private typealias Layout = [(index: Int, width: Int)]

    private func layout(width: Int?) -> Layout {
        let natural = columns.indices.map { index in
            rows.reduce(TerminalText.width(columns[index].title)) { max($0, TerminalText.width($1[index].text)) }
        }
        var kept = Array(columns.indices)
        guard let width else { return kept.map { ($0, natural[$0]) } }
        func least(_ index: Int) -> Int { columns[index].leastWidth.map { min($0, natural[index]) } ?? natural[index] }
        func excess(_ widths: [Int]) -> Int { widths.reduce(0, +) + Self.gap.count * max(0, widths.count - 1) - width }
        let order = columns.indices.sorted { (columns[$0].yield ?? .max, -$0) < (columns[$1].yield ?? .max, -$1) }
        for index in order where columns[index].yield != nil && excess(kept.map(least)) > 0 {
            kept.removeAll { $0 == index }
        }
        var widths = natural
        for index in order where kept.contains(index) {
            let cut = min(max(0, excess(kept.map { widths[$0] })), widths[index] - least(index))
            widths[index] -= cut
        }
        return kept.map { ($0, widths[$0]) }
    }

    // MARK: Lines

    private func block(
        _ cells: [Cell], _ layout: Layout, _ width: Int?, _ wraps: Bool, _ glyphs: Glyphs
    ) -> [StyledText] {
        guard wraps, let last = layout.last else { return [line(cells, layout, width, glyphs)] }
        var lines: [StyledText] = []
        let parts = TerminalText.wrap(cells[last.index].text, to: last.width)
        for (number, part) in parts.enumerated() {
            var shown = number == 0 ? cells : cells.map { Cell("", $0.style) }
            shown[last.index].text = part
            lines.append(line(shown, layout, width, glyphs))
        }
        for index in columns.indices where index != last.index && !cells[index].text.isEmpty {
            let room = layout.first { $0.index == index }?.width
            if let room, TerminalText.width(cells[index].text) <= room { continue }
            let text = Self.indent + cells[index].text
            let wrapped = width.map { TerminalText.wrap(text, to: $0, indent: Self.indent) } ?? [text]
            lines += wrapped.map { StyledText($0, cells[index].style) }
        }
        return lines
    }

    private func line(_ cells: [Cell], _ layout: Layout, _ width: Int?, _ glyphs: Glyphs) -> StyledText {
        var line = StyledText()
        for (number, (index, room)) in layout.enumerated() {
            let (cell, isNumber) = (cells[index], columns[index].isNumber)
            if number > 0 { line.append(Self.gap) }
            let isLast = number == layout.count - 1
            line.append(
                isLast && !isNumber
                    ? TerminalText.cut(cell.text, to: room, glyphs: glyphs)
                    : TerminalText.fit(cell.text, to: room, atEnd: isNumber, glyphs: glyphs), cell.style)
        }
        return width.map { line.cut(to: $0, glyphs: glyphs) } ?? line
    }
}
