import BluetoothProfiles
import Explorer
import Foundation
import Harald
import TerminalScreen

/// The page of a characteristic or a descriptor: its current value and earlier ones.
extension ExploreScreen {
    mutating func drawAttribute(_ view: inout ExploreView, _ handle: UInt32) -> Int {
        var row = body.lowerBound
        guard let entry = data.row(handle: handle) else {
            put(wrapped("The device no longer has an attribute with this handle.", .yellow), from: &row)
            return 0
        }
        put(headLines(entry, handle), from: &row)
        row += 1
        if let newest = data.values.last {
            put(valueLines(newest), from: &row)
            put(plotLines, from: &row)
        } else {
            let keys = [entry.isReadable ? "r reads it" : nil, entry.isSubscribable ? "n subscribes" : nil]
            let hint = keys.compactMap { $0 }.joined(separator: ", ")
            put([StyledText("No value yet" + (hint.isEmpty ? "." : ": \(hint)."), .dim)], from: &row)
        }
        row += 1
        return drawValues(&view, from: row)
    }

    private func headLines(_ entry: ExploreTreeRow, _ handle: UInt32) -> [StyledText] {
        var lines = [StyledText(entry.name ?? entry.uuid.description, .bold)]
        var facts = ["\(entry.uuid)", "#\(HandleText.text(handle))"]
        switch entry {
        case .service: break
        case .characteristic(let characteristic, let use, let service):
            facts.append("in \(service)")
            facts.append(characteristic.properties.joined(separator: " "))
            if entry.isSubscribed { facts.append("subscribed") }
            if let use, use.subscriberCount > 1 { facts.append("\(use.subscriberCount) subscribers") }
        case .descriptor(_, let characteristic): facts.append("descriptor of \(characteristic)")
        }
        if data.connection?.phase != .connected { facts.append("not connected") }
        lines += wrapped(facts.joined(separator: "  "), .dim, indent: "  ")
        return lines
    }

    /// The decoded value first, then the bytes.
    private func valueLines(_ report: ValueReport) -> [StyledText] {
        var lines: [StyledText] = []
        if let fields = report.value.fields, fields.count > 1 {
            let width = min(28, fields.map { TerminalText.width($0.words) }.max() ?? 0)
            for field in fields {
                let text = TerminalText.fit(field.words, to: width, glyphs: glyphs) + "  " + field.valueText
                lines += wrapped(text, .cyan, indent: String(repeating: " ", count: width + 2))
            }
        } else {
            lines += wrapped(report.value.meaning, .cyan)
        }
        if let problem = report.value.problem { lines += wrapped("\(problem)", .yellow) }
        if report.value.meaning != report.value.hex { lines += wrapped(report.value.hex, .dim).prefix(4) }
        lines.append(StyledText("\(report.cause.words) \(age(report.time)) ago, at \(clock(report.time))", .dim))
        return lines
    }

    /// A sparkline for each number of the value, with its range.
    private var plotLines: [StyledText] {
        let reports = data.values.suffix(max(10, columns / 2)).filter { $0.cause != .write }
        guard reports.count > 1, let newest = reports.last else { return [] }
        return newest.numbers.prefix(6).map { name, _, unit in
            let values: [Double?] = reports.map { $0.numbers.first { $0.name == name }?.value }
            let known = values.compactMap { $0 }
            var line = StyledText(TerminalText.fit(name, to: 22, glyphs: glyphs) + " ")
            let room = max(8, columns - 60)
            line.append(Sparkline.text(Array(values.suffix(room)), glyphs: glyphs), .green)
            if let low = known.min(), let high = known.max() {
                let range = "\(Self.number(low)) to \(Self.number(high))\(unit.map { " \($0)" } ?? "")"
                line.append("  " + glyphs.text(range), .dim)
            }
            return line
        }
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String((value * 1000).rounded() / 1000)
    }

    private mutating func drawValues(_ view: inout ExploreView, from row: Int) -> Int {
        let count = data.values.count
        let page = max(0, bottom - row - 1)
        guard count > 0, page > 0 else { return page }
        let dropped = data.droppedValues > 0 ? ", \(data.droppedValues) older values were dropped" : ""
        let title = count == 1 ? "One value" : "The last \(count) values, newest first"
        screen.put(title + dropped, row: row, column: 0, style: .dim)
        for (offset, index) in view.valueScroll.window(count: count, page: page).enumerated() {
            let report = data.values[count - 1 - index]
            var line = StyledText(clock(report.time) + "  ", .dim)
            line.append(TerminalText.fit(report.cause.words, to: 10) + "  ", .dim)
            line.append(TerminalText.safe(report.value.meaning))
            if report.value.meaning != report.value.hex { line.append("  " + report.value.hex, .dim) }
            screen.put(line, row: row + 1 + offset, column: 1)
            if index == view.valueScroll.selected { screen.put(">", row: row + 1 + offset, column: 0) }
        }
        return page
    }
}

extension ValueCause {
    var words: String {
        switch self {
        case .notify: "notified"
        case .indicate: "indicated"
        case .read: "read"
        case .write: "written"
        }
    }
}
