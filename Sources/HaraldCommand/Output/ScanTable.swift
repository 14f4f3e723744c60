#if Programs
import Harald

/// The table of a scan, live in a terminal.
enum ScanTable {
    /// How long the live table stands still at least.
    private static let pause = Duration.milliseconds(200)

    /// Consumes a scan and shows what it hears: as many devices as the screen has room for, and all of them at the end.
    static func show(_ scan: Scan, in list: inout DeviceList) async throws {
        var screen = LiveLines()
        var last = ContinuousClock.now - pause
        Terminal.hideCursor()
        defer { Terminal.restore() }
        for try await found in scan {
            list.note(DeviceRow(found))
            guard ContinuousClock.now - last >= pause else { continue }
            last = .now
            screen.draw(list.lines(width: Terminal.size.columns, coloured: Terminal.hasColours))
        }
        if !list.isEmpty {
            screen.finish(list.lines(width: Terminal.size.columns, coloured: Terminal.hasColours, wraps: true))
        }
    }
}
#endif
