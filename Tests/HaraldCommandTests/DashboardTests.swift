#if Programs
import BluetoothProfiles
import Foundation
import Harald
import Testing

@testable import HaraldCommand
@testable import HaraldDevices

@Suite struct DashboardTests {
    private var state: DashboardState {
        var state = DashboardState()
        var tag = DashboardState.Tag(
            id: PeripheralID(high: 0, low: 1), name: "CC2650 SensorTag", model: .cc2650, address: "02:48:41:00:00:02")
        tag.rssi = -54
        tag.link = .connected
        for sensor in [SensorTag.Sensor.temperature, .movement, .keys] {
            var entry = DashboardState.Sensor(sensor: sensor)
            entry.isOn = true
            entry.period = .seconds(1)
            for value in 0..<30 { entry.history.add(Double(value)) }
            tag.sensors.append(entry)
        }
        tag.sensors[0].reading = .init(
            sensor: .temperature,
            fields: [Field("object", .real(23.456), unit: .celsius), Field("ambient", .real(-0.051), unit: .celsius)])
        tag.sensors[1].reading = .init(
            sensor: .movement,
            fields: ["X", "Y", "Z"].map { Field("acceleration\($0)", .real(-123.456), unit: .standardGravity) }
                + ["X", "Y", "Z"].map { Field("rotation\($0)", .real(-123.456), unit: .degreesPerSecond) }
                + ["X", "Y", "Z"].map { Field("magneticField\($0)", .real(-123.456), unit: .microteslas) })
        tag.sensors[2].reading = .init(
            sensor: .keys, fields: [Field("left", .flag(true)), Field("right", .flag(true))])
        state.tags = [tag]
        return state
    }

    @Test(arguments: [20, 40, 60, 76, 80, 200]) func noLineIsWiderThanTheTerminal(width: Int) {
        for line in state.lines(width: width) { #expect(TerminalText.width(line) <= max(width, 74), "\(line)") }
        for line in state.lines(width: 80) { #expect(TerminalText.width(line) <= 80, "\(line)") }
    }

    @Test func everySensorHasItsNumbersAndUnit() {
        let lines = state.lines(width: 120)
        #expect(
            lines.contains {
                $0.contains("temperature") && $0.contains("object 23.46 ambient -0.05 °C") && $0.contains("▁")
            })
        #expect(lines.contains { $0.contains("left + right") })
        // Nine numbers do not fit in a line, and none is lost.
        let narrow = state.lines(width: 80)
        for unit in ["g", "°/s", "µT"] {
            #expect(narrow.contains { $0.hasSuffix("x -123.46 y -123.46 z -123.46 \(unit)") }, "\(unit)")
        }
        #expect(lines.contains { $0.contains("●") && $0.contains("-54 dBm") && $0.contains("connected") })
        #expect(DashboardState().lines(width: 80).contains { $0.contains("looking") })
    }

    @Test(arguments: [30, 50, 80, 120]) func allKeysAreShown(width: Int) {
        let text = state.lines(width: width).joined(separator: " ")
        for key in ["tag", "(dis)connect", "sensor", "on/off", "period", "zero", "q quit"] {
            #expect(text.contains(key), "\(key)")
        }
    }

    @Test func sparklinesGoFromLowToHigh() {
        var line = Sparkline(capacity: 4)
        for value in [5.0, 0, 1, 2, 3, .nan] { line.add(value) }
        #expect(line.text == "▁▃▆█")
        var flat = Sparkline()
        flat.add(7)
        #expect(flat.text == "▅")
    }

    @Test func keysAreUnderstood() {
        #expect(
            KeyInput.keys([0x1B, 0x5B, 0x41, 0x71, 0x0D, 0x1B, 0x5B, 0x42, 0x01]) == [
                .up, .character("q"), .enter, .down,
            ])
    }

    @Test func readingsAreCommaSeparated() {
        let reading = MonitorReading(
            time: .init(timeIntervalSince1970: 0), device: PeripheralID(high: 0, low: 1), deviceName: "Scale, \"big\"",
            measurement: "Weight",
            fields: [
                Field("weight", .number(ProfileNumber(7350, exponent: -2)), unit: .kilograms),
                Field("fat", .number(.special(.notANumber)), unit: .percent),
            ])
        let start = "1970-01-01T00:00:00Z,7,00000000-0000-0000-0000-000000000001,\"Scale, \"\"big\"\"\",Weight,"
        #expect(reading.csv(number: 7) == [start + ",weight,73.50,kg,", start + ",fat,,%,NaN"])
        var stored = reading
        stored.isStored = true
        stored.fields = [
            Field("place", .group([Field("side", .integer(2)), Field("angle", .integer(9), unit: .degrees)]))
        ]
        #expect(stored.csv(number: 7) == [start + "yes,place.side,2,,", start + "yes,place.angle,9,°,"])
    }
}
#endif
