import BluetoothProfiles
import Explorer
import Foundation
import Harald

/// A measurement as it came from a health device.
struct MonitorReading: Sendable {
    var time: Date
    var device: PeripheralID
    var deviceName: String?
    /// The characteristic that it came from; nil for a vendor's own frames.
    var uuid: BluetoothUUID?
    /// What it is: "Heart Rate Measurement".
    var measurement: String
    var fields: [Field]
    /// Whether the device had kept it; nil where nobody knows.
    var isStored: Bool?
    /// Identifies the reading where the device gives it neither a time nor a number.
    var id = UUID().uuidString
    /// The octets as they came; nil for a vendor's own frames.
    var bytes: [UInt8]?
    /// What else is known of the device.
    var facts = DeviceFacts()
    /// When it was taken, on the device's clock; nil where the device does not say.
    var deviceTime: DateTime?
    /// Name of the program's machine.
    var gateway: String?
    /// The device lives on a virtual air.
    var isSimulated = false

    /// The device's clock minus the true time, in seconds; nil where it is not known.
    var clockOffset: Double? { facts.clock.offset(of: deviceTime, isStored: isStored, now: time) }

    private var clock: String { time.formatted(.iso8601) }

    /// One line for people.
    var line: String {
        let name = TerminalText.fit(TerminalText.safe(deviceName ?? device.description), to: 18)
        let kept = isStored == true ? " (stored)" : ""
        return "\(clock)  \(name)  \(measurement)\(kept): \(TerminalText.safe(fields.text))"
    }

    /// One object, as `POST /api/v1/readings` of a hub takes it.
    var json: JSONValue {
        [
            "id": .string(id),
            "device": [
                "id": .string(device.description), "serial": .optional(facts.serial),
                "systemID": .optional(facts.systemID), "model": .optional(facts.model),
                "address": .optional(device.address?.text), "name": .optional(deviceName),
            ],
            "characteristic": .optional(uuid?.description), "hex": .optional(bytes?.hexText(separator: "")),
            "fields": JSONValue(fields), "deviceTime": .optional(deviceTime?.description),
            "clockOffset": clockOffset.map { .number($0) } ?? .null, "time": .string(clock),
            "gateway": .optional(gateway), "simulated": .bool(isSimulated), "measurement": .string(measurement),
            "stored": isStored.map { .bool($0) } ?? .null,
        ]
    }

    /// The time in the fields of a measurement.
    static func deviceTime(in fields: [Field]) -> DateTime? {
        var time: DateTime?
        var minutes: Int64 = 0
        for field in fields {
            switch (field.name, field.value) {
            case ("timeStamp", .time(let value)), ("baseTime", .time(let value)), ("time", .time(let value)):
                time = value
            case ("timeOffset", .integer(let value)): minutes = Int64(value)
            default: break
            }
        }
        guard let time, time.isComplete else { return nil }
        return time.adding(seconds: minutes * 60)
    }

    static let csvHeader = "time,reading,device,name,measurement,stored,field,value,unit,special"

    /// A line for each field, as RFC 4180 has it.
    /// - Parameter number: what the lines of one reading have in common.
    func csv(number: Int) -> [String] {
        Self.flat(fields).map { field in
            var special = ""
            if case .number(.special(let value)) = field.value { special = value.rawValue }
            let value = special.isEmpty ? Self.plain(field.value) : ""
            return [
                clock, String(number), device.description, deviceName ?? "", measurement,
                isStored.map { $0 ? "yes" : "no" } ?? "", field.name, value, field.unit?.symbol ?? "", special,
            ].map(Self.quoted).joined(separator: ",")
        }
    }

    /// Fields within fields, by all their names with dots between.
    private static func flat(_ fields: [Field], _ prefix: String = "") -> [Field] {
        fields.flatMap { field -> [Field] in
            let name = prefix + field.name
            if case .group(let inner) = field.value { return flat(inner, name + ".") }
            return [Field(name, field.value, unit: field.unit)]
        }
    }

    private static func plain(_ value: FieldValue) -> String {
        switch value {
        case .text(let text): text
        // With all digits: a description is for people and has three decimals.
        case .real(let number): JSONValue.number(number).text
        case .list(let values): values.map(plain).joined(separator: " ")
        default: value.description
        }
    }

    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
