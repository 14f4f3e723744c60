import BluetoothRuntime
import HaraldDevices
import Testing

@testable import VirtualDevices

/// The drivers of body, bicycle and room sensors, with their twins.
@Suite(.timeLimit(.minutes(2))) struct SensorDeviceTests {
    @Test func oximeterSendsStoredAndCurrentMeasurements() async throws {
        try await DeviceRig.withSteppedClock(Twins.pulseOximeter) { rig in
            let oximeter = try await Driver<PulseOximeter>(rig.peripheral)
            #expect(try await oximeter.oximeter.features.read().features.contains(.measurementStorage))
            #expect(try await oximeter.records.count() == 5)
            let stored = try await oximeter.records.report()
            #expect(stored.count == 5)
            for (number, record) in stored.enumerated() {
                let time = try #require(record.timeStamp)
                #expect(record == PulseOximeterTwin.spotCheck(number, at: time, isStored: true))
            }
            #expect(try await oximeter.records.report(.last) == [stored[4]])
            // Continuous measurements, and a spot check.
            let continuous = try await oximeter.oximeter.continuous.values().first(20)
            #expect(continuous.map(\.oximetry) == (0..<20).map { PulseOximeterTwin.oximetry(at: $0) })
            let spotCheck = try #require(try await oximeter.oximeter.spotCheck.values().first(1).first)
            #expect(spotCheck.measurementStatus == .fullyQualified)
            #expect(
                (0...3).contains { number in
                    spotCheck
                        == PulseOximeterTwin.spotCheck(
                            5 + number, at: spotCheck.timeStamp ?? DateTime(), isStored: false)
                })
            #expect(try await oximeter.records.delete(.all))
            #expect(try await oximeter.records.count() == 0)
            #expect(try await oximeter.battery.level.read() == BatteryLevel(66))
        }
    }

    @Test func bicycleGoesAtASteadySpeed() async throws {
        try await DeviceRig.withSteppedClock(Twins.cyclingSensor) { rig in
            let sensor = try await Driver<CyclingSensor>(rig.peripheral)
            #expect(try await sensor.cycling.location.read().location.name == "rear wheel")
            #expect(try await sensor.cycling.feature.read().features.rawValue == 3)
            // Enough values for the event time, which wraps after 64 s, and the crank revolutions to wrap.
            let values = try await sensor.cycling.measurement.values().first(70)
            #expect(values == (0..<70).map { Twins.cycling(after: $0) })
            for (earlier, later) in zip(values, values.dropFirst(2)) {
                let (wheel, earlierWheel) = (try #require(later.wheel), try #require(earlier.wheel))
                #expect(wheel.rate(since: earlierWheel, bits: 32) == 4)
                let (crank, earlierCrank) = (try #require(later.crank), try #require(earlier.crank))
                let cadence = try #require(crank.rate(since: earlierCrank, bits: 16))
                #expect(abs(cadence - 1.5) < 0.01)
            }
        }
    }

    @Test func wheelRevolutionsAreSet() async throws {
        try await DeviceRig.withSteppedClock(Twins.cyclingSensor) { rig in
            let sensor = try await Driver<CyclingSensor>(rig.peripheral)
            _ = try await rig.peripheral.discoverAll()
            let point = try #require(
                rig.peripheral.services.flatMap(\.characteristics)
                    .first { $0.uuid == SpeedAndCadenceControlPoint.uuid })
            await #expect(throws: BluetoothError.self) { try await point.write([1, 7, 0, 0, 0]) }
            var answers = try await point.subscribe().makeAsyncIterator()
            for (request, answer) in [([1, 7, 0, 0, 0], [16, 1, 1]), ([1, 7], [16, 1, 3]), ([9], [16, 9, 2])] {
                try await point.write(request.map { UInt8($0) })
                #expect(try await answers.next() == answer.map { UInt8($0) })
            }
            #expect(try await sensor.cycling.measurement.values().first(1).first?.wheel?.revolutions == 7)
        }
    }

    @Test func runnerRunsAndWalks() async throws {
        try await DeviceRig.withSteppedClock(Twins.runningSensor) { rig in
            let sensor = try await Driver<RunningSensor>(rig.peripheral)
            #expect(try await sensor.running.location.read().location.name == "in shoe")
            let values = try await sensor.running.measurement.values().first(62)
            #expect(values == (0..<62).map { Twins.running(after: $0) })
            #expect(values[29].isRunning && !values[30].isRunning && values[60].isRunning)
            let distances = values.compactMap(\.totalDistance?.value)
            for (second, (earlier, later)) in zip(distances, distances.dropFirst()).enumerated() {
                #expect(abs(later - earlier - Double(values[second].speed) / 256) < 0.001)
            }
        }
    }

    @Test func thermometerSendsTemperatures() async throws {
        let file = try #require(try BuiltIn.device(named: "thermometer"))
        try await DeviceRig.withSteppedClock(file) { rig in
            let device = try await Driver<ThermometerDevice>(rig.peripheral)
            #expect(try await device.thermometer.type.read().site == .ear)
            #expect(!device.thermometer.intermediate.isPresent && !device.information.isPresent)
            for value in try await device.thermometer.measurement.values().first(20) {
                #expect((36.4...37.6).contains(value.temperature.value ?? 0) && !value.isFahrenheit)
                #expect(value.temperatureType == .ear && value.timeStamp == nil)
                // Its resolution is a tenth of a degree.
                #expect(value.temperature.exact?.exponent == -1)
            }
            #expect(try await device.battery.level.read() == BatteryLevel(62))
        }
    }

    @Test func roomSensorSendsEnvironmentalValues() async throws {
        let file = try #require(try BuiltIn.device(named: "room-sensor"))
        try await DeviceRig.withSteppedClock(file) { rig in
            let room = try await Driver<RoomSensor>(rig.peripheral)
            #expect(!room.environment.pressure.isPresent)
            let now = try await room.environment.temperature.read()
            #expect((20.5...22.9).contains(now.value.value ?? 0))
            for value in try await room.environment.temperature.values().first(30) {
                #expect((20.5...22.9).contains(value.value.value ?? 0))
                #expect(value.value.exact?.exponent == -2)
            }
            for value in try await room.environment.humidity.values().first(30) {
                #expect((38...52).contains(value.value.value ?? 0))
            }
        }
    }
}
