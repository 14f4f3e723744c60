/// Rows and columns of text, cut to a width.
struct TextTable {
    struct Column {
        var title: String
        /// Whether its text stands at the right.
        var isNumber = false
        /// How narrow it may become; nil where it keeps the width of its longest text.
        var leastWidth: Int?
    }

    struct Cell {
        var text: String
        var style: Style?

        init(_ text: String, _ style: Style? = nil) {
            self.text = TerminalText.safe(text)
            self.style = style
        }
    }

    var columns: [Column]
    var rows: [[Cell]] = []
    private static let gap = "  "

    init(_ columns: [Column]) { self.columns = columns }

    /// The lines, a title first. With a width each line has at most so many columns: the last column gives way first,
    /// then those before it. What is too long is cut; in the last column it goes on in further lines where `wraps` is
    /// true.
    func lines(width: Int?, coloured: Bool = false, wraps: Bool = false) -> [String] {
        let (title, rows) = blocks(width: width, coloured: coloured, wraps: wraps)
        return [title] + rows.flatMap { $0 }
    }

    /// The title, and the lines of each row.
    func blocks(
        width: Int?, coloured: Bool = false, wraps: Bool = false
    ) -> (title: String, rows: [[String]]) {
        var widths = columns.indices.map { index in
            rows.reduce(TerminalText.width(columns[index].title)) { max($0, TerminalText.width($1[index].text)) }
        }
        if let width {
            var excess = widths.reduce(0, +) + Self.gap.count * (columns.count - 1) - width
            for index in columns.indices.reversed() where excess > 0 {
                guard let least = columns[index].leastWidth else { continue }
                let cut = min(excess, max(0, widths[index] - least))
                widths[index] -= cut
                excess -= cut
            }
        }
        let title = line(columns.map { Cell($0.title, .bold) }, widths, width, coloured)
        return (title, rows.map { wraps ? wrapped($0, widths, width, coloured) : [line($0, widths, width, coloured)] })
    }

    /// A row whose last cell has as many lines as it needs.
    private func wrapped(_ cells: [Cell], _ widths: [Int], _ width: Int?, _ coloured: Bool) -> [String] {
        guard let last = cells.last, let room = widths.last else { return [] }
        let parts = TerminalText.wrap(last.text, to: room)
        return parts.enumerated().map { index, part in
            let others = index == 0 ? Array(cells.dropLast()) : cells.dropLast().map { _ in Cell("") }
            return line(others + [Cell(part, last.style)], widths, width, coloured)
        }
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ width: Int?, _ coloured: Bool) -> String {
        var texts: [String] = []
        for (index, cell) in cells.enumerated() {
            let isLast = index == cells.count - 1
            let text =
                isLast && !columns[index].isNumber
                ? TerminalText.cut(cell.text, to: widths[index])
                : TerminalText.fit(cell.text, to: widths[index], atEnd: columns[index].isNumber)
            texts.append(text)
        }
        // A width that is too small for all columns cuts the line; styles then count for nothing.
        let plain = texts.joined(separator: Self.gap)
        if let width, TerminalText.width(plain) > width { return TerminalText.cut(plain, to: width) }
        guard coloured else { return plain }
        return zip(texts, cells).map { text, cell in cell.style.map { $0.apply(text, true) } ?? text }
            .joined(separator: Self.gap)
    }
}
