/// Lines that are drawn again and again at the same place of the terminal.
struct LiveLines {
    private var drawn = 0
    /// For which screen: a terminal that changes its size moves what was drawn to nobody knows where.
    private var size: (columns: Int, rows: Int) = (0, 0)
    private var resumptions = 0

    /// Draws the lines over those drawn before; what does not fit on the screen is left out.
    mutating func draw(_ lines: [String]) {
        let newSize = Terminal.size
        // After a suspension the shell has written below what was drawn.
        if Terminal.resumptions != resumptions { drawn = 0 }
        resumptions = Terminal.resumptions
        let isResized = drawn > 0 && newSize != size
        size = newSize
        let rows = size.rows - 1
        var lines = lines
        if lines.count > rows { lines = lines.prefix(rows - 1) + ["… and \(lines.count - rows + 1) more"] }
        var text = isResized ? "\u{1B}[H\u{1B}[2J" : drawn > 0 ? "\u{1B}[\(drawn)A\r" : ""
        for line in lines { text += line + "\u{1B}[K\n" }
        // What was drawn below before.
        text += "\u{1B}[J"
        Console.write(text)
        drawn = lines.count
    }

    /// Draws the lines a last time, all of them: what does not fit on the screen moves up and out of it.
    mutating func finish(_ lines: [String]) {
        draw([])
        Console.write(lines.map { $0 + "\n" }.joined())
    }
}
