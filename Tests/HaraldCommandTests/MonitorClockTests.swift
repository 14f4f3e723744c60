import BluetoothProfiles
import Explorer
import Foundation
import Harald
import HaraldDevices
import Synchronization
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
        let fields = [Field("timeStamp", .time(time)), Field("timeOffset", .integer(1))]
        #expect(MonitorReading.deviceTime(in: fields) == nil)
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

    @Test(
        "The time zone of the session start is that of the records",
        arguments: [
            (4, 0, 3600), (4, 4, 7200), (-20, 4, -14400), (22, 2, 21600), (0, 0, 0), (-128, 0, nil), (57, 0, nil),
            (4, 255, nil), (4, 3, nil),
        ] as [(Int8, UInt8, Double?)])
    func sessionZone(zone: Int8, daylight: UInt8, offset: Double?) async throws {
        let start: [UInt8] = [0xEA, 7, 3, 28, 8, 0, 0, UInt8(bitPattern: zone), daylight]
        var reading = try #require(
            try await SendingDevice.readings(
                of: Self.sensor(start), sending: [[6, 0, 0x32, 0, 5, 0]], from: CGMMeasurement.uuid, count: 1
            ).first)
        #expect(reading.clockOffset == offset)
        // The clock is 12 s fast. Its zone is another one since the session started, unless it is much too far.
        for zone in [0.0, 3600, 7200] {
            reading.facts.clock.before = zone + 12
            let isNear = offset.map { abs($0 - zone) <= 7200 } ?? false
            #expect(reading.clockOffset == (isNear ? offset ?? 0 : zone) + 12)
        }
    }

    @Test("A record from before a change of the battery has no offset", arguments: [false, true])
    func epochs(isSet: Bool) throws {
        let now = try Date("2026-11-18T08:00:00Z", strategy: .iso8601)
        // The clock started again at 2020-01-01 and shows 2020-01-02 00:00.
        let shown = try #require(DateTime(2020, 1, 2).secondsSince1970)
        let before = shown - now.timeIntervalSince1970
        var clock = ClockOffsets(before: before)
        if isSet { clock.set = (now - 10, now.timeIntervalSince1970 - 10) }
        #expect(clock.offset(of: DateTime(2026, 11, 11, 8), isStored: true, now: now) == nil)
        #expect(clock.offset(of: DateTime(2020, 1, 1, 12), isStored: true, now: now) == before)
        if isSet { #expect(clock.offset(of: DateTime(2026, 11, 18, 8), isStored: false, now: now) == 0) }
    }

    @Test("A context has the time of the measurement before it, if that has its number")
    func contextTime() throws {
        var measured = GlucoseMeasurement()
        (measured.sequenceNumber, measured.baseTime) = (7, DateTime(2026, 11, 25, 8))
        func time(of context: [UInt8]) throws -> DateTime? {
            let fields = (try? Profiles.fields(of: context, uuid: GlucoseMeasurementContext.uuid)) ?? nil
            return HealthMonitor.time(ofContext: fields ?? [], after: try measured.fields())
        }
        let context: [UInt8] = [2, 7, 0, 1]
        #expect(try time(of: context) == DateTime(2026, 11, 25, 8))
        measured.timeOffset = -60
        #expect(try time(of: context) == DateTime(2026, 11, 25, 7))
        // The overrun is no offset.
        measured.timeOffset = 0x7FFF
        #expect(try time(of: context) == DateTime(2026, 11, 25, 8))
        for other: [UInt8] in [[2, 8, 0, 1], [2, 7]] { #expect(try time(of: other) == nil) }
        measured.baseTime = DateTime()
        #expect(try time(of: context) == nil)
        #expect(HealthMonitor.time(ofContext: [Field("sequenceNumber", .integer(7))], after: []) == nil)
    }

    @Test("A measurement with a time that is out of range is decoded without it")
    func timeOutOfRange() async throws {
        let file = DeviceFile(
            name: "Cuff",
            services: [DeviceService("1810", [DeviceCharacteristic(BloodPressureMeasurement.uuid, .indicate)])])
        let value: [UInt8] = [2, 0x8E, 0, 0x58, 0, 0x69, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let readings = try await SendingDevice.readings(
            of: file, sending: [value], from: BloodPressureMeasurement.uuid, count: 1)
        #expect(readings[0].bytes == value && readings[0].deviceTime == nil)
        #expect(readings[0].fields.first { $0.name == "systolic" }?.value.description == "142")
    }

    @Test("A vendor's reading with a time that is out of range is received; one that cannot be decoded is reported")
    func vendor() async throws {
        let good = try VendorBloodPressureReading { ($0.number, $0.systolic, $0.diastolic) = (7, 142, 88) }.encoded()
        var unset = good
        for index in 2..<9 { unset[index] = 0xFF }
        var stream: [UInt8] = []
        for payload in [Array(good.dropLast()), unset, good] {
            stream += VendorProtocol.format.frame(header: [0x82], payload: payload)
        }
        let pieces = stride(from: 0, to: stream.count, by: 20).map { Array(stream[$0..<min($0 + 20, stream.count)]) }
        let reports = Mutex<[String]>([])
        let readings = try await SendingDevice.readings(
            of: try #require(Twins.all["vendor-blood-pressure"]), sending: pieces,
            from: SerialService.isscTransparentUART.transmit, count: 2,
            report: { report in reports.withLock { $0.append(report) } })
        for reading in readings {
            #expect(Self.member("deviceTime", of: reading) == .null)
            #expect(reading.fields.first { $0.name == "systolic" }?.value == .integer(142))
        }
        let all = reports.withLock { $0 }
        #expect(all.count == 1 && all[0].contains("cannot be decoded, and stays on the device"), "\(all)")
    }
}
