import BluetoothProfiles
import Harald
import HaraldDevices
import Synchronization

extension Twins {
    /// A SensorTag in the environment of ``SensorTagScenario``.
    static func sensorTag(_ model: SensorTag.Model) -> DeviceFile {
        let sensors: [(UInt16, period: UInt16)] =
            model == .cc2541
            ? [(0xAA00, 3), (0xAA10, 3), (0xAA20, 3), (0xAA30, 3), (0xAA40, 4), (0xAA50, 3)]
            : [(0xAA00, 3), (0xAA20, 3), (0xAA40, 4), (0xAA70, 3), (0xAA80, 3)]
        var services = sensors.map { offset, period in
            var characteristics = [
                DeviceCharacteristic(SensorTagUUID.base[offset + 1], [.read, .notify]),
                DeviceCharacteristic(SensorTagUUID.base[offset + 2], [.read, .write]),
            ]
            if model == .cc2541, offset == 0xAA40 {
                characteristics.append(DeviceCharacteristic(SensorTagUUID.base[0xAA43], .read))
            }
            characteristics.append(DeviceCharacteristic(SensorTagUUID.base[offset + period], [.read, .write]))
            return DeviceService(SensorTagUUID.base[offset], characteristics)
        }
        services.append(DeviceService("FFE0", [DeviceCharacteristic(SensorTagKeys.uuid, .notify)]))
        if model == .cc2650 {
            services.append(
                DeviceService(
                    SensorTagUUID.base[0xAA64],
                    [
                        DeviceCharacteristic(
                            SensorTagUUID.base[0xAA65], [.read, .write], value: ValueTemplate([0x7F])),
                        DeviceCharacteristic(SensorTagUUID.base[0xAA66], [.read, .write], value: ValueTemplate([0])),
                    ]))
            services.append(battery(83))
        }
        // From an address of Texas Instruments, as the tag's firmware does.
        let identifier = SystemID {
            $0.manufacturerIdentifier = 0x00_00CC_0905
            $0.organizationallyUniqueIdentifier = 0x24_7189
        }
        services.append(
            information(
                "Texas Instruments", model == .cc2541 ? "TI BLE Sensor Tag" : "CC2650 SensorTag", serial: "N.A.",
                [
                    fixed(identifier), fixed(HardwareRevision(stringLiteral: "N.A.")),
                    fixed(SoftwareRevision(stringLiteral: "N.A.")),
                ]))
        var file = DeviceFile(
            name: model == .cc2541 ? "SensorTag" : "CC2650 SensorTag",
            advertising: advertising(model == .cc2541 ? [] : ["AA80"]),
            services: services)
        file.advertising.txPower = 0
        file.program = DeviceProgramKind("sensortag-\(model.rawValue.lowercased())") { SensorTagTwin(model, stage: $0) }
        return file
    }
}

/// Measures with the sensors that are on, at their configured periods.
final class SensorTagTwin: DeviceProgram {
    private struct Settings: Sendable {
        var configuration: [UInt8]
        var period: UInt8 = 100
    }

    /// The factory calibration of the barometer.
    static let calibration = BarometerCalibration {
        $0.unsigned = [45697, 25592, 48894, 36174]
        $0.signed = [7001, 1990, -2303, 5435]
    }

    private let model: SensorTag.Model
    private let stage: DeviceStage
    /// The settings of the sensors, by the offset of the service UUID.
    private let settings: Mutex<[UInt16: Settings]>

    init(_ model: SensorTag.Model, stage: DeviceStage) {
        self.model = model
        self.stage = stage
        let offsets: [UInt16] = [0xAA00, 0xAA10, 0xAA20, 0xAA30, 0xAA40, 0xAA50, 0xAA70, 0xAA80]
        settings = Mutex(
            Dictionary(
                uniqueKeysWithValues: offsets.map { ($0, Settings(configuration: $0 == 0xAA80 ? [0, 0] : [0])) }))
    }

    private enum Part { case data, configuration, period, calibration }

    /// Returns the offset of the characteristic's service and its part in the service.
    private func place(_ uuid: BluetoothUUID) -> (offset: UInt16, part: Part)? {
        let number = UInt16(truncatingIfNeeded: uuid.high >> 32)
        guard SensorTagUUID.base[number] == uuid else { return nil }
        let offset = number & 0xFFF0
        guard settings.withLock({ $0[offset] != nil }) else { return nil }
        switch (number & 15, offset) {
        case (1, _): return (offset, .data)
        case (2, _): return (offset, .configuration)
        case (3, 0xAA40): return (offset, .calibration)
        case (4, 0xAA40): return (offset, .period)
        case (3, _): return (offset, .period)
        default: return nil
        }
    }

    private func isOn(_ offset: UInt16) -> Bool {
        let configuration = settings.withLock { $0[offset]?.configuration ?? [0] }
        return offset == 0xAA40 ? configuration == [1] : configuration[0] & 0x7F != 0
    }

    func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]? {
        guard let (offset, part) = place(characteristic) else { return nil }
        switch part {
        case .data: return data(offset)
        case .configuration: return settings.withLock { $0[offset]?.configuration }
        case .period: return settings.withLock { $0[offset].map { [$0.period] } }
        case .calibration:
            let isCalibrated = settings.withLock { $0[offset]?.configuration != [0] }
            return isCalibrated ? Twins.bytes(Self.calibration) : Array(repeating: 0, count: 16)
        }
    }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool {
        guard let (offset, part) = place(characteristic) else { return false }
        switch part {
        case .configuration:
            guard value.count == (offset == 0xAA80 ? 2 : 1) else { throw ATTErrorCode(rawValue: 0x0D) }
            settings.withLock { $0[offset]?.configuration = value }
        case .period:
            guard value.count == 1 else { throw ATTErrorCode(rawValue: 0x0D) }
            settings.withLock { $0[offset]?.period = max(10, value[0]) }
        case .data, .calibration: return false
        }
        // Writes take effect immediately.
        if stage.isRunning(Self.name(offset)) { measure(offset) }
        return true
    }

    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
        if characteristic == SensorTagKeys.uuid {
            watchKeys()
        } else if let (offset, part) = place(characteristic), part == .data {
            measure(offset)
        }
    }

    func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async {
        if characteristic == SensorTagKeys.uuid {
            stage.cancel("keys")
        } else if let (offset, part) = place(characteristic), part == .data {
            stage.cancel(Self.name(offset))
        }
    }

    func disconnected(_ central: PeripheralID) async {
        // Like the device, turns all sensors off when the link ends.
        let offsets = settings.withLock { all in
            for offset in all.keys { all[offset]?.configuration = offset == 0xAA80 ? [0, 0] : [0] }
            return Array(all.keys)
        }
        for offset in offsets { stage.cancel(Self.name(offset)) }
        stage.cancel("keys")
    }

    private static func name(_ offset: UInt16) -> String { "sensor \(offset)" }

    private func measure(_ offset: UInt16) {
        stage.run(Self.name(offset)) { [weak self, stage] in
            while let self {
                let period = settings.withLock { $0[offset]?.period ?? 100 }
                try await stage.wait(.milliseconds(Int(period) * 10))
                if isOn(offset) { await stage.send(data(offset), from: SensorTagUUID.base[offset + 1]) }
            }
        }
    }

    private func watchKeys() {
        stage.run("keys") { [model, stage] in
            var last: UInt8 = 0
            while true {
                var keys = SensorTagScenario.moment(at: stage.elapsed).keys
                if model == .cc2541 { keys &= 3 }
                if keys != last { await stage.send([keys], from: SensorTagKeys.uuid) }
                last = keys
                try await stage.wait(.milliseconds(100))
            }
        }
    }

    /// Returns the current data of a sensor; zeros if it is off.
    private func data(_ offset: UInt16) -> [UInt8] {
        let bytes = bytes(offset, SensorTagScenario.moment(at: stage.elapsed))
        return isOn(offset) ? bytes : Array(repeating: 0, count: bytes.count)
    }

    private func bytes(_ offset: UInt16, _ now: SensorTagScenario.Moment) -> [UInt8] {
        let isFirst = model == .cc2541
        switch offset {
        case 0xAA00:
            let raw =
                isFirst
                ? SensorTagFormulas.rawTMP006(object: now.object, ambient: now.ambient)
                : SensorTagFormulas.rawTMP007(object: now.object, ambient: now.ambient)
            return Twins.bytes(raw)
        case 0xAA10:
            return Twins.bytes(
                RawAxes8 {
                    func count(_ value: Double) -> Int8 { Int8(min(max((value * 16).rounded(), -128), 127)) }
                    ($0.x, $0.y, $0.z) = (
                        count(now.acceleration.x), count(now.acceleration.y), count(now.acceleration.z)
                    )
                })
        case 0xAA20:
            let raw =
                isFirst
                ? SensorTagFormulas.rawSHT21(temperature: now.ambient, humidity: now.humidity)
                : SensorTagFormulas.rawHDC1000(temperature: now.ambient, humidity: now.humidity)
            return Twins.bytes(raw)
        case 0xAA30:
            return Twins.bytes(
                SensorTagFormulas.rawAxes(now.magneticField, unit: SensorTagFormulas.microteslasPerCount))
        case 0xAA40:
            if isFirst {
                return Twins.bytes(
                    SensorTagFormulas.rawT5400(
                        temperature: now.ambient, pressure: now.pressure * 100, Self.calibration))
            }
            return Twins.bytes(
                RawBarometer {
                    $0.temperature = Int32((now.ambient * 100).rounded())
                    $0.pressure = UInt32((now.pressure * 100).rounded())
                })
        case 0xAA50:
            return Twins.bytes(
                SensorTagFormulas.rawAxes(now.rotation, unit: SensorTagFormulas.degreesPerSecondPerCount))
        case 0xAA70: return Twins.bytes(RawUInt16(SensorTagFormulas.rawOPT3001(lux: now.light)))
        default:
            let configuration = settings.withLock { $0[offset]?.configuration ?? [0, 0] }
            let range = Double(2 << Int(configuration[1] & 3))
            return Twins.bytes(
                RawMovement {
                    $0.gyroscope = SensorTagFormulas.rawAxes(
                        now.rotation, unit: SensorTagFormulas.degreesPerSecondPerCount)
                    $0.accelerometer = SensorTagFormulas.rawAxes(now.acceleration, unit: range / 32768)
                    $0.magnetometer = SensorTagFormulas.rawAxes(now.magneticField, unit: 1)
                })
        }
    }
}
