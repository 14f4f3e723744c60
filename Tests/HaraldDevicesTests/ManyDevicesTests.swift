import BluetoothRuntime
import HaraldDevices
import Synchronization
import Testing
import VirtualTransport

@testable import VirtualDevices

/// Thirty devices at once, for ten minutes of virtual time.
@Suite(.timeLimit(.minutes(10)), .serialized) struct ManyDevicesTests {
    private static let names =
        Array(repeating: "polar-h7", count: 8) + Array(repeating: "sensortag-cc2541", count: 4)
        + Array(repeating: "sensortag-cc2650", count: 4) + Array(repeating: "blood-pressure", count: 4)
        + Array(repeating: "cgm", count: 4) + Array(repeating: "health-scale", count: 3)
        + Array(repeating: "vendor-scale", count: 3)

    /// The outcome of a device.
    private struct Result: Sendable {
        var name: String
        var values = 0
        var wrong: [String] = []
    }

    @Test func allValuesAreCorrectAndNothingLeaks() async throws {
        let clock = RadioClock.manual()
        let radio = VirtualRadio(clock: clock)
        let devices = try Self.names.map { name in try #require(try BuiltIn.device(named: name)) }
        let isOver = Mutex(false)
        let ticking = Task {
            while !isOver.withLock({ $0 }) { await clock.advance(by: .milliseconds(500)) }
        }
        let scene = try await VirtualScene(SceneFile(name: "ward", devices: devices.map { SceneDevice($0) }), on: radio)
        let central = try await Central(adapter: radio.adapter(named: "central"), pairing: .justWorks)
        var found: [PeripheralID: ScanResult] = [:]
        for try await discovery in central.scan() {
            if discovery.isConnectable { found[discovery.id] = discovery }
            if found.count == devices.count { break }
        }
        let end = clock.now + .seconds(600)
        let results = await withTaskGroup(of: Result.self) { group in
            for discovery in found.values {
                // Runs on the loop, so that the clock waits for the consumers.
                group.addTask(executorPreference: central.executor) {
                    var result = Result(name: discovery.name ?? "?")
                    do {
                        try await discovery.peripheral.connect(timeout: .seconds(120))
                        try await Self.listen(to: discovery.peripheral, until: end, clock, &result)
                    } catch {
                        result.wrong.append("\(error)")
                    }
                    await discovery.peripheral.disconnect()
                    return result
                }
            }
            var results: [Result] = []
            for await result in group { results.append(result) }
            return results
        }
        #expect(results.count == 30)
        for result in results {
            #expect(result.wrong.isEmpty, "\(result.name): \(result.wrong.prefix(2))")
            #expect(result.values >= 9, "\(result.name): \(result.values) values")
        }
        #expect(results.reduce(0) { $0 + $1.values } > 8000)
        await central.close()
        await scene.close()
        isOver.withLock { $0 = true }
        await ticking.value
        #expect(await radio.linkCount == 0)
        // A closed adapter has no controller.
        #expect(await radio.injectFaults(adapterNamed: "central") { _ in } == false)
    }

    private static func listen(
        to peripheral: Peripheral, until end: RadioInstant, _ clock: RadioClock, _ result: inout Result
    ) async throws {
        func check(_ isRight: Bool, _ value: @autoclosure () -> String) {
            result.values += 1
            if !isRight { result.wrong.append(value()) }
        }
        switch peripheral.name ?? "" {
        case "Polar H7 4C1A2B":
            let strap = try await Driver<HeartRateStrap>(peripheral)
            for try await value in try strap.heartRate.measurement.values() {
                check((64...92).contains(value.rate) && value.sensorContact == .detected, "\(value)")
                if clock.now >= end { break }
            }
        case "SensorTag", "CC2650 SensorTag":
            let tag = try await SensorTag(peripheral)
            try await tag.turnOn(.barometer)
            for try await reading in try tag.readings(of: .barometer) {
                let pressure = reading.value("pressure") ?? 0
                check((1011.5...1015).contains(pressure), "\(reading)")
                if clock.now >= end { break }
            }
        case "BP Monitor":
            let monitor = try await Driver<BloodPressureMonitor>(peripheral)
            var number = 0
            for try await value in try monitor.bloodPressure.measurement.values() {
                check(value == BloodPressureTwin.measurement(number, at: value.timeStamp ?? DateTime()), "\(value)")
                number += 1
                if clock.now >= end { break }
            }
        case "CGM Sensor":
            let monitor = try await Driver<ContinuousGlucoseMonitor>(peripheral)
            for try await value in try monitor.glucose.measurement.values() {
                for record in value.records {
                    check(record == ContinuousGlucoseTwin.record(at: record.timeOffset), "\(record)")
                }
                if clock.now >= end { break }
            }
        case "Health Scale":
            let scale = try await Driver<HealthScale>(peripheral)
            var number = 0
            for try await value in try scale.weightScale.measurement.values() {
                check(value == HealthScaleTwin.weight(number, at: value.timeStamp ?? DateTime()), "\(value)")
                number += 1
                if clock.now >= end { break }
            }
        default:
            let scale = try await Driver<VendorScale>(peripheral)
            for try await event in try await scale.readings() {
                if case .reading(let value) = event {
                    check(value == Twins.scaleReading(value.number, at: value.time), "\(value)")
                }
                if clock.now >= end { break }
            }
        }
    }
}
