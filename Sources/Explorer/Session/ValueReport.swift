import BluetoothProfiles
import Foundation
import Harald
import HaraldDevices

/// The origin of a value.
package enum ValueCause: String, Hashable, Sendable, CaseIterable {
    /// Sent by the device, as a notification or an indication.
    case notify, indicate
    /// Read.
    case read
    /// Written.
    case write
}

/// A value of an attribute with its time.
package struct ValueReport: Hashable, Sendable {
    /// The device.
    package var device: PeripheralID
    /// The device's name.
    package var deviceName: String?
    /// The service.
    package var service: BluetoothUUID
    /// The characteristic, or the one to which the descriptor belongs.
    package var characteristic: BluetoothUUID
    /// The name of the characteristic or descriptor.
    package var name: String?
    /// The UUID of the descriptor; nil for a value of the characteristic itself.
    package var descriptor: BluetoothUUID?
    /// The attribute handle.
    package var handle: UInt32
    /// The time at which the value became known.
    package var time: Date
    /// The origin of the value.
    package var cause: ValueCause
    /// The bytes, with their decoded form.
    package var value: ValueText
    /// The calibrated reading, for a sensor of a SensorTag.
    package var reading: SensorTag.Reading?
    /// True if a write was acknowledged; nil if the value was not written.
    package var isAcknowledged: Bool?

    /// The value as a JSON object, as `harald read --json` prints it, with the time.
    package var json: JSONValue {
        var object = value.json
        object["device"] = ["id": .string(device.description), "name": .optional(deviceName)]
        object["service"] = .string(service.description)
        object["characteristic"] = .string(characteristic.description)
        if let descriptor { object["descriptor"] = .string(descriptor.description) }
        object["name"] = .optional(name)
        object["handle"] = .int(Int(handle))
        object["time"] = .string(time.jsonText)
        object["parts"] = .array(parts.map(\.json))
        if let isAcknowledged { object["acknowledged"] = .bool(isAcknowledged) }
        return .object(object)
    }

    /// The value as the JSON object of the event `value`.
    package var eventJSON: JSONValue {
        guard case .object(var object) = json else { return json }
        object["device"] = nil
        object["id"] = .string(device.description)
        object["cause"] = .string(cause.rawValue)
        if let reading {
            object["sensor"] = .string(reading.sensor.rawValue)
            object["reading"] = JSONValue(reading.fields)
        }
        return .object(object)
    }

    /// The fields for display: those of the reading if there is one, else those of the value.
    package var parts: [ValuePart] { reading.map { ValuePart.parts(of: $0.fields) } ?? value.parts }

    /// The reading or the decoded value if it is known, then the bytes, in one line.
    package var line: String { reading.map { "\($0.fields.text)  (\(value.hex))" } ?? value.line }

    /// The named numbers of the value, for plots: those of the reading if there is one, else those of the fields.
    package var numbers: [(name: String, value: Double, unit: String?)] {
        (reading?.fields ?? value.fields ?? []).compactMap { field in
            field.number.map { (field.words, $0, field.unit?.symbol) }
        }
    }
}

extension Field {
    /// The number for a plot; nil if the field has none.
    package var number: Double? {
        switch value {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .number(let value): value.exact.flatMap { Double($0.description) }
        case .flag(let value): value ? 1 : 0
        case .hex, .text, .code, .bits, .bytes, .time, .list, .group: nil
        }
    }
}
