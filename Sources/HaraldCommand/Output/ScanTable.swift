import Explorer
import Harald
import TerminalScreen

/// The table of a scan, live in a terminal.
enum ScanTable {
    /// The minimum time between two updates of the live table.
    private static let pause = Duration.milliseconds(200)

    /// Consumes a scan and shows its devices: as many as fit on the screen during the scan, and all at the end.
    /// - Throws: the error of the scan.
    static func show(
        _ scan: Scan, in list: inout DeviceList, indent: Int = 0, onFound: (ScanResult) -> Void = { _ in }
    ) async throws {
        let session = TerminalSession(placement: .inline, readsKeys: false) { Console.write($0) }
        var last = ContinuousClock.now - pause
        try await closing {
            for try await found in scan {
                list.note(DeviceRow(found))
                onFound(found)
                guard ContinuousClock.now - last >= pause else { continue }
                last = .now
                session.show(picture(of: list, indent))
            }
        } with: {
            await session.close()
        }
        guard !list.isEmpty else { return }
        let width = Terminal.size.columns - indent
        let lines = list.lines(width: width, coloured: Terminal.hasColours, wraps: true, glyphs: Terminal.glyphs)
        Console.write(lines.map { String(repeating: " ", count: indent) + $0 + "\n" }.joined())
    }

    private static func picture(of list: DeviceList, _ indent: Int) -> ScreenBuffer {
        let (columns, rows) = Terminal.size
        let (title, blocks) = list.table.styled(width: columns - indent, glyphs: Terminal.glyphs)
        let lines = ([title] + blocks.flatMap { $0 }).map { line in
            var indented = StyledText(String(repeating: " ", count: indent))
            indented.append(line)
            return indented
        }
        return ScreenBuffer(lines: lines, columns: columns, rows: rows - 1, glyphs: Terminal.glyphs)
    }
}
