import BluetoothProfiles
import Harald
import HaraldDevices
import TerminalScreen

/// Renders the dashboard: the tags, the sensors of the selected tag, a message, and the keys.
struct DashboardScreen {
    let state: DashboardState
    let columns: Int
    let glyphs: Glyphs

    init(_ state: DashboardState, columns: Int, glyphs: Glyphs = .unicode) {
        self.state = state
        self.columns = columns
        self.glyphs = glyphs
    }

    /// Renders the dashboard with this number of rows. If the rows do not suffice, the selected tag and the selected
    /// sensor stay visible.
    func picture(rows: Int) -> ScreenBuffer {
        var screen = ScreenBuffer(columns: columns, rows: rows, glyphs: glyphs)
        let bottom = footer
        let room = max(0, rows - bottom.count)
        var (tags, sensors) = (tagLines, sensorLines)
        if tags.count + 1 + sensors.reduce(0, { $0 + $1.count }) > room {
            let kept = max(2, min(tags.count, room / 3))
            tags = [tags[0]] + Self.around(state.selectedTag, in: Array(tags.dropFirst()), count: kept - 1)
        }
        var row = 0
        for line in tags {
            screen.put(line, row: row, column: 0)
            row += 1
        }
        row += 1
        while sensors.reduce(0, { $0 + $1.count }) > room - row, sensors.count > 1 {
            // Removes the sensor that is farthest from the selected one.
            let isFirstFar = state.selectedSensor - (state.sensorCount - sensors.count) > sensors.count / 2
            if isFirstFar { sensors.removeFirst() } else { sensors.removeLast() }
        }
        for line in (sensors.flatMap { $0 } + informationLines + otherLines).prefix(max(0, room - row)) {
            screen.put(line, row: row, column: 0)
            row += 1
        }
        for (index, line) in bottom.enumerated() {
            screen.put(line, row: max(0, rows - bottom.count) + index, column: 0)
        }
        return screen
    }

    private static func around<Line>(_ index: Int, in lines: [Line], count: Int) -> ArraySlice<Line> {
        let start = max(0, min(index - count / 2, lines.count - count))
        return lines[start..<min(lines.count, start + max(0, count))]
    }

    // MARK: Tags

    /// The title, and one line for each tag.
    var tagLines: [StyledText] {
        guard !state.tags.isEmpty else {
            return [StyledText("SensorTags", .bold)]
                + TerminalText.wrap(
                    "looking for SensorTags; press the key on their side to make them advertise", to: columns - 2
                ).map { StyledText("  " + $0) }
        }
        var table = TextTable([
            .init(title: ""), .init(title: "SENSORTAG"), .init(title: "MODEL", yield: 2),
            .init(title: "ADDRESS", yield: 1), .init(title: "RSSI", isNumber: true, yield: 4),
            .init(title: "STATE", leastWidth: 9, yield: 3),
        ])
        for (index, tag) in state.tags.enumerated() {
            let style = Self.style(tag.link)
            let light =
                tag.link == .connected
                ? glyphs.lights.on : tag.link == .connecting ? glyphs.lights.half : glyphs.lights.off
            let texts = [
                "\(index == state.selectedTag ? ">" : " ") \(light)", tag.name, tag.model.rawValue, tag.address,
                tag.rssi.map { "\($0) dBm" } ?? "", tag.link.text,
            ]
            table.rows.append(texts.map { .init($0, style) })
        }
        let (title, rows) = table.styled(width: columns, glyphs: glyphs)
        return [title] + rows.flatMap { $0 }
    }

    private static func style(_ link: DashboardState.Link) -> Style {
        switch link {
        case .connected: .green
        case .connecting: .yellow
        case .seen: .cyan
        case .failed: .red
        }
    }

    // MARK: Sensors

    /// The lines of each sensor: one, and one more for every further quantity. Values that do not fit beside the name
    /// are placed below it.
    var sensorLines: [[StyledText]] {
        let sensors = state.tag?.sensors ?? []
        let values = sensors.map { sensor in Self.values(of: sensor).map(glyphs.text) }
        let widest = values.joined().map { TerminalText.width($0) }.max() ?? 0
        // If space is scarce, the sparkline is omitted first, then the period.
        let hasSparkline = Self.headWidth + Self.periodWidth + Self.sparklineWidth + widest <= columns
        let hasPeriod = hasSparkline || Self.headWidth + Self.periodWidth + widest <= columns
        let isBeside = hasPeriod || Self.headWidth + widest <= columns
        return zip(sensors, values).enumerated().map { index, entry in
            let (sensor, values) = entry
            let style: Style = sensor.isOn || sensor.sensor == .keys ? .plain : .dim
            let mark = index == state.selectedSensor ? ">" : " "
            let switched = sensor.sensor == .keys || sensor.isOn ? "on " : "off"
            var head = "\(mark) \(index + 1) \(TerminalText.fit(sensor.sensor.rawValue, to: 13)) \(switched) "
            if hasPeriod || !isBeside {
                head += TerminalText.fit(sensor.period.map(\.secondsText) ?? "", to: Self.periodWidth - 1) + " "
            }
            if hasSparkline {
                let line = Sparkline.text(sensor.history.values.suffix(12).map { $0 }, glyphs: glyphs)
                head += TerminalText.fit(line, to: 12, atEnd: true) + "  "
            }
            guard isBeside else {
                let indent = "    "
                let below = values.flatMap { TerminalText.wrap(indent + $0, to: columns, indent: indent) }
                return ([TerminalText.cut(head, to: columns, glyphs: glyphs)] + below).map { StyledText($0, style) }
            }
            let indent = String(repeating: " ", count: TerminalText.width(head))
            return values.enumerated().map { StyledText(($0 == 0 ? head : indent) + $1, style) }
        }
    }

    private static let headWidth = 22
    private static let periodWidth = 7
    private static let sparklineWidth = 14

    private static func values(of sensor: DashboardState.Sensor) -> [String] {
        var values = sensor.reading.map { DashboardState.short($0) } ?? [sensor.isOn ? "…" : ""]
        if sensor.isCalibrated { values[0] += " *" }
        return values
    }

    // MARK: Below the sensors

    /// The device information of the selected tag, after an empty line.
    var informationLines: [StyledText] {
        guard let facts = state.tag?.information, !facts.isEmpty else { return [] }
        let text = glyphs.text(TerminalText.safe(facts.joined(separator: " · ")))
        return [StyledText("")]
            + TerminalText.wrap("  " + text, to: columns, indent: "  ").map { StyledText($0, .dim) }
    }

    /// Other devices in range as they were found, so that no line jumps, after an empty line.
    var otherLines: [StyledText] {
        guard !state.others.isEmpty else { return [] }
        var table = TextTable([
            .init(title: " "), .init(title: "OTHER DEVICES"), .init(title: "ADDRESS", yield: 1),
            .init(title: "RSSI", isNumber: true),
        ])
        for other in state.others {
            table.rows.append(
                [" \(glyphs.lights.off)", other.name, other.address, other.rssi.map { "\($0) dBm" } ?? ""].map {
                    .init($0, .dim)
                })
        }
        let (title, rows) = table.styled(width: columns, glyphs: glyphs)
        return [StyledText(""), title] + rows.flatMap { $0 }
    }

    // MARK: Message and keys

    /// The message, and the keys in as many lines as they need.
    var footer: [StyledText] {
        var lines: [StyledText] = []
        if !state.message.isEmpty {
            lines += TerminalText.wrap(glyphs.text(TerminalText.safe(state.message)), to: columns).map {
                StyledText($0)
            }
        }
        let keys = [
            "\(glyphs.upDown) tag", "enter (dis)connect", "1-9 sensor", "space on/off", "+- period", "c zero", "q quit",
        ]
        return lines + KeyHints.lines(keys, width: columns)
    }
}

extension DashboardState {
    /// The number of sensors of the selected tag.
    var sensorCount: Int { tag?.sensors.count ?? 0 }

    /// The values with two decimals, one line for each quantity with axes. Values with a common unit share its symbol,
    /// and each is labelled with its name or axis.
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
            // Three axes of one quantity get a line of their own; other values, such as temperature and humidity, share
            // one.
            if same.count == 3 || lines.isEmpty { lines.append(text) } else { lines[lines.count - 1] += " " + text }
        }
        return lines
    }

    /// The label of a field: "x" for "accelerationX", any other name unchanged.
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
