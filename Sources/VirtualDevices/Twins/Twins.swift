import BluetoothProfiles
import Harald
import HaraldDevices

/// Simulations of the devices that have drivers and whose behaviour a file cannot express. Each is a ``DeviceFile``
/// that runs on any adapter.
public enum Twins {
    /// The twins by name.
    public static let all: [String: DeviceFile] = [
        "sensortag-cc2541": sensorTag(.cc2541), "sensortag-cc2650": sensorTag(.cc2650),
        "blood-pressure": bloodPressureMonitor, "glucose-meter": glucoseMeter, "cgm": continuousGlucoseMonitor,
        "health-scale": healthScale, "vendor-scale": vendorScale, "vendor-blood-pressure": vendorBloodPressureMonitor,
        "pulse-oximeter": pulseOximeter, "cycling-sensor": cyclingSensor, "running-sensor": runningSensor,
    ]

    /// Returns the bytes of a value; none, with an entry in the log, for one that cannot be encoded. No value of the
    /// twins is of that kind: their fields are constant, or computed within the ranges of their types.
    static func bytes(_ value: some GATTValue) -> [UInt8] { DeviceStage.encode(value) ?? [] }

    static func fixed<Value: CharacteristicType>(
        _ value: Value, _ properties: CharacteristicProperties = .read
    ) -> DeviceCharacteristic {
        DeviceCharacteristic(Value.uuid, properties, value: ValueTemplate(bytes(value)))
    }

    static func information(
        _ maker: String, _ model: String, serial: String, _ further: [DeviceCharacteristic] = []
    ) -> DeviceService {
        DeviceService(
            "180A",
            [
                fixed(ManufacturerName(stringLiteral: maker)), fixed(ModelNumber(stringLiteral: model)),
                fixed(SerialNumber(stringLiteral: serial)), fixed(FirmwareRevision(stringLiteral: "1.0")),
            ] + further)
    }

    static func battery(_ level: UInt8) -> DeviceService { DeviceService("180F", [fixed(BatteryLevel(level))]) }

    /// A clock that can be read and set.
    static var clock: DeviceService {
        DeviceService("1805", [DeviceCharacteristic(CurrentTime.uuid, [.read, .write])])
    }

    static func advertising(_ services: [BluetoothUUID]) -> DeviceAdvertising {
        var advertising = DeviceAdvertising()
        advertising.interval = .milliseconds(200)
        advertising.services = services
        return advertising
    }
}

extension DeviceStage {
    /// Returns the value of the Current Time characteristic.
    func readClock() -> [UInt8] {
        let now = clock
        return Twins.bytes(
            CurrentTime {
                $0.time = now
                $0.dayOfWeek = Weekday(of: now)
            })
    }

    /// Sets the clock from a write to the Current Time characteristic.
    func writeClock(_ bytes: [UInt8]) throws {
        guard let time = try? CurrentTime(bytes: bytes), time.time.isComplete else {
            // Out of Range
            throw ATTErrorCode(rawValue: 0xFF)
        }
        clock = time.time
    }
}
