import Foundation
import Harald
import HaraldDevices

/// The model's state of a connected SensorTag. Confined to the model.
final class TagSession {
    /// The settings of a sensor and its last reading.
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

    /// Decodes a value of a sensor's data characteristic; nil for other characteristics and invalid values.
    func reading(of uuid: BluetoothUUID, _ bytes: [UInt8]) -> SensorTag.Reading? {
        guard let sensor = tag.sensors.first(where: { $0.uuid(of: .data) == uuid }) else { return nil }
        return try? tag.reading(of: sensor, bytes)
    }

    func note(_ reading: SensorTag.Reading, at time: Date) { sensors[reading.sensor]?.reading = (time, reading) }

    /// Returns the data characteristic of a sensor.
    func characteristic(_ sensor: SensorTag.Sensor) -> Characteristic? {
        guard let uuid = sensor.uuid(of: .data) else { return nil }
        return tag.peripheral.services.first { $0.uuid == sensor.service }?.characteristics.first { $0.uuid == uuid }
    }
}

/// The device information of a SensorTag (Device Information Service).
package struct TagInformation: Hashable, Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    package var manufacturer: String?, model: String?, serial: String?, hardware: String?, firmware: String?,
        software: String?

    /// Reads what the tag has of it.
    package init(of tag: SensorTag) async {
        let places: [(WritableKeyPath<TagInformation, String?>, BluetoothUUID)] = [
            (\.manufacturer, "2A29"), (\.model, "2A24"), (\.serial, "2A25"), (\.hardware, "2A27"), (\.firmware, "2A26"),
            (\.software, "2A28"),
        ]
        let characteristics = tag.peripheral.services.first { $0.uuid == "180A" }?.characteristics ?? []
        for (place, uuid) in places {
            guard let characteristic = characteristics.first(where: { $0.uuid == uuid }) else { continue }
            guard let bytes = try? await characteristic.read() else { continue }
            self[keyPath: place] = ValueText(bytes, of: uuid).text
        }
    }

    /// The known facts, each with its name unless it speaks for itself.
    package var facts: [String] {
        let named = [("serial number", serial), ("hardware", hardware), ("firmware", firmware), ("software", software)]
        return [manufacturer, model].compactMap { $0 }
            + named.compactMap { name, value in value.map { "\(name) \($0)" } }
    }

    /// The information as a JSON object.
    package var json: JSONValue {
        [
            "manufacturer": .optional(manufacturer), "model": .optional(model), "serial": .optional(serial),
            "hardware": .optional(hardware), "firmware": .optional(firmware), "software": .optional(software),
        ]
    }
}

/// A snapshot of a SensorTag.
package struct TagReport: Sendable {
    /// A sensor of the SensorTag.
    package struct Sensor: Sendable {
        /// The kind of sensor.
        package var sensor: SensorTag.Sensor
        /// True if the sensor is switched on; keys always are.
        package var isOn: Bool
        /// The measurement period; nil if the sensor has none or it has not been read.
        package var period: Duration?
        /// True if the sensor can be calibrated.
        package var isCalibratable: Bool
        /// True if the sensor was calibrated.
        package var isCalibrated: Bool
        /// The value handle of its data characteristic.
        package var handle: UInt32?
        /// The last reading and its time.
        package var reading: SensorTag.Reading?
        package var readingTime: Date?
    }

    /// The device.
    package var id: PeripheralID
    /// The name of the device.
    package var name: String?
    /// The model.
    package var model: SensorTag.Model
    /// The address, if the platform provides it.
    package var address: String?
    /// The signal strength, in dBm.
    package var rssi: Int?
    /// The state of the link.
    package var connection: ConnectionReport
    /// True while pairing is in progress.
    package var isPairing: Bool
    /// The sensors; empty while they are not known.
    package var sensors: [Sensor]
    /// The device information; nil until it was read.
    package var information: TagInformation?

    /// The report as a JSON object.
    package var json: JSONValue {
        [
            "id": .string(id.description), "name": .optional(name), "model": .string(model.rawValue),
            "address": .optional(address), "rssi": .optional(rssi), "state": .string(connection.phase.rawValue),
            "pairing": .bool(isPairing), "reason": .optional(connection.reason),
            // An empty list would be a tag without sensors.
            "sensors": sensors.isEmpty ? .null : .array(sensors.map(\.json)), "information": information?.json ?? .null,
        ]
    }
}

extension TagReport.Sensor {
    /// The range of periods, in seconds.
    package static let periods = 0.1...2.55

    /// The sensor as a JSON object.
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
                [
                    "time": .optional(readingTime?.jsonText), "fields": JSONValue(reading.fields),
                    "parts": .array(ValuePart.parts(of: reading.fields).map(\.json)),
                ]
            } ?? .null,
        ]
    }
}
