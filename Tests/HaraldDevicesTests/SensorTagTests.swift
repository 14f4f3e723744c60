import HaraldDevices
import Testing

@testable import VirtualDevices

/// Both SensorTags through their driver.
@Suite(.timeLimit(.minutes(2))) struct SensorTagTests {
    @Test(arguments: ["sensortag-cc2541", "sensortag-cc2650"])
    func everySensorReportsTheSimulatedValues(name: String) async throws {
        try await DeviceRig.withSteppedClock(name) { rig in
            let tag = try await SensorTag(rig.peripheral)
            #expect(tag.model == (name.hasSuffix("cc2541") ? .cc2541 : .cc2650))
            for sensor in tag.sensors where sensor != .keys {
                #expect(try await !tag.isOn(sensor))
                try await tag.setPeriod(.milliseconds(200), of: sensor)
                #expect(try await tag.period(of: sensor) == .milliseconds(200))
                try await tag.turnOn(sensor)
                #expect(try await tag.isOn(sensor))
                for reading in try await tag.readings(of: sensor).first(2) { check(reading, tag.model) }
                try await tag.turnOff(sensor)
                #expect(try await !tag.isOn(sensor))
            }
            let maker = try await rig.peripheral.characteristic("180A", "2A29").read(as: ManufacturerName.self)
            #expect(maker.text == "Texas Instruments")
        }
    }

    /// The scenario stays within these bounds all the time.
    private func check(_ reading: SensorTag.Reading, _ model: SensorTag.Model) {
        func value(_ name: String) -> Double { reading.value(name) ?? .nan }
        func length(_ prefix: String) -> Double {
            let names = prefix.isEmpty ? ["x", "y", "z"] : ["X", "Y", "Z"].map { prefix + $0 }
            return names.map { value($0) * value($0) }.reduce(0, +).squareRoot()
        }
        let isRight: Bool
        switch reading.sensor {
        case .temperature:
            isRight = (19.9...24.1).contains(value("ambient")) && abs(value("object") - value("ambient") - 1.5) < 0.1
        case .humidity:
            isRight = (39.9...50.1).contains(value("humidity")) && (19.9...24.1).contains(value("temperature"))
        case .barometer:
            isRight = (1011.5...1015).contains(value("pressure")) && (19.9...24.1).contains(value("temperature"))
        case .light: isRight = (199...501).contains(value("light"))
        case .accelerometer: isRight = abs(length("") - 1) < 0.08
        case .gyroscope: isRight = abs(value("x") - 18) < 0.01 && abs(value("y")) < 0.01
        case .magnetometer: isRight = abs(length("") - 45.65) < 0.2
        case .movement:
            isRight =
                abs(length("acceleration") - 1) < 0.01 && abs(value("rotationX") - 18) < 0.01
                && abs(length("magneticField") - 45.65) < 1.5
        case .keys: isRight = true
        }
        if !isRight { Issue.record("\(model) \(reading.sensor): \(reading)") }
    }

    @Test func keysArePressedAndRangesChange() async throws {
        try await DeviceRig.withSteppedClock("sensortag-cc2650") { rig in
            let tag = try await SensorTag(rig.peripheral)
            let pressed = try await tag.readings(of: .keys).first(6)
            #expect(pressed.contains { $0.value("left") == 1 })
            #expect(pressed.contains { $0.value("right") == 1 })
            #expect(pressed.contains { $0.value("reed") == 1 })
            for range in [2, 4, 8, 16] {
                try await tag.setRange(range)
                check(try await tag.read(.movement), tag.model)
            }
            let error = await #expect(throws: BluetoothError.self) { try await tag.setRange(3) }
            #expect(error?.code == .invalidArgument)
            let none = await #expect(throws: BluetoothError.self) { try await tag.turnOn(.gyroscope) }
            #expect(none?.code == .unsupported)
        }
    }

    @Test func calibrationUsesTheCurrentReadingAsZero() async throws {
        try await DeviceRig.withSteppedClock("sensortag-cc2541") { rig in
            let tag = try await SensorTag(rig.peripheral)
            #expect(try await !tag.calibrate(.gyroscope), "nothing was read yet")
            try await tag.turnOn(.gyroscope)
            let turning = try await tag.read(.gyroscope).value("x") ?? 0
            #expect(abs(turning - 18) < 0.01)
            #expect(try await tag.calibrate(.gyroscope))
            let zeroed = try await tag.read(.gyroscope).value("x") ?? 9
            #expect(abs(zeroed) < 0.01)
            tag.resetCalibration()
            let again = try await tag.read(.gyroscope).value("x") ?? 0
            #expect(abs(again - 18) < 0.01)
            // A barometer without its calibration has no meaning.
            let error = await #expect(throws: BluetoothError.self) { try await tag.read(.barometer) }
            #expect(error?.description.contains("calibration") == true)
        }
    }
}
