#if Programs
import BluetoothProfiles
import Foundation
import Harald
import HaraldDevices

/// How a value became known.
package enum ValueCause: String, Hashable, Sendable, CaseIterable {
    /// The device sent it by itself, unacknowledged or acknowledged.
    case notify, indicate
    /// It was read.
    case read
    /// It was written.
    case write
}

/// A value of an attribute at a time.
package struct ValueReport: Hashable, Sendable {
    /// The device.
    package var device: PeripheralID
    /// The device's name.
    package var deviceName: String?
    /// The service.
    package var service: BluetoothUUID
    /// The characteristic; of a descriptor's value the one that has the descriptor.
    package var characteristic: BluetoothUUID
    /// What the attribute is called: the characteristic, or the descriptor.
    package var name: String?
    /// What the attribute is, where it is a descriptor.
    package var descriptor: BluetoothUUID?
    /// The attribute.
    package var handle: UInt32
    /// When.
    package var time: Date
    /// How.
    package var cause: ValueCause
    /// The bytes, and what they mean.
    package var value: ValueText
    /// What a SensorTag's sensor measured, calibrated.
    package var reading: SensorTag.Reading?
    /// Whether a write was acknowledged; nil for what is no write.
    package var isAcknowledged: Bool?

    /// One object, as `harald read --json` prints it, with the time.
    package var json: JSONValue {
        var object = value.json
        object["device"] = ["id": .string(device.description), "name": .optional(deviceName)]
        object["service"] = .string(service.description)
        object["characteristic"] = .string(characteristic.description)
        if let descriptor { object["descriptor"] = .string(descriptor.description) }
        object["name"] = .optional(name)
        object["handle"] = .int(Int(handle))
        object["time"] = .string(time.jsonText)
        if let isAcknowledged { object["acknowledged"] = .bool(isAcknowledged) }
        return .object(object)
    }

    /// One object, as the event `value` has it.
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

    /// The numbers of the value by their names, for plots: the reading's where there is one, else the fields'.
    package var numbers: [(name: String, value: Double, unit: String?)] {
        (reading?.fields ?? value.fields ?? []).compactMap { field in
            field.number.map { (field.words, $0, field.unit?.symbol) }
        }
    }
}

extension Field {
    /// The number that a plot shows; nil for what is none.
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
#endif
