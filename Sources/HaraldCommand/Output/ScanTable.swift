#if Programs
import Harald

/// The table of a scan: live in a terminal, once at the end elsewhere.
enum ScanTable {
    /// How long the live table stands still at least.
    private static let pause = Duration.milliseconds(200)

    /// Consumes a scan and shows what it hears. With JSON nothing is shown; the caller has the list.
    static func show(
        _ scan: Scan, isLive: Bool, isShown: Bool = true, pathLossExponent: Double? = nil
    ) async throws -> DeviceList {
        var list = DeviceList()
        list.pathLossExponent = pathLossExponent
        var screen = LiveLines()
        var last = ContinuousClock.now - pause
        if isLive { Terminal.hideCursor() }
        defer { Terminal.restore() }
        for try await found in scan {
            list.note(DeviceRow(found))
            guard isLive, ContinuousClock.now - last >= pause else { continue }
            last = .now
            screen.draw(list.lines(width: Terminal.size.columns, coloured: Terminal.hasColours))
        }
        if isLive {
            if !list.isEmpty { screen.draw(list.lines(width: Terminal.size.columns, coloured: Terminal.hasColours)) }
        } else if isShown, !list.isEmpty {
            for line in list.lines(width: nil) { Console.line(line) }
        }
        return list
    }
}
#endif
