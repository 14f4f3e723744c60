import BluetoothProfiles
import Foundation
import Harald
import JSON

/// The topics of a gateway at an MQTT broker, and Home Assistant's device-based discovery (2024.11 and later;
/// integrations/mqtt, "Device discovery payload").
package struct SensorTopics: Sendable {
    let gateway: String
    /// The prefix of the discovery topics; nil for none.
    let discovery: String?

    package init(gateway: String, discovery: String?) { (self.gateway, self.discovery) = (gateway, discovery) }

    /// The topic of the status of the gateway: `online` while it is connected, else `offline`, by its last will.
    package var status: String { "harald/\(gateway)/status" }

    package func readings(_ sensor: String) -> String { "harald/\(gateway)/\(sensor)/state" }

    /// Returns the topic of the availability of a sensor: `online` or `offline`.
    package func availability(_ sensor: String) -> String { "harald/\(gateway)/\(sensor)/availability" }

    package func event(_ sensor: String, _ reading: String) -> String { "harald/\(gateway)/\(sensor)/\(reading)" }

    /// Returns the topic of the presence of a named device: `home` or `not_home`.
    package func presence(_ person: String) -> String { "harald/\(gateway)/presence/\(person)" }

    /// Returns the topic of the retained configuration of a sensor.
    package func configuration(_ sensor: String) -> String? {
        discovery.map { "\($0)/device/\(id(sensor))/config" }
    }

    /// Returns the topic of the retained configuration of a named device.
    package func configuration(ofPerson person: String) -> String? {
        discovery.map { "\($0)/device/\(id(person))_presence/config" }
    }

    private func id(_ sensor: String) -> String { "harald_\(gateway)_\(sensor)" }

    private static var origin: JSONValue { ["name": "Harald", "sw": .string(HaraldVersion.current)] }

    // MARK: Sensors

    /// Returns the configuration of a sensor: a component for each reading, each event and the signal strength.
    package func configuration(of sensor: SensorTable.Sensor) -> JSONValue {
        let id = id(sensor.id)
        var components: [String: JSONValue] = [:]
        for reading in sensor.readings { components[reading.name] = component(reading, id) }
        for event in sensor.events {
            let types = SensorReading.events[event.trimmingCharacters(in: .decimalDigits)] ?? []
            components[event] = [
                "p": "event", "name": .string(Field(event, .flag(true)).title), "uniq_id": .string("\(id)_\(event)"),
                "stat_t": .string(self.event(sensor.id, event)), "evt_typ": .array(types.map { .string($0) }),
            ]
        }
        components["rssi"] = [
            "p": "sensor", "name": "Signal strength", "uniq_id": .string("\(id)_rssi"), "dev_cla": "signal_strength",
            "unit_of_meas": "dBm", "stat_cla": "measurement", "ent_cat": "diagnostic", "en": .bool(false),
            "val_tpl": "{{ value_json.rssi }}",
        ]
        return .known([
            "dev": .known([
                "ids": [.string(id)], "name": .string(sensor.title),
                "mdl": .string(sensor.models.joined(separator: ", ")),
                "cns": sensor.address.map { [["bluetooth", .string($0.text.lowercased())]] },
            ]),
            "o": Self.origin, "cmps": .object(components), "stat_t": .string(readings(sensor.id)),
            "avty": [["t": .string(status)], ["t": .string(availability(sensor.id))]], "avty_mode": "all",
            "qos": .int(1),
        ])
    }

    private func component(_ reading: SensorReading, _ id: String) -> JSONValue {
        let value = "value_json.values.\(reading.name)"
        let state = SensorReading.states[reading.field.name] ?? ""
        // Home Assistant's "on" is unsafe.
        let isReversed = state == "safety"
        let unit = reading.isBinary ? nil : reading.field.unit?.symbol
        let kind = reading.isBinary ? nil : Kind.of(reading)
        let (on, off) = isReversed ? ("OFF", "ON") : ("ON", "OFF")
        return .known([
            "p": reading.isBinary ? "binary_sensor" : "sensor", "name": .string(reading.field.title),
            "uniq_id": .string("\(id)_\(reading.name)"),
            "val_tpl": .string(
                reading.isBinary ? "{{ '\(on)' if \(value) else '\(off)' }}" : "{{ \(value) }}"),
            "dev_cla": (reading.isBinary ? state : kind?.deviceClass).flatMap { $0.isEmpty ? nil : .string($0) },
            "unit_of_meas": unit.map { .string($0) },
            "stat_cla": reading.isBinary || reading.isState ? nil : .string(kind?.stateClass ?? "measurement"),
            "ent_cat": reading.isDetail ? "diagnostic" : nil, "en": reading.isDetail ? .bool(false) : nil,
        ])
    }

    /// The classes of a reading (integrations/sensor, "Device class"; developers' documentation, "Sensor entity").
    private struct Kind {
        var deviceClass: String
        var stateClass = "measurement"

        /// The device classes by unit; those of units that several quantities have also depend on the name.
        private static let byUnit: [String: String] = [
            "°C": "temperature", "°F": "temperature", "Pa": "atmospheric_pressure", "hPa": "atmospheric_pressure",
            "kPa": "atmospheric_pressure", "lx": "illuminance", "V": "voltage", "mV": "voltage", "A": "current",
            "W": "power", "kWh": "energy", "kg": "weight", "g": "", "lb": "weight", "m/s": "speed", "km/h": "speed",
            "µS/cm": "conductivity", "m³/h": "volume_flow_rate", "W/m²": "irradiance", "dBm": "signal_strength",
            "mm": "distance", "cm": "distance", "m": "distance", "s": "duration", "min": "duration", "h": "duration",
        ]
        private static let byName: [String: Kind] = [
            "humidity": Kind(deviceClass: "humidity"), "moisture": Kind(deviceClass: "moisture"),
            "battery": Kind(deviceClass: "battery"), "batteryLevel": Kind(deviceClass: "battery"),
            "co2": Kind(deviceClass: "carbon_dioxide"), "pm25": Kind(deviceClass: "pm25"),
            "pm10": Kind(deviceClass: "pm10"), "tvoc": Kind(deviceClass: "volatile_organic_compounds"),
            "energy": Kind(deviceClass: "energy", stateClass: "total_increasing"),
            "volume": Kind(deviceClass: "volume", stateClass: "total"),
            "volumeMillilitres": Kind(deviceClass: "volume", stateClass: "total"),
            "volumeStorage": Kind(deviceClass: "volume_storage"),
            "gas": Kind(deviceClass: "gas", stateClass: "total_increasing"),
            "water": Kind(deviceClass: "water", stateClass: "total_increasing"),
            "precipitation": Kind(deviceClass: "precipitation"),
        ]
        /// The unit without which a class of ``byName`` does not fit.
        private static let units: [String: Set<String>] = [
            "humidity": ["%"], "moisture": ["%"], "battery": ["%"], "co2": ["ppm"], "pm25": ["µg/m³"],
            "pm10": ["µg/m³"], "tvoc": ["µg/m³"], "energy": ["kWh"], "volume": ["L"], "volumeMillilitres": ["mL"],
            "volumeStorage": ["L"], "gas": ["m³"], "water": ["L"], "precipitation": ["mm"], "batteryLevel": ["%"],
        ]

        static func of(_ reading: SensorReading) -> Kind? {
            guard let unit = reading.field.unit?.symbol else { return nil }
            // Elements of a list are numbered.
            let name = reading.field.name
            if let kind = byName[name], units[name]?.contains(unit) == true { return kind }
            return byUnit[unit].map { Kind(deviceClass: $0) }
        }
    }

    // MARK: Named devices

    /// Returns the configuration of a named device: a tracker.
    package func configuration(of person: SensorTable.Person) -> JSONValue {
        let id = id(person.id) + "_presence"
        return [
            "dev": ["ids": [.string(id)], "name": .string(person.name)], "o": Self.origin,
            "cmps": [
                "presence": [
                    "p": "device_tracker", "name": "Presence", "uniq_id": .string(id), "src_type": "bluetooth_le",
                    "stat_t": .string(presence(person.id)),
                ]
            ],
            "avty_t": .string(status), "qos": .int(1),
        ]
    }
}

extension Field {
    /// The name in words, as a title: "Dew point".
    fileprivate var title: String { words.prefix(1).uppercased() + words.dropFirst() }
}
