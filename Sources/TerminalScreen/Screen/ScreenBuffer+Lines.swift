extension ScreenBuffer {
    /// Creates a picture of the lines, at most `rows` high. If there are more lines, its last row states the number of
    /// omitted ones.
    package init(lines: [StyledText], columns: Int, rows: Int, glyphs: Glyphs) {
        let shown = lines.count > rows ? max(0, rows - 1) : lines.count
        self.init(columns: columns, rows: min(lines.count, max(0, rows)), glyphs: glyphs)
        for (row, line) in lines.prefix(shown).enumerated() { put(line, row: row, column: 0) }
        if shown < lines.count { put("… and \(lines.count - shown) more", row: shown, column: 0, style: .dim) }
    }
}
