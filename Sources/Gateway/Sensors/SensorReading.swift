import BluetoothProfiles
import Explorer
import Foundation
import Harald
import JSON

/// One value of a sensor, as receivers get it.
package struct SensorReading: Sendable, Hashable {
    /// The name of the field; elements of a list are numbered: `temperature1`.
    package var name: String
    package var field: Field
    /// True if lists omit the field.
    package var isDetail: Bool

    /// The events of a device, which have no value afterwards.
    static let events: [String: [String]] = [
        "button": [
            "press", "double press", "triple press", "long press", "long double press", "long triple press",
            "hold press", "hold release",
        ],
        "dimmer": ["rotate left", "rotate right"],
        "command": ["off", "on", "toggle", "step up", "step down"],
    ]

    /// The states with two values, by their names, with the device class of Home Assistant (integrations/binary_sensor,
    /// "Device class"); an empty one if there is none. 1 is Home Assistant's "on".
    static let states: [String: String] = [
        "generic": "", "powerState": "power", "opening": "opening", "batteryState": "battery",
        "batteryCharging": "battery_charging", "carbonMonoxide": "carbon_monoxide", "cold": "cold",
        "connectivity": "connectivity", "door": "door", "garageDoor": "garage_door", "gasState": "gas",
        "heat": "heat", "light": "light", "lock": "lock", "moistureState": "moisture", "motion": "motion",
        "moving": "moving", "occupancy": "occupancy", "plug": "plug", "presence": "presence", "problem": "problem",
        "running": "running", "safety": "safety", "smoke": "smoke", "sound": "sound", "tamper": "tamper",
        "vibration": "vibration", "window": "window",
    ]

    /// True for a state with two values.
    package var isBinary: Bool {
        switch field.value {
        case .flag: true
        case .code(0...1, _): Self.states[field.name] != nil
        default: false
        }
    }

    /// The type of an event; an empty text if nothing happened; nil if the reading is no event.
    var event: String? {
        // Several buttons are numbered.
        guard let types = Self.events[name.trimmingCharacters(in: .decimalDigits)] else { return nil }
        let text = json.string ?? ""
        return types.filter(text.hasPrefix).max { $0.count < $1.count } ?? ""
    }

    /// True if a change is published at once: states, codes and text.
    var isState: Bool {
        switch field.value {
        case .flag, .code, .text, .bits: true
        default: false
        }
    }

    /// The value as JSON: a number in the unit of the field, true or false for a state with two values, else text; null
    /// if it is unknown.
    package var json: JSONValue {
        switch field.value {
        case .code(let code, let name): isBinary ? .bool(code == 1) : .string(name ?? String(code))
        case .bits(let names, _): .string(names.joined(separator: ", "))
        case .hex(let number, let digits): .string("0x" + number.hexText(digits: digits))
        default: JSONValue(single: field)
        }
    }

    /// The number of the value for a metric; nil if it is no number.
    package var number: Double? {
        switch json {
        case .bool(let flag): flag ? 1 : 0
        case let json: json.number
        }
    }

    /// The maximum number of elements of a list that become readings.
    private static let longestList = 8

    /// Returns the readings of a value. Uninterpreted bytes are none.
    static func readings(of value: AdvertisedValue) -> [SensorReading] {
        value.fields.flatMap { field in
            readings(of: field, isDetail: value.details.contains(field.name), prefix: "")
        }
    }

    private static func readings(of field: Field, isDetail: Bool, prefix: String) -> [SensorReading] {
        let name = prefix.isEmpty ? field.name : prefix + field.name.prefix(1).uppercased() + field.name.dropFirst()
        switch field.value {
        case .bytes: return []
        case .group(let fields): return fields.flatMap { readings(of: $0, isDetail: isDetail, prefix: name) }
        case .list(let values):
            return values.prefix(longestList).enumerated().flatMap { index, value in
                readings(
                    of: Field("\(name)\(index + 1)", value, unit: field.unit), isDetail: isDetail, prefix: "")
            }
        default:
            return [SensorReading(name: name, field: Field(name, field.value, unit: field.unit), isDetail: isDetail)]
        }
    }
}
