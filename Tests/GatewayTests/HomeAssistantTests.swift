import BluetoothProfiles
import Foundation
import Harald
import JSON
import Testing

@testable import Gateway

/// The rules of Home Assistant for device-based discovery, field by field, as its documentation has them
/// (integrations/mqtt, "Device discovery payload"; integrations/sensor.mqtt, binary_sensor.mqtt, event.mqtt,
/// device_tracker.mqtt; integrations/sensor, "Device class").
enum HomeAssistantRules {
    private static let root: Set<String> = [
        "dev", "o", "cmps", "stat_t", "cmd_t", "qos", "e", "avty", "avty_t", "avty_mode", "avty_tpl", "pl_avail",
        "pl_not_avail",
    ]
    private static let device: Set<String> = [
        "ids", "cns", "name", "mf", "mdl", "mdl_id", "hw", "sw", "sn", "sa", "cu", "via_device",
    ]
    private static let common: Set<String> = [
        "p", "name", "uniq_id", "stat_t", "val_tpl", "ent_cat", "en", "ic", "qos", "json_attr_t", "json_attr_tpl",
        "avty", "avty_t", "avty_mode", "dev_cla",
    ]
    private static let platforms: [String: Set<String>] = [
        "sensor": ["unit_of_meas", "stat_cla", "exp_aft", "frc_upd", "sug_dsp_prc", "ops", "lrst_t"],
        "binary_sensor": ["pl_on", "pl_off", "exp_aft", "frc_upd", "off_dly"],
        "event": ["evt_typ"],
        "device_tracker": ["src_type", "pl_home", "pl_not_home", "pl_rst"],
    ]
    /// The units of the device classes that are used.
    private static let units: [String: Set<String>] = [
        "temperature": ["°C", "°F", "K"], "humidity": ["%"], "moisture": ["%"], "battery": ["%"],
        "atmospheric_pressure": ["cbar", "bar", "hPa", "mmHg", "inHg", "kPa", "mbar", "Pa", "psi"],
        "illuminance": ["lx"], "voltage": ["V", "mV", "µV", "kV", "MV"], "current": ["A", "mA"],
        "power": ["mW", "W", "kW", "MW", "GW", "TW"], "energy": ["J", "kJ", "Wh", "kWh", "MWh", "cal", "kcal"],
        "weight": ["kg", "g", "mg", "µg", "oz", "lb", "st"], "carbon_dioxide": ["ppm"], "pm25": ["µg/m³"],
        "pm10": ["µg/m³"], "volatile_organic_compounds": ["µg/m³", "mg/m³"], "signal_strength": ["dB", "dBm"],
        "conductivity": ["S/cm", "mS/cm", "µS/cm"], "speed": ["m/s", "km/h", "mph", "kn", "ft/s", "in/d", "mm/d"],
        "distance": ["km", "m", "cm", "mm", "mi", "nmi", "yd", "in"],
        "duration": ["d", "h", "min", "s", "ms", "µs"], "volume": ["L", "mL", "gal", "fl. oz.", "m³", "ft³", "CCF"],
        "volume_storage": ["L", "mL", "gal", "m³"], "volume_flow_rate": ["m³/h", "m³/min", "L/min", "L/h", "mL/s"],
        "gas": ["m³", "ft³", "CCF", "L"], "water": ["L", "gal", "m³", "ft³", "CCF"],
        "precipitation": ["cm", "in", "mm"], "irradiance": ["W/m²", "BTU/(h⋅ft²)"],
    ]
    /// The state classes of device classes that do not permit all (developers' documentation, "Sensor entity").
    private static let states: [String: Set<String>] = [
        "energy": ["total", "total_increasing"], "volume": ["total", "total_increasing"],
        "gas": ["total", "total_increasing"], "water": ["total", "total_increasing"],
        "volume_storage": ["measurement"], "temperature": ["measurement"], "battery": ["measurement"],
    ]
    private static let binary: Set<String> = [
        "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door", "garage_door", "gas", "heat",
        "light", "lock", "moisture", "motion", "moving", "occupancy", "opening", "plug", "power", "presence",
        "problem", "running", "safety", "smoke", "sound", "tamper", "update", "vibration", "window",
    ]

    /// Returns the violations in a configuration.
    static func violations(in configuration: JSONValue) -> [String] {
        var problems: [String] = []
        func check(_ condition: Bool, _ problem: String) { if !condition { problems.append(problem) } }
        guard case .object(let members) = configuration else { return ["no object"] }
        for name in members.keys { check(root.contains(name), "unknown key \(name)") }
        guard case .object(let dev)? = members["dev"], case .object(let cmps)? = members["cmps"] else {
            return problems + ["dev or cmps is missing"]
        }
        for name in dev.keys { check(device.contains(name), "unknown key dev.\(name)") }
        check(!(dev["ids"]?.elements ?? []).isEmpty || !(dev["cns"]?.elements ?? []).isEmpty, "dev has no identifier")
        for pair in dev["cns"]?.elements ?? [] { check(pair.elements.count == 2, "a connection is no pair") }
        check(members["o"]?["name"]?.string?.isEmpty == false, "the origin has no name")
        check(members["avty"] == nil || members["avty_t"] == nil, "avty and avty_t exclude each other")
        check(["all", "any", "latest", nil].contains(members["avty_mode"]?.string), "avty_mode")
        check((0...2).contains(members["qos"]?.integer ?? 0), "qos")
        var ids: Set<String> = []
        for (key, component) in cmps {
            guard case .object(let one) = component, let platform = one["p"]?.string,
                let own = platforms[platform]
            else {
                problems.append("\(key) has no platform")
                continue
            }
            for name in one.keys { check(common.union(own).contains(name), "unknown key \(key).\(name)") }
            check(ids.insert(one["uniq_id"]?.string ?? "").inserted, "\(key) has no unique_id of its own")
            check(one["stat_t"] ?? members["stat_t"] != nil, "\(key) has no state topic")
            check(["config", "diagnostic", nil].contains(one["ent_cat"]?.string), "\(key).ent_cat")
            let (deviceClass, unit) = (one["dev_cla"]?.string, one["unit_of_meas"]?.string)
            switch platform {
            case "sensor":
                if let deviceClass {
                    check(units[deviceClass]?.contains(unit ?? "") == true, "\(key): \(deviceClass) in \(unit ?? "-")")
                    let allowed = states[deviceClass] ?? ["measurement", "total", "total_increasing"]
                    if let state = one["stat_cla"]?.string { check(allowed.contains(state), "\(key): \(state)") }
                }
                check(["measurement", "total", "total_increasing", nil].contains(one["stat_cla"]?.string), key)
            case "binary_sensor": check(deviceClass.map(binary.contains) ?? true, "\(key): \(deviceClass ?? "")")
            case "event": check(!(one["evt_typ"]?.elements ?? []).isEmpty, "\(key) has no event types")
            case "device_tracker":
                check(["gps", "router", "bluetooth", "bluetooth_le"].contains(one["src_type"]?.string), key)
            default: break
            }
        }
        return problems
    }
}

@Suite("Discovery by Home Assistant")
struct HomeAssistantTests {
    private static let topics = SensorTopics(gateway: "cellar", discovery: "homeassistant")

    private static func sensor(_ sightings: [Sighting]) throws -> SensorTable.Sensor {
        var table = SensorTable(GatewaySettings())
        for sighting in sightings { _ = table.note(sighting, at: .zero) }
        return try #require(table.sensors.values.first)
    }

    @Test("The configuration of a thermometer with a door, field by field")
    func fields() throws {
        let sensor = try Self.sensor([Heard.thermometer(20, name: "Hall \"1\"", door: true)])
        let configuration = Self.topics.configuration(of: sensor)
        #expect(HomeAssistantRules.violations(in: configuration) == [])
        let state = "harald/cellar/a4c138000001/state"
        let expected: JSONValue = [
            "dev": [
                "ids": ["harald_cellar_a4c138000001"], "name": "Hall \"1\"", "mdl": "BTHome",
                "cns": [["bluetooth", "a4:c1:38:00:00:01"]],
            ],
            "o": ["name": "Harald", "sw": .string(HaraldVersion.current)], "stat_t": .string(state),
            "avty": [["t": "harald/cellar/status"], ["t": "harald/cellar/a4c138000001/availability"]],
            "avty_mode": "all", "qos": .int(1),
            "cmps": [
                "temperature": [
                    "p": "sensor", "name": "Temperature", "uniq_id": "harald_cellar_a4c138000001_temperature",
                    "val_tpl": "{{ value_json.values.temperature }}", "dev_cla": "temperature",
                    "unit_of_meas": "°C", "stat_cla": "measurement",
                ],
                "door": [
                    "p": "binary_sensor", "name": "Door", "uniq_id": "harald_cellar_a4c138000001_door",
                    "val_tpl": "{{ 'ON' if value_json.values.door else 'OFF' }}", "dev_cla": "door",
                ],
                "rssi": [
                    "p": "sensor", "name": "Signal strength", "uniq_id": "harald_cellar_a4c138000001_rssi",
                    "dev_cla": "signal_strength", "unit_of_meas": "dBm", "stat_cla": "measurement",
                    "ent_cat": "diagnostic", "en": .bool(false), "val_tpl": "{{ value_json.rssi }}",
                ],
            ],
        ]
        #expect(configuration.text == expected.text)
        #expect(Self.topics.configuration("a4c138000001") == "homeassistant/device/harald_cellar_a4c138000001/config")
    }

    @Test("Every example of every format has a configuration that follows the rules")
    func examples() throws {
        var count = 0
        for format in AdvertisedFormats.all where !GatewaySettings.unrequested.contains(format.kind) {
            for example in format.examples where example.key == nil {
                let data = AdvertisingData(parsing: try #require([UInt8](hexText: example.hex)))
                let values = data.values.filter { $0.problem == nil }
                guard !values.isEmpty else { continue }
                let sensor = try Self.sensor([Heard.sighting(data, "A4:C1:38:00:00:01")])
                let configuration = Self.topics.configuration(of: sensor)
                #expect(HomeAssistantRules.violations(in: configuration) == [], "\(format.kind)")
                count += 1
            }
        }
        #expect(count > 20)
    }

    @Test("Every object of BTHome has a configuration that follows the rules")
    func objects() throws {
        for id in UInt8.min...UInt8.max {
            var data = AdvertisingData()
            data.serviceData = ["FCD2": [0x40, id] + [UInt8](repeating: 1, count: 4)]
            var known: [AdvertisedValue] = []
            // The length of the object is not known here.
            for length in 1...5 {
                data.serviceData = ["FCD2": [0x40, id] + [UInt8](repeating: 1, count: length)]
                known = data.values.filter { $0.problem == nil && $0["unknown"] == nil && !$0.fields.isEmpty }
                if !known.isEmpty { break }
            }
            guard !known.isEmpty else { continue }
            let sensor = try Self.sensor([Heard.sighting(data, "A4:C1:38:00:00:01")])
            let configuration = Self.topics.configuration(of: sensor)
            #expect(HomeAssistantRules.violations(in: configuration) == [], "0x\([id].hexText())")
        }
    }

    @Test("A button is an event, and unsafe is 'on'")
    func events() throws {
        let sensor = try Self.sensor([
            Heard.sighting(BTHome([.init(0x28, .code(0)), .init(0x3A, .code(1))]))
        ])
        let configuration = Self.topics.configuration(of: sensor)
        #expect(HomeAssistantRules.violations(in: configuration) == [])
        let button = configuration["cmps"]?["button"]
        #expect(button?["p"]?.string == "event" && button?["evt_typ"]?.elements.first?.string == "press")
        #expect(button?["stat_t"]?.string == "harald/cellar/a4c138000001/button")
        #expect(
            configuration["cmps"]?["safety"]?["val_tpl"]?.string
                == "{{ 'OFF' if value_json.values.safety else 'ON' }}")
    }

    @Test("A named device is a tracker")
    func tracker() throws {
        let table = SensorTable(GatewaySettings(), people: ["Anna's phone"])
        let person = try #require(table.people.values.first)
        let configuration = Self.topics.configuration(of: person)
        #expect(HomeAssistantRules.violations(in: configuration) == [])
        #expect(configuration["cmps"]?["presence"]?["stat_t"]?.string == Self.topics.presence(person.id))
        #expect(person.id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) })
        #expect(
            Self.topics.configuration(ofPerson: person.id)
                == "homeassistant/device/harald_cellar_\(person.id)_presence/config")
    }

    @Test("A rule that is violated is found")
    func rules() {
        let wrong: JSONValue = [
            "dev": ["name": "x"], "o": ["sw": "1"], "avty": [], "avty_t": "t", "extra": 1,
            "cmps": [
                "a": ["p": "sensor", "uniq_id": "1", "dev_cla": "temperature", "unit_of_meas": "%"],
                "b": [
                    "p": "sensor", "uniq_id": "1", "stat_t": "t", "dev_cla": "energy", "unit_of_meas": "kWh",
                    "stat_cla": "measurement",
                ],
                "c": ["uniq_id": "2"],
            ],
        ]
        #expect(HomeAssistantRules.violations(in: wrong).count == 9)
    }
}
