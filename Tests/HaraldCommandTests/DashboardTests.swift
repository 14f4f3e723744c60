import BluetoothProfiles
import Foundation
import Harald
import TerminalScreen
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

    private func screenLines(_ state: DashboardState? = nil, width: Int) -> [String] {
        let screen = DashboardScreen(state ?? self.state, columns: width)
        return (screen.tagLines + screen.sensorLines.flatMap { $0 } + screen.footer).map(\.plain)
    }

    @Test(arguments: [20, 40, 60, 76, 80, 200]) func noLineIsWiderThanTheTerminal(width: Int) {
        for line in screenLines(width: width) { #expect(TerminalText.width(line) <= width, "\(line)") }
    }

    @Test func everySensorHasItsNumbersAndUnit() {
        let lines = screenLines(width: 120)
        #expect(
            lines.contains {
                $0.contains("temperature") && $0.contains("object 23.46 ambient -0.05 °C") && $0.contains("▁")
            })
        #expect(lines.contains { $0.contains("left + right") })
        // Nine numbers do not fit in a line, and none is lost.
        let narrow = screenLines(width: 80)
        for unit in ["g", "°/s", "µT"] {
            #expect(narrow.contains { $0.hasSuffix("x -123.46 y -123.46 z -123.46 \(unit)") }, "\(unit)")
        }
        #expect(lines.contains { $0.contains("●") && $0.contains("-54 dBm") && $0.contains("connected") })
        #expect(screenLines(DashboardState(), width: 80).contains { $0.contains("looking") })
    }

    @Test(arguments: [30, 50, 80, 120]) func allKeysAreShown(width: Int) {
        let text = screenLines(width: width).joined(separator: " ")
        for key in ["tag", "(dis)connect", "sensor", "on/off", "period", "zero", "q quit"] {
            #expect(text.contains(key), "\(key)")
        }
    }

    /// At forty columns no number is truncated: the addresses are omitted first.
    @Test(arguments: [38, 40, 60]) func narrowScreensKeepValuesAndNames(width: Int) {
        let lines = screenLines(width: width)
        for unit in ["g", "°/s", "µT"] {
            #expect(lines.contains { $0.hasSuffix("x -123.46 y -123.46 z -123.46 \(unit)") }, "\(unit)")
        }
        #expect(lines.contains { $0.contains("CC2650 SensorTag") })
        #expect(lines.contains { $0.contains("object 23.46 ambient -0.05 °C") })
    }

    @Test func theSelectedSensorStaysVisibleOnALowScreen() {
        var state = state
        for sensor in 0..<3 {
            state.selectedSensor = sensor
            let text = DashboardScreen(state, columns: 40).picture(rows: 12).text
            #expect(text.contains("> \(sensor + 1) "), "\(text)")
            #expect(text.contains("CC2650 SensorTag") && text.contains("q quit"))
        }
    }

    @Test func deviceInformationAndOtherDevicesAreBelowTheSensors() throws {
        var state = state
        state.tags[0].information = ["Texas Instruments", "firmware 1.50"]
        state.others = [-80, -50].map {
            .init(id: PeripheralID(high: 1, low: UInt64($0 + 100)), name: "Far \($0)", address: "C0", rssi: $0)
        }
        let lines = DashboardScreen(state, columns: 80).picture(rows: 30).text.split(separator: "\n")
        func row(_ text: String) throws -> Int { try #require(lines.firstIndex { $0.contains(text) }, "\(lines)") }
        #expect(try row("Texas Instruments · firmware 1.50") > row("left + right"))
        #expect(try row("OTHER DEVICES") < row("Far -80") && row("Far -80") < row("Far -50"))
        // The sensors have the first claim on a low screen.
        #expect(!DashboardScreen(state, columns: 80).picture(rows: 9).text.contains("OTHER DEVICES"))
        for width in [20, 40, 80] {
            let screen = DashboardScreen(state, columns: width)
            for line in screen.informationLines + screen.otherLines {
                #expect(TerminalText.width(line.plain) <= width, "\(line.plain)")
            }
        }
    }

    @Test func withoutUnicodeItIsASCII() {
        let screen = DashboardScreen(state, columns: 80, glyphs: .ascii)
        let text = screen.picture(rows: 24).text
        #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
        #expect(text.contains("deg C") && text.contains("uT") && text.contains("> *"))
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
