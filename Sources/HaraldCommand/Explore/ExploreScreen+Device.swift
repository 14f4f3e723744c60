import Explorer
import Foundation
import Harald
import TerminalScreen

/// The page of a device: the state of its link, its attributes, and its advertisement.
extension ExploreScreen {
    mutating func drawDevice(_ view: inout ExploreView, _ id: PeripheralID) -> Int {
        var row = drawDeviceHead()
        let tab = view.tab(of: id, data)
        let isWide = columns >= Self.wideWidth
        // In a wide terminal both tabs are visible, and the keys apply to one of them.
        let width = isWide ? columns * 3 / 5 : columns
        if row < bottom {
            let end = screen.put(
                " attributes ", row: row, column: 0, style: tab == .attributes ? .reversed : .dim)
            screen.put(
                " advertisement ", row: row, column: isWide ? width + 2 : end + 1,
                style: tab == .advertisement ? .reversed : .dim)
            row += 1
        }
        let rows = min(row, bottom)..<bottom
        if isWide || tab == .attributes {
            drawTree(&view, rows: rows, width: width, hasKeys: tab == .attributes)
        }
        if isWide { screen.line(column: width, rows: rows) }
        if isWide || tab == .advertisement {
            let column = isWide ? width + 2 : 0
            let count = advertisementLines(width: columns - column).count
            view.fieldScroll.select(min(view.fieldScroll.selected, max(0, count - rows.count)))
            drawAdvertisement(column: column, rows: rows, scroll: view.fieldScroll.selected)
        }
        return rows.count
    }

    /// Draws name, address, link and signal.
    /// - Returns: the first row below.
    private mutating func drawDeviceHead() -> Int {
        var row = body.lowerBound
        let device = data.detail?.device
        var title = StyledText(device?.title ?? data.connection?.name ?? "-", .bold)
        if device?.isFavourite == true { title.append(" *", .yellow) }
        if let address = device?.address {
            title.append("  \(address.text) (\(address.kind == .public ? "public" : "random"))", .dim)
        }
        if let company = device?.company { title.append("  \(company)", .dim) }
        put([title], from: &row)
        put(linkLines, from: &row)
        if let device {
            var signal = StyledText(
                device.rssi.map { "\($0) dBm " } ?? "signal unknown ", Self.style(rssi: device.rssi))
            signal.append(
                sparkline(data.detail?.rssiHistory ?? [], width: min(60, max(10, columns / 3))),
                Self.style(rssi: device.rssi))
            if let distance = device.distance, columns >= 60 { signal.append("  \(distance.shortText)", .dim) }
            put([signal], from: &row)
        }
        return row
    }

    private var linkLines: [StyledText] {
        guard let report = data.connection else {
            return [StyledText("\(glyphs.lights.off) not connected", .dim)]
        }
        var state = "\(light(report.phase)) \(report.phase.rawValue)"
        if let attempt = report.attempt { state += ", attempt \(attempt)" }
        if report.phase != .disconnected || report.reason != nil { state += " for \(age(report.since))" }
        var lines = [StyledText(state, Self.style(report.phase))]
        if let reason = report.reason {
            let text = reason + (report.advice.isEmpty ? "" : "; \(report.advice)")
            lines += wrapped("  " + text, .red, indent: "  ").prefix(3)
        }
        if report.reason == nil, report.phase == .connecting, !report.advice.isEmpty {
            lines += wrapped("  " + report.advice, .dim, indent: "  ").prefix(3)
        }
        guard report.phase == .connected else { return lines }
        var facts = ["MTU \(report.mtu)"]
        if let phy = report.phy {
            let (transmit, receive) = (phy.transmit.jsonText, phy.receive.jsonText)
            facts.append("PHY " + (transmit == receive ? transmit : "\(transmit) / \(receive)"))
        }
        if let parameters = report.parameters {
            facts.append("interval \(parameters.interval / .milliseconds(1)) ms")
            facts.append("latency \(parameters.latency)")
            facts.append("timeout \(Int(parameters.supervisionTimeout / .milliseconds(1))) ms")
        }
        facts.append(SecurityText.text(report.security))
        if report.reconnects { facts.append("reconnects when lost") }
        if report.viewerCount > 1 { facts.append("\(report.viewerCount) viewers") }
        return lines + wrapped("  " + facts.joined(separator: "  "), .dim, indent: "  ").prefix(2)
    }

    // MARK: Attributes

    private mutating func drawTree(_ view: inout ExploreView, rows: Range<Int>, width: Int, hasKeys: Bool) {
        let tree = data.treeRows
        guard !tree.isEmpty else {
            var row = rows.lowerBound + 1
            let text: String =
                switch data.connection?.phase ?? .disconnected {
                case .disconnected where data.detail?.device.isConnectable == false:
                    "This device is not connectable; it only advertises."
                case .disconnected: "Not connected. c connects and discovers the attributes."
                case .connecting, .reconnecting: "Connecting. c cancels."
                case .connected: data.tree == nil ? "Discovering the attributes." : "The device has no attributes."
                case .disconnecting: "Disconnecting."
                }
            return put(wrapped(text, width: width - 2), from: &row, column: 2, width: width - 2)
        }
        let labelWidth = min(
            tree.map { TerminalText.width(Self.label($0, glyphs)) }.max() ?? 0, max(16, (width - 8) / 2))
        for (offset, index) in view.treeScroll.window(count: tree.count, page: rows.count).enumerated() {
            let (row, entry) = (rows.lowerBound + offset, tree[index])
            let label = Self.label(entry, glyphs)
            if case .service = entry {
                screen.put(label, row: row, column: 1, width: width - 1, style: .bold)
            } else {
                screen.put(label, row: row, column: 1, width: labelWidth, style: entry.isSubscribed ? .green : .plain)
                screen.put(Self.abilities(entry), row: row, column: labelWidth + 2, style: .dim)
                if let value = entry.value, width - labelWidth > 12 {
                    drawValue(value, row: row, column: labelWidth + 6, width: width - labelWidth - 6)
                }
            }
            if index == view.treeScroll.selected {
                screen.put(">", row: row, column: 0)
                if hasKeys { screen.paint(.reversed, row: row, columns: 0..<width) }
            }
        }
    }

    private mutating func drawValue(_ value: ValueText, row: Int, column: Int, width: Int) {
        let meaning = value.meaning
        let end = screen.put(meaning, row: row, column: column, width: width, style: .cyan)
        let left = column + width - end - 2
        if meaning != value.hex, left > 4 { screen.put(value.hex, row: row, column: end + 2, width: left, style: .dim) }
    }

    /// The letters of the keys that apply to a row.
    private static func abilities(_ row: ExploreTreeRow) -> String {
        let writes = row.writes
        return (row.isReadable ? "r" : "-") + (writes.withResponse || writes.withoutResponse ? "w" : "-")
            + (row.isSubscribable ? "n" : "-")
    }

    private static func label(_ row: ExploreTreeRow, _ glyphs: Glyphs) -> String {
        // For a UUID of 128 bits the name alone is more useful.
        let uuid = row.uuid.description
        let title = row.name.map { uuid.count > 8 ? $0 : "\(uuid) \($0)" } ?? uuid
        let text = glyphs.text(TerminalText.safe(title))
        switch row {
        case .service(let service): return text + (service.isPrimary ? "" : " (secondary)")
        case .characteristic: return "  " + text + (row.isSubscribed ? " \(glyphs.lights.on)" : "")
        case .descriptor: return "    " + text
        }
    }

    // MARK: Advertisement

    /// Draws the fields of the latest advertisement in a part of the screen.
    mutating func drawAdvertisement(column: Int, rows: Range<Int>, scroll: Int) {
        let width = columns - column
        guard width > 10 else { return }
        for (offset, line) in advertisementLines(width: width).dropFirst(scroll).prefix(rows.count).enumerated() {
            screen.put(line, row: rows.lowerBound + offset, column: column, width: width)
        }
    }

    /// Properties of the device, then the fields with their bytes; fields that changed recently are bold.
    func advertisementLines(width: Int) -> [StyledText] {
        guard let detail = data.detail else {
            return [StyledText("No advertisement of this device was received.", .dim)]
        }
        let device = detail.device
        var lines: [StyledText] = []
        func add(_ name: String, _ value: String, _ style: Style = .plain) {
            let head = TerminalText.fit(name, to: 18, glyphs: glyphs) + " "
            let parts = TerminalText.wrap(glyphs.text(TerminalText.safe(value)), to: max(8, width - 19))
            for (number, part) in parts.enumerated() {
                var line = StyledText(number == 0 ? head : String(repeating: " ", count: 19), .dim)
                line.append(part, style)
                lines.append(line)
            }
        }
        add("Name", device.title, .bold)
        add("Identifier", device.id.description)
        if let address = device.address {
            add("Address", "\(address.text) (\(address.kind == .public ? "public" : "random"))")
        }
        if let rssi = device.rssi {
            add("Signal", "\(rssi) dBm" + (device.distance.map { ", \($0.shortText)" } ?? ""), Self.style(rssi: rssi))
        }
        add("Connectable", device.isConnectable ? "yes" : "no")
        add(
            "Heard",
            "\(device.advertisementCount) times, last \(age(device.lastSeen)) ago"
                + (device.interval.map { ", every \(interval($0))" } ?? ""))
        for value in device.values { add(value.title, value.text, .cyan) }
        lines.append(StyledText())
        var part = AdvertisingPart.advertisement
        for heard in detail.fields {
            if heard.part != part {
                part = heard.part
                add(part == .merged ? "Merged" : "Scan response", part == .merged ? "by the platform" : "", .cyan)
            }
            let isNew = heard.changed.map { data.now.timeIntervalSince($0) < 2 } ?? false
            add(heard.field.name, heard.field.value, isNew ? .bold : .plain)
            let hex = heard.field.raw.hexText(separator: " ")
            if hex != heard.field.value { add("", hex, .dim) }
            if let changed = heard.changed { add("", "changed \(age(changed)) ago", .dim) }
        }
        if detail.fields.isEmpty { lines.append(StyledText("The advertisement is empty.", .dim)) }
        lines += historyLines(detail)
        return lines
    }

    private func historyLines(_ detail: DeviceDetail) -> [StyledText] {
        var lines = [StyledText()]
        lines.append(StyledText("The last \(detail.history.count) packets, newest first", .dim))
        for heard in detail.history.reversed() {
            var line = StyledText(clock(heard.time) + " ", .dim)
            line.append(TerminalText.fit(heard.rssi.map { String($0) } ?? "?", to: 4, atEnd: true) + " ")
            line.append(heard.part == .scanResponse ? "RSP " : heard.part == .advertisement ? "ADV " : "")
            line.append(heard.bytes.hexText(separator: " "), .dim)
            lines.append(line)
        }
        return lines
    }

    /// Returns a time such as "12:34:56.789" in the time zone of the machine.
    func clock(_ time: Date) -> String {
        let milliseconds = Int64((time.timeIntervalSince1970 * 1000).rounded(.down))
        var (seconds, parts) = (time_t(milliseconds / 1000), tm())
        localtime_r(&seconds, &parts)
        func digits(_ number: Int, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(digits(Int(parts.tm_hour))):\(digits(Int(parts.tm_min))):\(digits(Int(parts.tm_sec)))"
            + ".\(digits(Int(milliseconds % 1000), 3))"
    }
}
