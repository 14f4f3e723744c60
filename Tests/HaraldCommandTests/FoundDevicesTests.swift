import Harald
import Testing

@testable import Explorer
@testable import HaraldCommand

@Suite struct FoundDevicesTests {
    private let start = ContinuousClock.now

    private func row(_ number: UInt8, name: String? = nil) throws -> DeviceRow {
        let address = try #require(BluetoothAddress("02:00:00:00:00:0\(number)"))
        return DeviceRow(
            id: PeripheralID(address), name: name, address: address, rssi: -50, isConnectable: true,
            advertisement: .init())
    }

    @Test func aDeviceIsReportedOnceAfterItsScanResponse() throws {
        var devices = FoundDevices(waits: true)
        #expect(devices.note(try row(1, name: "One"), at: start).isEmpty)
        #expect(devices.note(try row(1), at: start).map(\.name) == ["One"])
        #expect(devices.note(try row(1, name: "One"), at: start + .seconds(5)).isEmpty)
        #expect(devices.rest().isEmpty)
        #expect(devices.count == 1)
    }

    @Test func aDeviceWithoutANameIsReportedAfterASecond() throws {
        var devices = FoundDevices(waits: true)
        #expect(devices.note(try row(1), at: start).isEmpty)
        #expect(devices.note(try row(1), at: start + .milliseconds(500)).isEmpty)
        #expect(devices.due(at: start + .milliseconds(999)).isEmpty)
        #expect(devices.due(at: start + .seconds(1)).count == 1)
        #expect(devices.due(at: start + .seconds(2)).isEmpty)
    }

    @Test func pendingDevicesAreReportedInOrderAtTheEnd() throws {
        var devices = FoundDevices(waits: true)
        for number in [3, 1, 2] as [UInt8] { _ = devices.note(try row(number), at: start) }
        #expect(devices.count == 3)
        #expect(devices.rest().map(\.id) == [try row(3), try row(1), try row(2)].map(\.id))
    }

    @Test func withoutScanResponsesDevicesAreReportedImmediately() throws {
        var devices = FoundDevices(waits: false)
        #expect(devices.note(try row(1), at: start).count == 1)
        #expect(devices.note(try row(1), at: start).isEmpty)
    }

    /// The time for an advertisement does not depend on the number of pending devices.
    @Test(.timeLimit(.minutes(1))) func manyDevicesAreNotedInTime() throws {
        var devices = FoundDevices(waits: true)
        let rows = (0..<100_000).map { number in
            DeviceRow(
                id: PeripheralID(high: 1, low: UInt64(number)), name: nil, address: nil, rssi: -50, isConnectable: true,
                advertisement: .init())
        }
        for row in rows { _ = devices.note(row, at: start) }
        #expect(devices.count == rows.count && devices.due(at: start).isEmpty)
        #expect(devices.rest().map(\.id) == rows.map(\.id))
    }

    @Test func allServiceDataIsInTheObject() throws {
        var found = try row(1)
        found.advertisement = AdvertisingData(parsing: [
            4, 0x16, 0x95, 0xFE, 1, 4, 0x16, 0x95, 0xFE, 2, 4, 0x16, 1, 2, 3,
        ])
        let json = "\(found.json["serviceData"] ?? .null)"
        #expect(found.json["serviceData"]?["FE95"] == .array([.string("01"), .string("02")]), "\(json)")
        #expect(found.json["serviceData"]?["0201"] == .string("03"), "\(json)")
    }
}
