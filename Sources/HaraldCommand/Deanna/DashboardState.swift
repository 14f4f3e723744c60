import BluetoothProfiles
import Harald
import HaraldDevices

/// What the dashboard knows and shows.
struct DashboardState: Sendable {
    /// How a tag is.
    enum Link: Hashable, Sendable {
        case seen
        case connecting
        case connected
        case failed(String)

        var text: String {
            switch self {
            case .seen: "seen"
            case .connecting: "connecting"
            case .connected: "connected"
            case .failed(let reason): reason
            }
        }
    }

    /// A sensor of a tag.
    struct Sensor: Sendable {
        var sensor: SensorTag.Sensor
        var isOn = false
        var period: Duration?
        var reading: SensorTag.Reading?
        var history = Sparkline()
        var isCalibrated = false
    }

    /// A tag.
    struct Tag: Sendable {
        var id: PeripheralID
        var name: String
        var model: SensorTag.Model
        var address: String
        var rssi: Int?
        var link = Link.seen
        var sensors: [Sensor] = []
    }

    var tags: [Tag] = []
    var selectedTag = 0
    var selectedSensor = 0
    var message = ""

    var tag: Tag? { tags.indices.contains(selectedTag) ? tags[selectedTag] : nil }

    mutating func withTag(_ id: PeripheralID, _ body: (inout Tag) -> Void) {
        if let index = tags.firstIndex(where: { $0.id == id }) { body(&tags[index]) }
    }

    mutating func withSensor(_ id: PeripheralID, _ sensor: SensorTag.Sensor, _ body: (inout Sensor) -> Void) {
        withTag(id) { tag in
            if let index = tag.sensors.firstIndex(where: { $0.sensor == sensor }) { body(&tag.sensors[index]) }
        }
    }

    // MARK: Lines

    /// The whole screen; no line has more columns than `width`.
    func lines(width: Int, coloured: Bool = false) -> [String] {
        var lines = [Style.bold.apply("SensorTags", coloured)]
        if tags.isEmpty { lines.append("  looking for SensorTags; press their side key so that they advertise") }
        for (index, tag) in tags.enumerated() {
            let mark = index == selectedTag ? ">" : " "
            let light = tag.link == .connected ? "●" : tag.link == .connecting ? "◐" : "○"
            let parts = [
                "\(mark) \(light)", TerminalText.fit(TerminalText.safe(tag.name), to: 17), tag.model.rawValue,
                tag.address, TerminalText.fit(tag.rssi.map { "\($0) dBm" } ?? "", to: 8), tag.link.text,
            ]
            lines.append(
                Self.style(tag.link).apply(TerminalText.cut(parts.joined(separator: " "), to: width), coloured))
        }
        lines.append("")
        for (index, sensor) in (tag?.sensors ?? []).enumerated() {
            lines += self.lines(of: sensor, index, width, coloured)
        }
        if tag?.sensors.isEmpty == false { lines.append("") }
        if !message.isEmpty { lines.append(TerminalText.cut(TerminalText.safe(message), to: width)) }
        lines += Self.keys(width: width).map { Style.dim.apply($0, coloured) }
        return lines
    }

    private static let keys = [
        "↑↓ tag", "enter (dis)connect", "1-9 sensor", "space on/off", "+- period", "c zero", "q quit",
    ]

    /// The keys, in as many lines as they need.
    private static func keys(width: Int) -> [String] {
        keys.reduce(into: []) { lines, key in
            if let last = lines.last, TerminalText.width(last) + 2 + TerminalText.width(key) <= width {
                lines[lines.count - 1] = last + "  " + key
            } else {
                lines.append(TerminalText.cut(key, to: width))
            }
        }
    }

    private static func style(_ link: Link) -> Style {
        switch link {
        case .connected: .green
        case .connecting: .yellow
        case .seen: .dim
        case .failed: .red
        }
    }

    /// A line, and one more for every further quantity of a sensor that has several.
    private func lines(of sensor: Sensor, _ index: Int, _ width: Int, _ coloured: Bool) -> [String] {
        let mark = index == selectedSensor ? ">" : " "
        let period = sensor.period.map(\.secondsText) ?? ""
        let head =
            "\(mark) \(index + 1) \(TerminalText.fit(sensor.sensor.rawValue, to: 13)) "
            + "\(sensor.sensor == .keys || sensor.isOn ? "on " : "off") \(TerminalText.fit(period, to: 6))"
        // The picture gives way to the numbers.
        let spark = width >= 76 ? TerminalText.fit(sensor.history.text, to: 12, atEnd: true) + "  " : ""
        var values = sensor.reading.map { Self.short($0) } ?? [sensor.isOn ? "…" : ""]
        if sensor.isCalibrated { values[0] += " *" }
        let indent = String(repeating: " ", count: TerminalText.width(head) + 1 + TerminalText.width(spark))
        return values.enumerated().map { number, value in
            let line = TerminalText.cut(number == 0 ? "\(head) \(spark)\(value)" : indent + value, to: width)
            return sensor.isOn || sensor.sensor == .keys ? line : Style.dim.apply(line, coloured)
        }
    }

    /// The numbers with two decimals, a line for each quantity with axes. What shares its unit shares it in writing, and
    /// has a name; an axis has its letter.
    static func short(_ reading: SensorTag.Reading) -> [String] {
        if reading.sensor == .keys {
            let pressed = reading.fields.filter { $0.value == .flag(true) }.map(\.name)
            return [pressed.isEmpty ? "none pressed" : pressed.joined(separator: " + ")]
        }
        var lines: [String] = []
        var rest = reading.fields[...]
        while let first = rest.first {
            let same = rest.prefix { $0.unit == first.unit }
            rest = rest.dropFirst(same.count)
            let numbers = same.compactMap { field -> String? in
                guard case .real(let number) = field.value else { return nil }
                return (same.count > 1 ? label(field.name) + " " : "") + decimals(number)
            }
            let text = numbers.joined(separator: " ") + " " + (first.unit?.symbol ?? "")
            // Axes of one quantity stand alone; temperature and humidity beside each other.
            if same.count == 3 || lines.isEmpty { lines.append(text) } else { lines[lines.count - 1] += " " + text }
        }
        return lines
    }

    /// "x" of "accelerationX"; any other name as it is.
    private static func label(_ name: String) -> String {
        guard let last = name.last, "XYZ".contains(last) else { return name }
        return last.lowercased()
    }

    private static func decimals(_ value: Double) -> String {
        let hundredths = Int((min(max(value, -1e12), 1e12) * 100).rounded())
        let rest = String(abs(hundredths) % 100 + 100).dropFirst()
        return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(rest)"
    }
}
