import BluetoothProfiles
import Explorer
import Harald

/// The devices that a scan has found so far.
struct DeviceList {
    private var rows: [PeripheralID: DeviceRow] = [:]
    private var order: [PeripheralID: Int] = [:]
    private var strengths: [PeripheralID: RSSISmoother] = [:]
    /// The path loss exponent for distances; nil if no distances are shown.
    var pathLossExponent: Double?

    mutating func note(_ row: DeviceRow) {
        if order[row.id] == nil { order[row.id] = order.count }
        var row = row
        // Keeps the name if one advertisement does not contain it.
        row.name = row.name ?? rows[row.id]?.name
        var values = rows[row.id]?.values ?? []
        values.update(with: row.values)
        row.values = values
        if let pathLossExponent {
            if let rssi = row.rssi { strengths[row.id, default: RSSISmoother()].add(rssi) }
            row.distance = strengths[row.id]?.distance(of: row.advertisement, exponent: pathLossExponent)
        }
        rows[row.id] = row
    }

    var count: Int { rows.count }
    var isEmpty: Bool { rows.isEmpty }

    /// The devices, strongest first.
    var sorted: [DeviceRow] {
        rows.values.sorted { left, right in
            let (first, second) = (left.rssi ?? -128, right.rssi ?? -128)
            return first == second ? (order[left.id] ?? 0) < (order[right.id] ?? 0) : first > second
        }
    }

    /// A table of the devices. In a narrow terminal columns are omitted, but never the address, which identifies a
    /// device.
    var table: TextTable {
        var table = TextTable([
            .init(title: "RSSI", isNumber: true, yield: 3), .init(title: "NAME", leastWidth: 15, yield: 4),
            .init(title: "ADDRESS"), .init(title: "ADVERTISES", leastWidth: 12, yield: 1),
        ])
        if pathLossExponent != nil { table.columns.insert(.init(title: "DISTANCE", yield: 2), at: 1) }
        let hasValues = rows.values.contains { !$0.values.isEmpty }
        if hasValues { table.columns.append(.init(title: "VALUES", leastWidth: 20, yield: 5)) }
        for row in sorted {
            let address = row.address?.text ?? row.id.description
            table.rows.append([
                .init(row.rssi.map(String.init) ?? "?", Self.style(row.rssi)),
                .init(row.name ?? "-", row.name == nil ? .dim : nil), .init(address, .dim), .init(row.summary),
            ])
            if hasValues { table.rows[table.rows.count - 1].append(.init(row.valueText, .cyan)) }
            if pathLossExponent != nil {
                table.rows[table.rows.count - 1].insert(.init(row.distance?.shortText ?? "?"), at: 1)
            }
        }
        return table
    }

    /// The lines of the table. If a width is given, longer lines are cut to it, or wrapped if `wraps` is true.
    func lines(
        width: Int?, coloured: Bool = false, wraps: Bool = false, glyphs: Glyphs = .unicode
    ) -> [String] {
        table.lines(width: width, coloured: coloured, wraps: wraps, glyphs: glyphs)
    }

    // MARK: Single lines

    /// The header for lines that are printed one by one.
    static let title = line("RSSI", "NAME", "ADDRESS", "ADVERTISES", "VALUES")

    /// A line for one device, with column widths that suit most devices.
    static func line(_ row: DeviceRow) -> String {
        TerminalText.safe(
            line(
                row.rssi.map(String.init) ?? "?", row.name ?? "-", row.address?.text ?? row.id.description,
                row.summary, row.valueText))
    }

    private static func line(
        _ rssi: String, _ name: String, _ address: String, _ summary: String, _ values: String
    ) -> String {
        func fill(_ text: String, _ columns: Int, atEnd: Bool = false) -> String {
            TerminalText.fit(text, to: max(columns, TerminalText.width(text)), atEnd: atEnd)
        }
        let parts = [fill(rssi, 4, atEnd: true), fill(name, 20), fill(address, 17)]
        return (parts + (values.isEmpty ? [summary] : [fill(summary, 30), values])).joined(separator: "  ")
    }

    private static func style(_ rssi: Int?) -> Style? {
        guard let rssi else { return .dim }
        return rssi >= -60 ? .green : rssi >= -80 ? .yellow : .red
    }
}

extension DistanceEstimate {
    /// "2.5 m (1.3-5)"
    var shortText: String {
        func text(_ metres: Double) -> String {
            metres < 10 ? "\((metres * 10).rounded() / 10)" : "\(Int(min(metres, 1e6).rounded()))"
        }
        return "\(text(metres)) m (\(text(range.lowerBound))-\(text(range.upperBound)))"
    }
}
