import Harald
import Testing

@testable import Explorer
@testable import HaraldCommand

@Suite struct TextTableTests {
    private func row(_ number: UInt64, name: String?, rssi: Int?, services: [BluetoothUUID] = []) -> DeviceRow {
        DeviceRow(
            id: PeripheralID(high: 1, low: number), name: name, address: BluetoothAddress(value: number, kind: .public),
            rssi: rssi, isConnectable: true,
            advertisement: AdvertisingData(localName: name, serviceUUIDs: services))
    }

    private func list(_ rows: [DeviceRow]) -> DeviceList {
        var list = DeviceList()
        for row in rows { list.note(row) }
        return list
    }

    @Test func everyLineFitsInEightyColumns() {
        let rows = [
            row(1, name: "Polar H7 4C1A2B", rssi: -48, services: ["180D"]),
            row(
                2, name: String(repeating: "very long name ", count: 10), rssi: -100,
                services: ["180D", "180F", "180A", "FFF0"]),
            row(3, name: "温度計温度計温度計温度計温度計温度計温度計", rssi: nil, services: ["1809"]),
            row(4, name: nil, rssi: -70, services: ["12345678-1234-1234-1234-123456789ABC", "181A", "1822"]),
        ]
        let lines = list(rows).lines(width: 80)
        #expect(lines.count == 5)
        for line in lines { #expect(TerminalText.width(line) <= 80, "\(line)") }
        #expect(lines.contains { $0.contains("…") })
        #expect(lines[1].contains("Polar H7 4C1A2B"))
        #expect(lines[1].contains("00:00:00:00:00:01"))
    }

    /// The address stays, because it can be the `DEVICE` of the next command.
    @Test(arguments: [20, 30, 40, 60, 79], [false, true])
    func narrowTablesKeepTheAddresses(_ width: Int, hasDistances: Bool) {
        var list = list([
            row(1, name: "Polar H7 4C1A2B", rssi: -48, services: ["180D"]),
            row(2, name: String(repeating: "long ", count: 40), rssi: -100, services: ["180D", "180F", "180A"]),
            row(3, name: nil, rssi: nil, services: ["12345678-1234-1234-1234-123456789ABC"]),
        ])
        if hasDistances {
            list.pathLossExponent = 2
            for row in list.sorted { list.note(row) }
        }
        for wraps in [false, true] {
            let lines = list.lines(width: width, wraps: wraps)
            for line in lines { #expect(TerminalText.width(line) <= width, "\(line)") }
            for number in 1...3 { #expect(lines.contains { $0.contains("00:00:00:00:00:0\(number)") }) }
            #expect(!lines.contains { $0.allSatisfy { "… ".contains($0) } })
        }
        if width >= 40 { #expect(list.lines(width: width).contains { $0.contains("Polar H7") }) }
        // The final output contains everything that was received.
        let text = list.lines(width: width, wraps: true).joined().filter { $0 != " " }
        #expect(text.contains("PolarH74C1A2B") && text.contains("HeartRate"))
    }

    @Test func coloursTakeNoColumns() {
        let list = list([row(1, name: "A", rssi: -48), row(2, name: nil, rssi: -90)])
        let plain = list.lines(width: 80)
        let coloured = list.lines(width: 80, coloured: true)
        #expect(coloured != plain)
        let stripped = coloured.map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
        #expect(stripped == plain)
    }

    @Test func strongestComesFirstAndUnknownLast() {
        let list = list([row(1, name: "far", rssi: -90), row(2, name: "?", rssi: nil), row(3, name: "near", rssi: -40)])
        #expect(list.sorted.map(\.name) == ["near", "far", "?"])
    }

    @Test func nameStaysWhenALaterAdvertisementLacksIt() {
        let list = list([row(1, name: "A", rssi: -40), row(1, name: nil, rssi: -50)])
        #expect(list.sorted.map(\.name) == ["A"])
        #expect(list.sorted.map(\.rssi) == [-50])
    }

    @Test func textFromTheAirIsEscapedForTheTerminal() {
        let lines = list([row(1, name: "\u{1B}[2J\nbad\u{202E}\u{9B}", rssi: -40)]).lines(width: 80)
        for line in lines {
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" && $0 != "\u{9B}" })
        }
    }
}
