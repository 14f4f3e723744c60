import Explorer
import Foundation
import Harald
import TerminalScreen

/// Draws the explorer: a title, the page, and messages and key hints at the bottom.
struct ExploreScreen {
    let data: ExploreData
    var screen: ScreenBuffer
    /// The rows of the page, between the title and the bottom.
    private(set) var top = 1
    private(set) var bottom: Int

    /// The minimum number of columns for a list with details beside it.
    static let wideWidth = 120

    private init(_ data: ExploreData, columns: Int, rows: Int, glyphs: Glyphs) {
        self.data = data
        screen = ScreenBuffer(columns: columns, rows: rows, glyphs: glyphs)
        bottom = rows
    }

    /// Returns the picture and the number of visible rows in the list of the page.
    static func draw(
        _ view: inout ExploreView, _ data: ExploreData, columns: Int, rows: Int, glyphs: Glyphs
    ) -> (picture: ScreenBuffer, page: Int) {
        var drawing = ExploreScreen(data, columns: columns, rows: rows, glyphs: glyphs)
        drawing.drawTitle(view)
        drawing.drawBottom(view)
        let page: Int
        switch view.page {
        case .devices: page = drawing.drawDevices(&view)
        case .device(let id): page = drawing.drawDevice(&view, id)
        case .attribute(_, let handle): page = drawing.drawAttribute(&view, handle)
        case .log(let id): page = drawing.drawLog(&view, id)
        case .help: page = drawing.drawHelp(&view)
        }
        if let question = view.question { drawing.drawQuestion(question, view) }
        return (drawing.screen, page)
    }

    /// The rows of the page.
    var body: Range<Int> { min(top, bottom)..<bottom }
    var columns: Int { screen.columns }
    var glyphs: Glyphs { screen.glyphs }

    // MARK: Title

    private mutating func drawTitle(_ view: ExploreView) {
        let names = view.pages.map { page in
            switch page {
            case .devices: "harald explore"
            case .device: data.detail?.device.title ?? data.connection?.name ?? "device"
            case .attribute(_, let handle):
                data.row(handle: handle).map { $0.name ?? $0.uuid.description } ?? "attribute"
            case .log(let id): id == nil ? "log" : "log of the device"
            case .help: "help"
            }
        }
        let state =
            data.radio.state != .poweredOn
            ? "Bluetooth \(data.radio.state.words)"
            : data.isScanning ? "scanning" : "paused"
        let right = columns >= 80 ? "\(data.adapter)  \(state) " : "\(state) "
        let room = max(0, columns - TerminalText.width(right) - 1)
        screen.put(" " + names.joined(separator: " > "), row: 0, column: 0, width: room)
        screen.put(right, row: 0, column: max(0, columns - TerminalText.width(right)))
        screen.paint(.reversed, row: 0)
        guard data.radio.state != .poweredOn else { return }
        var text = "Bluetooth is \(data.radio.state.words)"
        if !data.radio.reason.isEmpty { text += ": \(data.radio.reason)" }
        if !data.radio.advice.isEmpty { text += ". \(data.radio.advice)" }
        if data.radio.canPowerOn { text += " Press o to switch it on." }
        for line in TerminalText.wrap(TerminalText.safe(text), to: columns).prefix(3) {
            screen.put(line, row: top, column: 0, style: .yellow)
            top += 1
        }
    }

    // MARK: Bottom

    private mutating func drawBottom(_ view: ExploreView) {
        let lines: [StyledText]
        if let prompt = view.prompt {
            drawPrompt(prompt, view)
            return
        }
        lines = KeyHints.lines(view.hints(data).map(glyphs.text), width: columns)
        let shown = Array(lines.prefix(max(1, screen.rows / 5)))
        bottom = max(top, bottom - shown.count)
        for (index, line) in shown.enumerated() { screen.put(line, row: bottom + index, column: 0) }
        drawMessage(view)
    }

    private mutating func drawMessage(_ view: ExploreView) {
        let running = data.running.isEmpty ? nil : data.running.joined(separator: ", ") + "…"
        guard let text = view.message?.text ?? running else { return }
        let isError = view.message?.isError ?? false
        let wrapped = TerminalText.wrap(glyphs.text(TerminalText.safe(text)), to: columns).prefix(3)
        bottom = max(top, bottom - wrapped.count)
        for (index, line) in wrapped.enumerated() {
            screen.put(line, row: bottom + index, column: 0, style: isError ? .red : .bold)
        }
    }

    private mutating func drawPrompt(_ prompt: ExploreView.Prompt, _ view: ExploreView) {
        let (label, hint): (String, String) =
            switch prompt {
            case .filter: ("filter: ", "enter applies the filter, esc cancels")
            case .write(_, _, let withResponse, let offersBoth):
                (
                    withResponse ? "write: " : "write without response: ",
                    "enter writes, esc cancels" + (offersBoth ? ", tab with or without response" : "")
                )
            case .exportLog: ("export the log to: ", "enter writes the file, esc cancels")
            case .clone: ("clone to: ", "enter reads all values and writes the file, esc cancels")
            }
        let note = TerminalText.wrap(glyphs.text(TerminalText.safe(view.lineNote)), to: columns).prefix(3)
        bottom = max(top, bottom - 2 - note.count)
        let row = bottom + note.count
        for (index, line) in note.enumerated() where !line.isEmpty {
            screen.put(line, row: bottom + index, column: 0, style: .dim)
        }
        let start = screen.put(label, row: row, column: 0, style: .bold)
        view.line.draw(on: &screen, row: row, column: start, width: columns - start)
        screen.put(hint, row: row + 1, column: 0, style: .dim)
    }

    // MARK: Shared by pages

    /// Puts lines, starting at a row; lines below `body` are omitted.
    mutating func put(_ lines: [StyledText], from row: inout Int, column: Int = 0, width: Int? = nil) {
        for line in lines where row < bottom {
            screen.put(line, row: row, column: column, width: width)
            row += 1
        }
    }

    /// Text wrapped into as many lines as it needs.
    func wrapped(_ text: String, _ style: Style = .plain, width: Int? = nil, indent: String = "") -> [StyledText] {
        TerminalText.wrap(glyphs.text(TerminalText.safe(text)), to: width ?? columns, indent: indent)
            .map { StyledText($0, style) }
    }

    /// The time elapsed since `time`: "3 s", "5 min", "2 h".
    func age(_ time: Date) -> String {
        let seconds = max(0, data.now.timeIntervalSince(time))
        switch seconds {
        case ..<60: return "\(Int(seconds)) s"
        case ..<3600: return "\(Int(seconds / 60)) min"
        case ..<86400: return "\(Int(seconds / 3600)) h"
        default: return "\(Int(seconds / 86400)) d"
        }
    }

    /// The latest signal strengths as a sparkline, from -100 to -30 dBm.
    func sparkline(_ samples: [RSSISample], width: Int) -> String {
        let values: [Double?] = samples.suffix(width).map { Double($0.rssi) }
        return Sparkline.text(
            Array(repeating: nil, count: max(0, width - values.count)) + values, range: -100 ... -30, glyphs: glyphs)
    }

    static func style(rssi: Int?) -> Style {
        guard let rssi else { return .dim }
        return rssi >= -60 ? .green : rssi >= -80 ? .yellow : .red
    }
}

extension RadioState {
    /// The state as part of a sentence: "Bluetooth is off".
    var words: String {
        switch self {
        case .poweredOn: "on"
        case .poweredOff: "off"
        case .unauthorized: "not permitted"
        case .unsupported: "not available"
        case .resetting: "being reset"
        case .unknown: "not ready yet"
        }
    }
}
