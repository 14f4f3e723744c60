#if Programs
import BluetoothProfiles
import Explorer
import Foundation
import Harald
import Testing
import VirtualDevices

@testable import HaraldCommand

@Suite("Times of readings that a monitor sends", .timeLimit(.minutes(2)))
struct MonitorClockTests {
    /// A continuous glucose monitor without a clock, and with this session start.
    private static func sensor(_ start: [UInt8]) -> DeviceFile {
        DeviceFile(
            name: "CGM",
            services: [
                DeviceService(
                    "181F",
                    [
                        DeviceCharacteristic(CGMMeasurement.uuid, .notify),
                        DeviceCharacteristic(CGMSessionStartTime.uuid, .read, value: ValueTemplate(start)),
                    ])
            ])
    }

    private static func member(_ name: String, of reading: MonitorReading) -> JSONValue? {
        guard case .object(let object) = reading.json else { return nil }
        return object[name]
    }

    @Test(
        "A time that does not exist is not sent, because a hub refuses the reading then",
        arguments: [
            DateTime(), DateTime(2026, 2, 31, 8), DateTime(2026, 0, 1), DateTime(1581, 12, 31), DateTime(1, 1, 1),
            DateTime(2026, 1, 1, 24), DateTime(10000, 1, 1),
        ])
    func unsetClock(_ time: DateTime) throws {
        var reading = MonitorReading(
            time: .now, device: PeripheralID(high: 0, low: 1), measurement: "Weight", fields: [])
        reading.deviceTime = time
        #expect(Self.member("deviceTime", of: reading) == .null)
        reading.deviceTime = DateTime(2026, 2, 28, 8)
        #expect(Self.member("deviceTime", of: reading) == .string("2026-02-28T08:00:00"))
        #expect(MonitorReading.deviceTime(in: [Field("timeStamp", .time(time)), Field("timeOffset", .integer(1))]) == nil)
    }

    @Test(
        "Without a valid session start, the records of a continuous glucose monitor have no time",
        arguments: [
            ([0, 0, 0, 0, 0, 0, 0, 0x80, 0], nil), ([0xEA, 7, 2, 31, 8, 0, 0, 0x80, 0], nil),
            ([0xEA, 7, 2, 28, 8, 0, 0, 0x80, 0xFF], "2026-02-28T08:05:00"),
        ] as [([UInt8], String?)])
    func sessionStart(start: [UInt8], time: String?) async throws {
        let readings = try await SendingDevice.readings(
            of: Self.sensor(start), sending: [[6, 0, 0x32, 0, 5, 0]], from: CGMMeasurement.uuid, count: 1)
        #expect(Self.member("deviceTime", of: readings[0]) == (time.map { .string($0) } ?? .null))
    }
}
#endif
