import Explorer
import Harald

/// The text and JSON forms of an advertisement, field by field.
struct AdvertisementText {
    let row: DeviceRow
    let distance: DistanceEstimate?

    init(_ row: DeviceRow, distance: DistanceEstimate?) {
        self.row = row
        self.distance = distance
    }

    /// Properties of the device, then each field of the advertisement with its bytes. If a width is given, longer lines
    /// are wrapped to it.
    func lines(width: Int?) -> [String] {
        var lines = [
            Self.line("Name", row.name ?? "-"), Self.line("Identifier", row.id.description),
            Self.line(
                "Address", row.address.map { "\($0.text) (\($0.kind == .public ? "public" : "random"))" } ?? "hidden"),
            Self.line(
                "Signal", row.rssi.map { "\($0) dBm" + (distance.map { ", \($0)" } ?? "") } ?? "unknown"),
            Self.line("Connectable", row.isConnectable ? "yes" : "no"), "",
        ]
        for field in row.advertisement.fields {
            lines.append(Self.line(field.name, field.value))
            let hex = field.raw.hexText(separator: " ")
            if hex != field.value { lines.append(Self.line("", hex)) }
        }
        for value in row.values {
            lines.append("")
            lines.append(Self.line(value.title, value.problem ?? ""))
            lines += value.fields.map { Self.line("  \($0.words)", $0.valueText) }
        }
        if row.advertisement.fields.isEmpty { lines.append("The advertisement is empty.") }
        let indent = String(repeating: " ", count: Self.nameWidth + 2)
        return lines.flatMap { line in
            let safe = TerminalText.safe(line)
            return width.map { TerminalText.wrap(safe, to: $0, indent: indent) } ?? [safe]
        }
    }

    private static let nameWidth = 26

    private static func line(_ name: String, _ value: String) -> String {
        TerminalText.fit(name, to: nameWidth) + "  " + value
    }

    var json: JSONValue {
        guard case .object(var object) = row.json else { return row.json }
        object["distance"] = distance?.json ?? .null
        object["fields"] = .array(
            row.advertisement.fields.map { field in
                [
                    "type": .optional(field.type.map { Int($0.rawValue) }), "name": .string(field.name),
                    "value": .string(field.value), "hex": .string(field.raw.hexText()),
                ]
            })
        return .object(object)
    }
}
