import Explorer
import Harald
import TerminalScreen

/// The pages of the log and of the help.
extension ExploreScreen {
    mutating func drawLog(_ view: inout ExploreView, _ id: PeripheralID?) -> Int {
        let entries = data.log
        let dropped = data.droppedEntries > 0 ? ", \(data.droppedEntries) older entries were dropped" : ""
        let which = id == nil ? "of all devices" : "of this device"
        let count = entries.count.counted("entry", "entries")
        screen.put("\(count) \(which)\(dropped)", row: bottom - 1, column: 0, style: .dim)
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
                ("arrows, j k", "move; page up and down, home and end"), ("enter", "open the selected item"),
                ("esc", "back; in the list: show all devices"), ("l", "the log, of the device on a device's page"),
                ("o", "switch Bluetooth on if it is off"), ("?", "this help"), ("q, Ctrl-C", "quit"),
                ("Ctrl-Z", "suspend; fg resumes"),
            ]
        ),
        (
            "Devices",
            [
                ("/", "filter while you type: " + DeviceFilter.forms),
                ("s", "sort: as found, by name, signal, time, interval"),
                ("space", "pause and resume the scan"), ("f", "mark as a favourite"),
                ("c", "connect or disconnect"),
                ("C", "connect, and reconnect when the link is lost; C stops that"),
            ]
        ),
        (
            "A device",
            [
                ("tab", "attributes or advertisement"), ("r", "read"), ("w, W", "write; W without response"),
                ("n", "notifications on and off"), ("R", "read all values"), ("p", "pair"),
                ("x", "clone into a device file that 'harald simulate' runs"),
            ]
        ),
        (
            "The log", [("e", "export as JSON Lines or CSV"), ("a", "of one device, or of all")]
        ),
    ]

    mutating func drawHelp(_ view: inout ExploreView) -> Int {
        let isWide = columns >= 100
        let width = (isWide ? columns / 2 : columns) - 2
        let parts = isWide ? [Self.help.prefix(2), Self.help.dropFirst(2)] : [Self.help[...]]
        let lines = parts.map { $0.flatMap { helpLines($0.0, $0.1, width: width) } }
        let count = lines.map(\.count).max() ?? 0
        let isCut = count > body.count
        let page = max(0, body.count - (isCut ? 1 : 0))
        view.helpScroll.select(min(view.helpScroll.selected, max(0, count - page)))
        for (number, column) in lines.enumerated() {
            var row = body.lowerBound
            let shown = Array(column.dropFirst(view.helpScroll.selected).prefix(page))
            put(shown, from: &row, column: number * columns / 2)
        }
        if isCut {
            let first = view.helpScroll.selected
            let text = "lines \(first + 1) to \(min(count, first + page)) of \(count)"
            screen.put(text, row: bottom - 1, column: 0, style: .dim)
        }
        return page
    }

    private func helpLines(_ title: String, _ keys: [(String, String)], width: Int) -> [StyledText] {
        let indent = String(repeating: " ", count: 13)
        let lines = keys.flatMap { key, text in
            wrapped(TerminalText.fit(key, to: 13) + text, width: width, indent: indent)
        }
        return [StyledText(title, .bold)] + lines + [StyledText()]
    }
}
