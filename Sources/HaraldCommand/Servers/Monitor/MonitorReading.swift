import BluetoothModel
import BluetoothProfiles
import Explorer
import Foundation
import Harald
import HealthHub

/// A measurement received from a health device.
struct MonitorReading: Sendable {
    var time: Date
    var device: PeripheralID
    var deviceName: String?
    /// The characteristic of the value; nil for a vendor's own frames.
    var uuid: BluetoothUUID?
    /// The name of the measurement: "Heart Rate Measurement".
    var measurement: String
    /// The decoded fields; empty for octets that cannot be decoded.
    var fields: [Field]
    /// True if the device had stored the reading; nil if unknown.
    var isStored: Bool?
    /// Identifies the reading if the device provides neither a time nor a number.
    var id = UUID().uuidString
    /// The octets as received; nil for a vendor's own frames.
    var bytes: [UInt8]?
    /// Further properties of the device.
    var facts = DeviceFacts()
    /// The time of the measurement, or of that to which a context belongs, on the device's clock; nil if unknown. A
    /// clock that was never set may show a time that does not exist, which a hub does not get: it would refuse the
    /// reading.
    var deviceTime: DateTime?
    /// The name of this machine.
    var gateway: String?
    /// True if the device is on a virtual air.
    var isSimulated = false

    /// The device's clock minus the true time, in seconds; nil if unknown. The time zone of a record of a continuous
    /// glucose monitor is that of its session start, also if summer time has begun or ended since.
    var clockOffset: Double? {
        let offset = facts.clock.offset(of: deviceTime, isStored: isStored, now: time)
        guard uuid == CGMMeasurement.uuid, let zone = facts.sessionOffset else { return offset }
        guard let offset, facts.clock.before != nil else { return zone }
        let change = ((offset - zone) / 1800).rounded() * 1800
        return abs(change) <= Self.longestZoneChange ? offset - change : offset
    }

    /// The maximum change of the time zone of a device, in seconds. A greater difference is that of a wrong clock.
    private static let longestZoneChange = 7200.0

    private var clock: String { time.formatted(.iso8601) }

    /// The reading as one line of text.
    var line: String {
        let name = TerminalText.fit(TerminalText.safe(deviceName ?? device.description), to: 18)
        let kept = isStored == true ? " (stored)" : ""
        var value = fields.text
        if fields.isEmpty, let bytes { value = "cannot be decoded: \(bytes.hexText(separator: " "))" }
        return "\(clock)  \(name)  \(measurement)\(kept): \(TerminalText.safe(value))"
    }

    /// The reading as an object for `POST /api/v1/readings` of a hub, which decodes the octets that it knows: they are
    /// sent, or else the fields.
    var submitted: JSONValue {
        guard case .object(var members) = json else { return json }
        members[uuid.flatMap(MeasurementKind.of) == nil && !fields.isEmpty ? "hex" : "fields"] = nil
        return .object(members)
    }

    /// The reading as a program gets it, with octets and fields.
    var json: JSONValue {
        [
            "id": .string(id),
            "device": [
                "id": .string(device.description), "serial": .optional(facts.serial),
                "systemID": .optional(facts.systemID), "model": .optional(facts.model),
                "address": .optional(device.address?.text), "name": .optional(deviceName),
            ],
            "characteristic": .optional(uuid?.description), "hex": .optional(bytes?.hexText(separator: "")),
            "fields": JSONValue(fields),
            "deviceTime": .optional(deviceTime.flatMap { $0.isValid ? $0.description : nil }),
            "clockOffset": clockOffset.map { .number($0) } ?? .null, "time": .string(clock),
            "gateway": .optional(gateway), "simulated": .bool(isSimulated), "measurement": .string(measurement),
            "stored": isStored.map { .bool($0) } ?? .null,
        ]
    }

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
        guard let time, time.isValid else { return nil }
        return time.adding(seconds: minutes * 60)
    }

    static let csvHeader = "time,reading,device,name,measurement,stored,field,value,unit,special"

    /// Returns one CSV line for each field (RFC 4180).
    /// - Parameter number: the number that the lines of one reading share.
    func csv(number: Int) -> [String] {
        Self.flat(fields).map { field in
            var special = ""
            if case .number(.special(let value)) = field.value { special = value.rawValue }
            let value = special.isEmpty ? Self.plain(field.value) : ""
            return [
                clock, String(number), device.description, deviceName ?? "", measurement,
                isStored.map { $0 ? "yes" : "no" } ?? "", field.name, value, field.unit?.symbol ?? "", special,
            ].map(CSVText.field).joined(separator: ",")
        }
    }

    /// Flattens nested fields; their names are joined with dots.
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
        // With all digits: the description has three decimals only.
        case .real(let number): JSONValue.number(number).text
        case .list(let values): values.map(plain).joined(separator: " ")
        default: value.description
        }
    }
}
