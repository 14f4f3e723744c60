#if Programs
import Explorer
import Harald
import TerminalScreen

/// The log, and the help.
extension ExploreScreen {
    mutating func drawLog(_ view: inout ExploreView, _ id: PeripheralID?) -> Int {
        let entries = data.log
        let dropped = data.droppedEntries > 0 ? ", \(data.droppedEntries) older ones were dropped" : ""
        let which = id == nil ? "of everything" : "of this device"
        screen.put("\(entries.count) entries \(which)\(dropped)", row: bottom - 1, column: 0, style: .dim)
        let page = max(0, body.count - 1)
        if view.followsLog { view.logScroll.select(max(0, entries.count - 1)) }
        let nameWidth = columns >= 100 ? 22 : 12
        for (offset, index) in view.logScroll.window(count: entries.count, page: page).enumerated() {
            let (row, entry) = (body.lowerBound + offset, entries[index])
            var line = StyledText(clock(entry.time) + " ", .dim)
            if columns >= 80 { line.append(TerminalText.fit(entry.kind.rawValue, to: 12) + " ", .dim) }
            if id == nil {
                let name = entry.name ?? (entry.device == nil ? "" : "-")
                line.append(TerminalText.fit(glyphs.text(TerminalText.safe(name)), to: nameWidth, glyphs: glyphs) + " ")
            }
            if let uuid = entry.uuid { line.append((AssignedNumbers.name(of: uuid) ?? uuid.description) + ": ", .dim) }
            line.append(TerminalText.safe(entry.text), entry.isError ? .red : .plain)
            if entry.isError, !entry.advice.isEmpty { line.append("; " + entry.advice, .dim) }
            screen.put(line, row: row, column: 1)
            if index == view.logScroll.selected { screen.put(">", row: row, column: 0) }
        }
        return page
    }

    private static let help: [(String, [(String, String)])] = [
        (
            "Everywhere",
            [
                ("arrows, j k", "move; page up and down, home and end"), ("enter", "open what is selected"),
                ("esc", "back; in the list: show all devices"), ("l", "the log, of the device on a device's page"),
                ("o", "switch Bluetooth on, where it is off"), ("?", "this help"), ("q, Ctrl-C", "quit"),
                ("Ctrl-Z", "suspend; fg comes back"),
            ]
        ),
        (
            "Devices",
            [
                ("/", "filter while you type: " + ExploreFilterText.forms),
                ("s", "sort: as found, by name, signal, time, interval"),
                ("space", "pause the scan, and go on"), ("f", "mark as a favourite"),
                ("c", "connect, or end the connection"),
            ]
        ),
        (
            "A device",
            [
                ("tab", "attributes or advertisement"), ("r", "read"), ("w, W", "write; W without response"),
                ("n", "notifications on and off"), ("R", "read all values"), ("p", "pair"),
                ("x", "clone into a device file that 'harald simulate' plays"),
            ]
        ),
        (
            "The log", [("e", "export as JSON Lines or CSV"), ("a", "of one device, or of all")]
        ),
    ]

    mutating func drawHelp() -> Int {
        var row = body.lowerBound
        let isWide = columns >= 100
        for (number, (title, keys)) in Self.help.enumerated() {
            let column = isWide && number > 1 ? columns / 2 : 0
            if isWide, number == 2 { row = body.lowerBound }
            let width = (isWide ? columns / 2 : columns) - 2
            put([StyledText(title, .bold)], from: &row, column: column)
            for (key, text) in keys {
                let line = TerminalText.fit(key, to: 13) + text
                put(
                    wrapped(line, width: width, indent: String(repeating: " ", count: 13)), from: &row, column: column,
                    width: width)
            }
            if isWide || screen.rows > 34 { row += 1 }
        }
        return body.count
    }
}
#endif
