#if os(Linux)
import BluetoothRuntime
import Harald
import HaraldDevices
import PeerSupport
import Testing
import VirtualDevices
import Workbench

extension PeerSuites {
    /// Our drivers with devices on Bumble's host, whose bytes are made by `health.py`.
    @Suite("Drivers with Bumble's devices")
    struct DriversWithBumbleTests {
        private func withDevice<Device: DeviceDeclaration>(
            _ device: Device.Type, _ body: (Driver<Device>, PeerProcess) async throws -> Void
        ) async throws {
            try await OfferedAir.with { air in
                try await Peers.with(.health, [air.controller]) { bumble, _ in
                    try await withCentral(adapter: air.radio.adapter(named: "central"), options: .init(storage: .none))
                    {
                        central in
                        let peripheral = try await central.find(device, within: .seconds(20))
                        try await body(Driver(peripheral), bumble)
                        await peripheral.disconnect()
                    }
                }
            }
        }

        /// Reads the values of the device's services with their drivers.
        private func facts(of peripheral: Peripheral) async throws -> [String] {
            let thermometer = try await Driver<ThermometerDevice>(peripheral)
            let oximeter = try await Driver<PulseOximeter>(peripheral)
            return [
                "\(try await thermometer.thermometer.type.read().site)",
                "\(try await oximeter.oximeter.features.read().features)",
                "\(thermometer.thermometer.intermediate.isPresent)",
            ]
        }

        @Test("a clone stands in for the device", .timeLimit(.minutes(2))) func clone() async throws {
            let options = AdapterOptions(storage: .none)
            let (file, expected) = try await OfferedAir.with { air in
                try await Peers.with(.health, [air.controller]) { _, _ in
                    let central = try await Central(adapter: air.radio.adapter(named: "central"), options: options)
                    var heard = HeardAdvertising()
                    var found: Peripheral?
                    for try await discovery in central.scan(duplicates: true, duration: .seconds(60)) {
                        heard.note(discovery, at: RadioClock.real.now)
                        found = discovery.peripheral
                        if heard.isEnough { break }
                    }
                    let peripheral = try #require(found)
                    try await peripheral.connect(timeout: .seconds(30))
                    var cloner = DeviceCloner()
                    cloner.observation = .milliseconds(200)
                    let result = try await cloner.clone(peripheral, heard: heard)
                    let facts = try await facts(of: peripheral)
                    await central.close()
                    return (result.file, facts)
                }
            }
            guard case .device(let read) = try DeviceDocument(yaml: file.yaml, file: "clone.yaml") else {
                Issue.record("the clone is not a device file: \(file.yaml)")
                return
            }
            let scene = try await VirtualScene(SceneFile(name: "clone", devices: [SceneDevice(read)]))
            let central = try await Central(adapter: scene.radio.adapter(named: "central"), options: options)
            let peripheral = try await central.find(ThermometerDevice.self, within: .seconds(20))
            #expect(try await facts(of: peripheral) == expected)
            await central.close()
            await scene.close()
        }

        @Test("a thermometer", .timeLimit(.minutes(1))) func thermometer() async throws {
            try await withDevice(ThermometerDevice.self) { device, bumble in
                #expect(try await device.thermometer.type.read().site == .ear)
                var values = try device.thermometer.measurement.values().makeAsyncIterator()
                // After the response to this read the subscription is active.
                _ = try await device.thermometer.type.read()
                for (digits, exponent, text) in [
                    (366, -1, "36.6"), (3660, -2, "36.60"), (37, 0, "37"), (-5, -1, "-0.5"),
                ] {
                    try await bumble.command("temperature \(digits) \(exponent)")
                    let value = try #require(try await values.next())
                    #expect(value.temperature.description == text && value.temperatureType == .ear)
                }
                try await bumble.command("temperature 0x7FFFFF 0")
                #expect(try await values.next()?.temperature == .special(.notANumber))
            }
        }

        @Test("a glucose meter", .timeLimit(.minutes(1))) func glucoseMeter() async throws {
            try await withDevice(GlucoseMeter.self) { meter, bumble in
                #expect(try await meter.records.count() == 3)
                #expect(try await meter.records.count(.atLeast(2)) == 2)
                let all = try await meter.measurements()
                #expect(all.map(\.measurement.sequenceNumber) == [1, 2, 3])
                #expect(all.map(\.measurement.usualConcentration?.number) == [91, ProfileNumber(55, exponent: -1), 93])
                #expect(all.map(\.measurement.usualConcentration?.unit.symbol) == ["mg/dL", "mmol/L", "mg/dL"])
                #expect(all.map(\.measurement.baseTime) == (1...3).map { DateTime(2026, 5, $0, 7, 30, 0) })
                #expect(all.map { $0.context?.meal?.rawValue } == [nil, 1, nil])
                #expect(all.allSatisfy { $0.measurement.type == .capillaryWholeBlood })
                #expect(try await meter.records.report(.range(2...9)).map(\.sequenceNumber) == [2, 3])
                #expect(try await meter.records.report(.first).map(\.sequenceNumber) == [1])
                #expect(try await meter.records.delete(.atMost(2)))
                #expect(try await bumble.command("records")["numbers"]?.list?.compactMap(\.int) == [3])
                #expect(try await !meter.records.delete(.atMost(2)))
                #expect(try await meter.records.report(.atMost(2)).isEmpty)
            }
        }

        @Test("a pulse oximeter", .timeLimit(.minutes(1))) func pulseOximeter() async throws {
            try await withDevice(PulseOximeter.self) { oximeter, bumble in
                #expect(try await oximeter.oximeter.features.read().features.contains(.measurementStorage))
                #expect(try await oximeter.records.count() == 2)
                let stored = try await oximeter.records.report()
                #expect(
                    stored.map(\.oximetry) == [Oximetry(spO2: 96, pulseRate: 61), Oximetry(spO2: 97, pulseRate: 62)])
                #expect(stored.map(\.timeStamp) == [1, 2].map { DateTime(2026, 5, $0, 0, 0, 0) })
                var values = try oximeter.oximeter.continuous.values().makeAsyncIterator()
                _ = try await oximeter.oximeter.features.read()
                try await bumble.command("oxygen 97 64")
                #expect(try await values.next()?.oximetry == Oximetry(spO2: 97, pulseRate: 64))
                // Records without numbers cannot be selected by number.
                let error = await #expect(throws: BluetoothError.self) {
                    _ = try await oximeter.records.report(.atLeast(1))
                }
                #expect(error?.description.contains("operator not supported") == true)
            }
        }
    }
}
#endif
