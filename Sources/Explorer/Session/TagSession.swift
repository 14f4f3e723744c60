#if Programs
import Foundation
import Harald
import HaraldDevices

/// What the model keeps of a connected SensorTag. Confined to the model.
final class TagSession {
    /// A sensor, as it was set and as it measured last.
    struct Sensor {
        var isOn = false
        var period: Duration?
        var isCalibrated = false
        var reading: (time: Date, value: SensorTag.Reading)?
    }

    let tag: SensorTag
    var sensors: [SensorTag.Sensor: Sensor] = [:]
    var information: TagInformation?

    init(_ tag: SensorTag) {
        self.tag = tag
        for sensor in tag.sensors { sensors[sensor] = Sensor(isOn: sensor == .keys) }
    }

    /// What the bytes of a characteristic mean, where it is the data of a sensor.
    func reading(of uuid: BluetoothUUID, _ bytes: [UInt8]) -> SensorTag.Reading? {
        guard let sensor = tag.sensors.first(where: { $0.uuid(of: .data) == uuid }) else { return nil }
        return try? tag.reading(of: sensor, bytes)
    }

    func note(_ reading: SensorTag.Reading, at time: Date) { sensors[reading.sensor]?.reading = (time, reading) }

    /// The characteristic that a sensor's data is in.
    func characteristic(_ sensor: SensorTag.Sensor) -> Characteristic? {
        guard let uuid = sensor.uuid(of: .data) else { return nil }
        return tag.peripheral.services.first { $0.uuid == sensor.service }?.characteristics.first { $0.uuid == uuid }
    }
}

/// What a SensorTag says about itself (Device Information Service).
package struct TagInformation: Hashable, Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    package var manufacturer: String?, model: String?, serial: String?, hardware: String?, firmware: String?,
        software: String?

    /// One object.
    package var json: JSONValue {
        [
            "manufacturer": .optional(manufacturer), "model": .optional(model), "serial": .optional(serial),
            "hardware": .optional(hardware), "firmware": .optional(firmware), "software": .optional(software),
        ]
    }
}

/// A SensorTag at a moment.
package struct TagReport: Sendable {
    /// A sensor of it.
    package struct Sensor: Sendable {
        /// Which.
        package var sensor: SensorTag.Sensor
        /// Whether it measures; keys always do.
        package var isOn: Bool
        /// How often it measures; nil where it has no period, or that was not read yet.
        package var period: Duration?
        /// Whether what it shows can be taken for zero, or calibrated anew.
        package var isCalibratable: Bool
        /// Whether that was done.
        package var isCalibrated: Bool
        /// The attribute that has its data.
        package var handle: UInt32?
        /// What it measured last, and when.
        package var reading: SensorTag.Reading?
        package var readingTime: Date?
    }

    /// The device.
    package var id: PeripheralID
    /// Its name.
    package var name: String?
    /// Which model it is.
    package var model: SensorTag.Model
    /// Its address, where the platform shows it.
    package var address: String?
    /// The signal strength in dBm.
    package var rssi: Int?
    /// How it is connected.
    package var connection: ConnectionReport
    /// Whether it pairs at the moment.
    package var isPairing: Bool
    /// Its sensors; none while it is not connected.
    package var sensors: [Sensor]
    /// What it says about itself; nil before that was read.
    package var information: TagInformation?

    /// One object.
    package var json: JSONValue {
        [
            "id": .string(id.description), "name": .optional(name), "model": .string(model.rawValue),
            "address": .optional(address), "rssi": .optional(rssi), "state": .string(connection.phase.rawValue),
            "pairing": .bool(isPairing), "reason": .optional(connection.reason),
            "sensors": .array(sensors.map(\.json)), "information": information?.json ?? .null,
        ]
    }
}

extension TagReport.Sensor {
    /// The shortest and the longest period in seconds.
    package static let periods = 0.1...2.55

    /// One object.
    package var json: JSONValue {
        let hasPeriod = sensor != .keys
        return [
            "sensor": .string(sensor.rawValue), "on": .bool(isOn),
            "period": period.map { .number(($0 / .milliseconds(1)).rounded() / 1000) } ?? .null,
            "minimumPeriod": hasPeriod ? .number(Self.periods.lowerBound) : .null,
            "maximumPeriod": hasPeriod ? .number(Self.periods.upperBound) : .null,
            "calibratable": .bool(isCalibratable), "calibrated": .bool(isCalibrated),
            "handle": .optional(handle.map { Int($0) }),
            "reading": reading.map { reading in
                ["time": .optional(readingTime?.jsonText), "fields": JSONValue(reading.fields)]
            } ?? .null,
        ]
    }
}
#endif
