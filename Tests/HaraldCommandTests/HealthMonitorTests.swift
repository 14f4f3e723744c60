import BluetoothProfiles
import Foundation
import Harald
import HealthHub
import Synchronization
import Testing
import VirtualDevices
import VirtualTransport

@testable import HaraldCommand

/// A device deletes an acknowledged reading, so a reading is acknowledged only after it was stored.
@Suite(.timeLimit(.minutes(3))) struct HealthMonitorTests {
    /// True if the machine has no controller.
    static var hasNoAdapter: Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth"))?.isEmpty ?? true
    }

    /// Readings of the virtual radio would be stored as those of people, also if `auto` is named.
    @Test(.enabled(if: hasNoAdapter, "the machine has an adapter"), arguments: [nil, "auto"])
    func theMonitorOfAHubNeedsAnAdapter(_ adapter: String?) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("monitor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("token".utf8).write(to: directory.appendingPathComponent("token"))
        let monitor = HubMonitor(adapter: adapter, json: false)
        monitor.use {
            HubMonitor.Target(
                url: "http://127.0.0.1:1", tokenFile: directory.path + "/token", queue: directory.path + "/queue")
        }
        monitor.start()
        await monitor.waitUntilEnded()
        #expect(monitor.status.problem?.contains("no Bluetooth adapter") == true, "\(monitor.status)")
        await monitor.stop()
    }

    private struct Full: Error {}

    /// Returns the readings of a device, whose first reading could not be stored at the first attempt.
    private func readings(_ twin: String, _ field: String, count: Int) async throws -> [String] {
        let file = try #require(Twins.all[twin])
        let scene = try await VirtualScene(SceneFile(name: "one", devices: [SceneDevice(file)]))
        let central = try await Central(adapter: scene.radio.adapter(named: "central"), pairing: .justWorks)
        let (values, value) = AsyncStream<String>.makeStream()
        let failed = Mutex(false)
        let monitor = HealthMonitor(
            central: central, patience: .seconds(60), note: { _ in },
            emit: { reading in
                let isFirst = failed.withLock { failed in
                    defer { failed = true }
                    return !failed
                }
                if isFirst {
                    // A confirmation that is already on its way arrives before the answers to these.
                    if let peripheral = await central.peripheral(id: reading.device),
                        let battery = try? await peripheral.characteristic("2A19")
                    {
                        for _ in 0..<20 { _ = try await battery.read() }
                    }
                    throw Full()
                }
                let text = reading.fields.first { $0.name == field }.map { "\($0.value)" }
                value.yield(text ?? "")
            }, rest: .zero, clocks: try ClockHistory())
        let found = await monitor.run(untilFirst: count, of: values)
        await central.close()
        await scene.close()
        return found
    }

    /// A scale that only advertises: each weighing is one reading, and one that could not be stored is tried again.
    @Test func advertisedWeightsAreReadings() async throws {
        let file = try #require(try BuiltIn.device(named: "home-scale"))
        let scene = try await VirtualScene(SceneFile(name: "one", devices: [SceneDevice(file)]))
        let central = try await Central(adapter: scene.radio.adapter(named: "central"), pairing: .justWorks)
        let (values, value) = AsyncStream<MonitorReading>.makeStream()
        let failed = Mutex(false)
        let monitor = HealthMonitor(
            central: central, patience: .seconds(60), note: { _ in },
            emit: { reading in
                let isFirst = failed.withLock { failed in
                    defer { failed = true }
                    return !failed
                }
                if isFirst { throw Full() }
                value.yield(reading)
            }, rest: .zero, clocks: try ClockHistory())
        let running = Task { try await monitor.run() }
        let reading = try #require(await values.first { _ in true })
        running.cancel()
        _ = await running.result
        await central.close()
        await scene.close()
        #expect(reading.fields.text == "72.450 kg" && reading.measurement == "Weight")
        #expect(reading.deviceTime == DateTime(2026, 3, 1, 7, 15, 0) && reading.isStored == nil)
        let submitted = try SubmittedReading(reading.submitted)
        let measurement = try #require(try HealthMeasurement.decode(submitted).first)
        #expect(measurement.kind == .weight && measurement["weight"]?.value == 72.45)
    }

    @Test func aWeighingIsReportedOnceWhenItIsStable() async throws {
        func weight(_ kilograms: Double, flags: UInt8, at second: UInt8) throws -> AdvertisedWeight {
            let scale = XiaomiScale {
                ($0.weight, $0.flags) = (ProfileNumber(kilograms, decimals: 3), flags)
                $0.time = DateTime(2026, 3, 1, 7, 15, second)
            }
            var data = AdvertisingData()
            data.append(try scale.structure())
            let value = try #require(data.values.first)
            return try #require(AdvertisedWeight(value))
        }
        let (weights, id) = (AdvertisedWeights(), PeripheralID(high: 0, low: 1))
        // The last weighing, which the scale still advertises, then one that is heard from its beginning.
        #expect(await weights.isLive(try weight(70, flags: 0x22, at: 0), of: id) == false)
        #expect(await weights.isLive(try weight(70, flags: 0x22, at: 0), of: id) == nil)
        #expect(await weights.isLive(try weight(71, flags: 0x02, at: 5), of: id) == nil)
        #expect(await weights.isLive(try weight(71.5, flags: 0x22, at: 6), of: id) == true)
        #expect(await weights.isLive(try weight(71.5, flags: 0x22, at: 6), of: id) == nil)
        let other = try weight(71.5, flags: 0x22, at: 6)
        await weights.forget(other, of: id)
        #expect(await weights.isLive(other, of: id) == false)
        // A catty is 500 g, and an empty scale has no weight.
        let catties = AdvertisedValue(
            kind: XiaomiScale.kind, title: "Scale",
            fields: [Field("weight", .number(ProfileNumber(144.9, decimals: 2)), unit: .catties)])
        #expect(AdvertisedWeight(catties)?.fields.text == "72.450 kg")
        let empty = Field("weight", .number(0), unit: .kilograms)
        #expect(AdvertisedWeight(AdvertisedValue(kind: XiaomiScale.kind, title: "Scale", fields: [empty])) == nil)
    }

    @Test func theReasonOfFailedVisitsIsReportedOnce() async throws {
        let file = try #require(Twins.all["blood-pressure"])
        let scene = try await VirtualScene(SceneFile(name: "one", devices: [SceneDevice(file)]))
        let central = try await Central(adapter: scene.radio.adapter(named: "central"), pairing: .justWorks)
        let (values, value) = AsyncStream<Void>.makeStream()
        let attempts = Mutex(0)
        let reports = Mutex<[String]>([])
        let monitor = HealthMonitor(
            central: central, patience: .seconds(60), note: { _ in },
            report: { report in reports.withLock { $0.append(report) } },
            emit: { _ in
                let attempt = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                guard attempt > 3 else { throw ProgramError(.failed, attempt < 3 ? "the disk is full" : "it is busy") }
                value.yield()
            }, rest: .zero, clocks: try ClockHistory())
        _ = await monitor.run(untilFirst: 1, of: values)
        await central.close()
        await scene.close()
        #expect(reports.withLock { $0 } == ["the disk is full", "it is busy"])
    }

    /// A restart of the controller interrupts the scan and the link of the visit.
    @Test func theMonitorContinuesAfterAHardwareError() async throws {
        let file = try #require(Twins.all["blood-pressure"])
        let scene = try await VirtualScene(SceneFile(name: "one", devices: [SceneDevice(file)]))
        let central = try await Central(adapter: scene.radio.adapter(named: "central"), pairing: .justWorks)
        let (values, value) = AsyncStream<Void>.makeStream()
        let hasFailed = Mutex(false)
        let reports = Mutex<[String]>([])
        let monitor = HealthMonitor(
            central: central, patience: .seconds(60), note: { _ in },
            report: { report in reports.withLock { $0.append(report) } },
            emit: { _ in
                let isFirst = hasFailed.withLock { failed in
                    defer { failed = true }
                    return !failed
                }
                if isFirst {
                    await scene.radio.failHardware(adapterNamed: "central", code: 0x42)
                } else {
                    value.yield()
                }
            }, rest: .zero, clocks: try ClockHistory())
        #expect(await monitor.run(untilFirst: 1, of: values).count == 1)
        await central.close()
        await scene.close()
        let report = reports.withLock { $0.first { $0.contains("continuing") } }
        #expect(
            report?.hasPrefix("virtual:central: the controller reported hardware error 0x42") == true, "\(report ?? "")"
        )
    }

    @Test func anIndicationIsConfirmedAfterItIsStored() async throws {
        #expect(try await readings("blood-pressure", "systolic", count: 3) == ["118", "125", "132"])
    }

    @Test func aVendorsReadingIsAcknowledgedAfterItIsStored() async throws {
        #expect(try await readings("vendor-blood-pressure", "number", count: 3) == ["1", "2", "3"])
    }

    @Test func recordsAreRequestedAgainUntilStored() async throws {
        #expect(try await readings("glucose-meter", "sequenceNumber", count: 3).prefix(2) == ["1", "2"])
    }

    @Test func recordsFromBeforeSettingTheClockHaveTheOldOffset() {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        func time(_ seconds: Double) -> DateTime { DateTime(secondsSince2000: Int64(seconds) - 946_684_800) }
        // The clock is ten minutes slow, in a time zone an hour east of Greenwich, and is set to the right time now.
        var clock = ClockOffsets(before: 3600 - 600, set: (now, now.timeIntervalSince1970 + 3600))
        let old = time(now.timeIntervalSince1970 + 3000 - 86400)
        let later = now.addingTimeInterval(60)
        let fresh = time(later.timeIntervalSince1970 + 3600 - 5)
        #expect(clock.offset(of: old, isStored: nil, now: later) == 3000)
        #expect(clock.offset(of: fresh, isStored: nil, now: later) == 3600)
        #expect(clock.offset(of: fresh, isStored: false, now: later) == 3600)
        // The clock is a day fast: the stored times are in the future.
        clock.before = 90000
        #expect(clock.offset(of: time(now.timeIntervalSince1970 + 90000 - 60), isStored: nil, now: later) == 90000)
        // The program never set the clock.
        clock.set = nil
        #expect(clock.offset(of: fresh, isStored: nil, now: later) == 90000)
        // The clock cannot be read, and was set.
        clock = ClockOffsets(before: nil, set: (now, now.timeIntervalSince1970 + 3600))
        #expect(clock.offset(of: old, isStored: true, now: later) == nil)
        #expect(clock.offset(of: fresh, isStored: false, now: later) == 3600)
    }

    @Test func storedTimesAfterSettingASlowClockHaveTheNewOffset() {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let clock = ClockOffsets(before: -86400, set: (now, now.timeIntervalSince1970))
        let later = now.addingTimeInterval(3600)
        let between = DateTime(secondsSince2000: 1_790_001_000 - 946_684_800)
        #expect(clock.offset(of: between, isStored: true, now: later) == 0)
    }

    @Test("A visit that ends before its subscriptions, or before the end of a transfer, has not received all records")
    func unfinishedVisits() async {
        let visits = Visits()
        let id = PeripheralID(high: 1, low: 1)
        #expect(await visits.begin(id))
        #expect(await !visits.hasAllRecords(id))
        await visits.beginRecords(id, of: 1)
        #expect(await !visits.hasAllRecords(id))
        await visits.endRecords(id, areNumbered: true)
        #expect(await visits.hasAllRecords(id))
        await visits.end(id, failure: nil, rest: .zero)
        #expect(await visits.begin(id))
        #expect(await !visits.hasAllRecords(id))
    }

    @Test("Records that are received in a later visit have the offset of the old clock")
    func laterVisits() async throws {
        let file = try #require(Twins.all["glucose-meter"])
        let scene = try await VirtualScene(SceneFile(name: "one", devices: [SceneDevice(file)]))
        let central = try await Central(adapter: scene.radio.adapter(named: "central"), pairing: .justWorks)
        let clocks = try ClockHistory()
        var offsets: [Double?] = []
        // The first run stores one record and ends while it stores the next, which is never stored.
        let (never, hold) = AsyncStream<Void>.makeStream()
        for count in [1, 3] {
            let (values, value) = AsyncStream<Double?>.makeStream()
            let stored = Mutex(0)
            let monitor = HealthMonitor(
                central: central, patience: .seconds(60), note: { _ in },
                emit: { reading in
                    let number = stored.withLock { number in
                        number += 1
                        return number
                    }
                    if number > count {
                        for await _ in never {}
                        throw CancellationError()
                    }
                    value.yield(reading.clockOffset)
                }, rest: .zero, clocks: clocks)
            let running = Task { try await monitor.run() }
            var left = count
            for await offset in values {
                offsets.append(offset)
                left -= 1
                if left == 0 { break }
            }
            running.cancel()
            _ = await running.result
        }
        hold.finish()
        await central.close()
        await scene.close()
        #expect(offsets.count == 4 && Set(offsets).count == 1 && abs((offsets[0] ?? 0)) > 86400, "\(offsets)")
    }

    @Test("The offset of an old clock is kept if the answer to its setting does not arrive")
    func unansweredClock() async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "Cuff")
        let (writes, write) = AsyncStream<Void>.makeStream()
        let (never, hold) = AsyncStream<Void>.makeStream()
        try await device.publish(
            ServiceDefinition("180A", [CharacteristicDefinition("2A25", .read, value: Array("S1".utf8))]))
        let clock = CharacteristicDefinition(
            CurrentTime.uuid, [.read, .write],
            value: try CurrentTime { $0.time = DateTime(2020, 1, 1, 12, 0, 0) }.encoded(),
            onWrite: { _ in
                write.yield()
                for await _ in never {}
            })
        try await device.publish(ServiceDefinition("1805", [clock]))
        try await device.publish(
            ServiceDefinition("1810", [CharacteristicDefinition(BloodPressureMeasurement.uuid, .indicate)]))
        try await device.advertise()
        let central = try await Central(adapter: radio.adapter(named: "central"))
        let clocks = try ClockHistory()
        let monitor = HealthMonitor(
            central: central, patience: .seconds(60), note: { _ in }, emit: { _ in }, rest: .zero, clocks: clocks)
        let running = Task { try await monitor.run() }
        for await _ in writes { break }
        running.cancel()
        _ = await running.result
        let kept = await clocks.offsets(of: ClockOwner(name: "serial S1"))
        #expect((kept?.before ?? 0) < -86400)
        hold.finish()
        await central.close()
        await device.close()
    }

    @Test("Records of a meter that was reset are received, and none is received twice")
    func resetMeter() async throws {
        let start = DateTime(2026, 1, 2, 8, 0, 0)
        let memory = GlucoseMemory(1...5, from: start)
        let meter = Twins.glucoseMeter(pace: .milliseconds(1), memory: memory)
        let scene = try await VirtualScene(SceneFile(name: "one", devices: [SceneDevice(meter)]))
        let central = try await Central(adapter: scene.radio.adapter(named: "central"), pairing: .justWorks)
        let (values, value) = AsyncStream<(PeripheralID, String)>.makeStream()
        let monitor = HealthMonitor(
            central: central, patience: .seconds(60), note: { _ in },
            emit: { reading in
                guard reading.uuid == GlucoseMeasurement.uuid else { return }
                let number = reading.fields.first { $0.name == "sequenceNumber" }.map { "\($0.value)" }
                value.yield((reading.device, number ?? ""))
            }, rest: .zero, clocks: try ClockHistory())
        let running = Task { try await monitor.run() }
        var iterator = values.makeAsyncIterator()
        // The last number is not in the second memory, and is that of another record in the third.
        for numbers: ClosedRange<UInt16> in [1...5, 1...2, 1...4] {
            var found: [String] = []
            var device: PeripheralID?
            while found.count < numbers.count, let (sender, number) = await iterator.next() {
                found.append(number)
                device = sender
            }
            #expect(found.sorted() == numbers.map { "\($0)" }, "\(found)")
            let days: Int64 = numbers.count == 5 ? 10 : 20
            memory.replace(with: numbers.count == 5 ? 1...2 : 1...4, from: start.adding(seconds: days * 86400))
            // The next visit begins after the link has ended.
            if let device, let peripheral = await central.peripheral(id: device),
                let battery = try? await peripheral.characteristic("2A19")
            {
                // The end of the report, which is on its way, arrives before the answers to these.
                for _ in 0..<20 { _ = try? await battery.read() }
                await scene.breakLinks(of: scene.devices[0])
            }
        }
        running.cancel()
        _ = await running.result
        await central.close()
        await scene.close()
    }

    /// A cuff that sends a value that ends too early, and then 128/80 mmHg.
    private final class FaultyCuff: DeviceProgram {
        private let stage: DeviceStage

        init(stage: DeviceStage) { self.stage = stage }

        func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
            guard characteristic == BloodPressureMeasurement.uuid else { return }
            stage.run("send") { [stage] in
                for bytes in [[0x1E, 0x8E, 0], [0, 128, 0, 80, 0, 96, 0]] as [[UInt8]] {
                    await stage.send(bytes, from: BloodPressureMeasurement.uuid)
                }
            }
        }
    }

    @Test("A value that cannot be decoded is emitted with its octets, and does not end the visit")
    func undecodableValue() async throws {
        var file = try #require(Twins.all["blood-pressure"])
        file.services.removeAll { $0.uuid == "1805" }
        file.program = DeviceProgramKind("faulty-cuff") { FaultyCuff(stage: $0) }
        let scene = try await VirtualScene(SceneFile(name: "one", devices: [SceneDevice(file)]))
        let central = try await Central(adapter: scene.radio.adapter(named: "central"), pairing: .justWorks)
        let (values, value) = AsyncStream<MonitorReading>.makeStream()
        let monitor = HealthMonitor(
            central: central, patience: .seconds(60), note: { _ in }, emit: { value.yield($0) }, rest: .zero,
            clocks: try ClockHistory())
        let running = Task { try await monitor.run() }
        var iterator = values.makeAsyncIterator()
        let received = (await iterator.next(), await iterator.next())
        running.cancel()
        _ = await running.result
        await central.close()
        await scene.close()
        let (first, second) = (try #require(received.0), try #require(received.1))
        #expect(first.fields.isEmpty && first.bytes == [0x1E, 0x8E, 0])
        #expect(first.line.hasSuffix("cannot be decoded: 1E 8E 00"), "\(first.line)")
        #expect(second.bytes == [0, 128, 0, 80, 0, 96, 0])
        #expect(second.fields.contains { $0.name == "systolic" })
    }

    @Test("After a reset all records are wanted until they were received")
    func wantedRecords() async {
        let visits = Visits()
        let device = PeripheralID(high: 0, low: 1)
        #expect(await visits.wanted(device) == .all)
        await visits.got(500, device)
        #expect(await visits.wanted(device) == .atLeast(500))
        _ = await visits.begin(device)
        await visits.beginRecords(device, of: 1)
        await visits.restart(device)
        await visits.got(8, device)
        #expect(await visits.wanted(device) == .all)
        #expect(await !visits.hasAllRecords(device))
        await visits.endRecords(device, areNumbered: true)
        #expect(await visits.wanted(device) == .atLeast(8))
        #expect(await visits.hasAllRecords(device))
        await visits.got(.max, device)
        #expect(await visits.wanted(device) == .all)
    }

    @Test func readingsHaveTheFormOfTheHub() throws {
        var reading = MonitorReading(
            time: Date(timeIntervalSince1970: 1_790_000_000), device: PeripheralID(high: 0, low: 1),
            measurement: "Weight",
            fields: [])
        reading.facts.serial = "S1"
        guard case .object(let object) = reading.json, case .object(let device)? = object["device"] else {
            Issue.record("no object")
            return
        }
        let keys: Set = [
            "id", "device", "characteristic", "hex", "fields", "deviceTime", "clockOffset", "time", "gateway",
            "simulated",
        ]
        #expect(keys.isSubset(of: object.keys))
        #expect(Set(device.keys) == ["id", "serial", "systemID", "model", "address", "name"])
    }
}
