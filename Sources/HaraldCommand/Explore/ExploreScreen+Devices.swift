import Explorer
import Foundation
import Harald
import TerminalScreen

/// The list of devices.
extension ExploreScreen {
    private static let sparklineWidth = 10

    mutating func drawDevices(_ view: inout ExploreView) -> Int {
        let isWide = columns >= Self.wideWidth
        let listWidth = isWide ? columns * 3 / 5 : columns
        var status = data.devices.count.counted("device")
        if data.hiddenCount > 0 { status += ", \(data.hiddenCount) hidden by the filter" }
        if !view.filterText.isEmpty { status += " '\(view.filterText)'" }
        status += ", \(view.order.key.words)"
        screen.put(status, row: bottom - 1, column: 0, width: listWidth, style: .dim)
        let page = max(0, body.count - 2)
        let window = view.deviceScroll.window(count: data.devices.count, page: page)
        guard !data.devices.isEmpty else {
            drawEmptyList(view, width: listWidth)
            return page
        }
        let (title, rows) = table(window, width: listWidth - 2).styled(width: listWidth - 2, glyphs: glyphs)
        screen.put(title, row: body.lowerBound, column: 2, width: listWidth - 2)
        for (offset, index) in window.enumerated() {
            let row = body.lowerBound + 1 + offset
            for line in rows[offset].prefix(1) { screen.put(line, row: row, column: 2, width: listWidth - 2) }
            guard index == view.deviceScroll.selected else { continue }
            screen.put(">", row: row, column: 0)
            screen.paint(.reversed, row: row, columns: 0..<listWidth)
        }
        if isWide {
            screen.line(column: listWidth, rows: body)
            drawAdvertisement(column: listWidth + 2, rows: body, scroll: 0)
        }
        return page
    }

    private mutating func drawEmptyList(_ view: ExploreView, width: Int) {
        var row = body.lowerBound + 1
        let text: String
        if data.hiddenCount > 0 {
            text = "The filter hides \(data.hiddenCount.counted("device")). / changes it, esc shows all devices."
        } else if data.radio.state != .poweredOn {
            text = "No device, because Bluetooth is \(data.radio.state.words)."
        } else if !data.isScanning {
            text = "No device. The scan is paused; space resumes it."
        } else {
            text = "No device yet. A device must be switched on, in range, and not connected elsewhere."
        }
        put(wrapped(text, width: width - 2), from: &row, column: 2, width: width - 2)
    }

    private func table(_ window: Range<Int>, width: Int) -> TextTable {
        var table = TextTable([
            .init(title: ""), .init(title: "NAME", leastWidth: 15, yield: 6), .init(title: "ADDRESS"),
            .init(title: "RSSI", isNumber: true, yield: 5), .init(title: "SIGNAL", yield: 4),
            .init(title: "SEEN", isNumber: true, yield: 3), .init(title: "EVERY", isNumber: true, yield: 1),
            .init(title: "ADVERTISES", leastWidth: 14, yield: 2),
        ])
        // A fixed width keeps long names from moving the other columns.
        let nameWidth = width >= 100 ? 28 : 20
        for device in data.devices[window] {
            let name = TerminalText.fit(
                glyphs.text(TerminalText.brief(device.title)), to: nameWidth, glyphs: glyphs)
            let style = Self.style(rssi: device.rssi)
            table.rows.append([
                .init(light(device.connection) + (device.isFavourite ? "*" : " "), Self.style(device.connection)),
                .init(name, device.name == nil && device.alias == nil ? .dim : nil),
                .init(device.address?.text ?? device.id.description, .dim),
                .init(TerminalText.fit(device.rssi.map(String.init) ?? "?", to: 4, atEnd: true), style),
                .init(sparkline(data.strengths[device.id] ?? [], width: Self.sparklineWidth), style),
                .init(TerminalText.fit(age(device.lastSeen), to: 6, atEnd: true), .dim),
                .init(TerminalText.fit(interval(device.interval), to: 7, atEnd: true), .dim),
                .init(device.summary),
            ])
        }
        return table
    }

    func interval(_ interval: Duration?) -> String {
        guard let interval else { return "" }
        let milliseconds = interval / .milliseconds(1)
        return milliseconds < 1000 ? "\(Int(milliseconds.rounded())) ms" : "\((milliseconds / 100).rounded() / 10) s"
    }

    func light(_ phase: ConnectionPhase) -> String {
        switch phase {
        case .connected: glyphs.lights.on
        case .connecting, .reconnecting, .disconnecting: glyphs.lights.half
        case .disconnected: glyphs.lights.off
        }
    }

    static func style(_ phase: ConnectionPhase) -> Style {
        switch phase {
        case .connected: .green
        case .connecting, .reconnecting, .disconnecting: .yellow
        case .disconnected: .dim
        }
    }
}

extension ExplorerDevice {
    /// A summary of the advertisement: its values, else the summary of a scan row.
    var summary: String {
        let texts = values.map(\.summary)
        return texts.isEmpty ? row.summary : texts.joined(separator: ", ")
    }
}
