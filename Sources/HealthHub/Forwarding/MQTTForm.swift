import BluetoothModel
import Foundation
import GRDB
import JSON

/// An MQTT broker, with Home Assistant's discovery.
struct MQTTReceiverKind: ReceiverKind {
    let help = """
        mqtt is a broker, mqtt://USER@HOST:1883 or mqtts://, which Home Assistant can use; --token-file contains the \
        password.
        """
    let schemes = (plain: "mqtt", encrypted: "mqtts")
    let hasPassword = true
    /// It determines the instance identifier of the hub at the broker.
    let secret = ReceiverSecret.hidden
    let transport = ReceiverTransport.mqtt

    func retainedTopics(of receiver: Receiver, people: [Int64]) -> [String] {
        let form = MQTTForm(receiver)
        return people.map(form.discovery) + [form.availability]
    }
}

/// The topics and payloads for an MQTT broker and Home Assistant's device-based discovery (2024.11 and later).
package struct MQTTForm: Sendable {
    /// An identifier that distinguishes hubs at the same broker.
    let instance: String

    package init(_ receiver: Receiver) {
        instance = HubStore.sha256("\(receiver.id)|\(receiver.secret ?? receiver.name)").prefix(4)
            .hexText().lowercased()
    }

    /// The topic of the status: `online` while the hub is connected, else `offline`, by its last will.
    package var availability: String { "harald/\(instance)/status" }

    private func base(_ person: Int64) -> String { "harald/\(instance)/person-\(person)" }

    package func topic(_ person: Int64, _ kind: MeasurementKind) -> String { base(person) + "/" + kind.name }

    /// Returns the topic of a reading. Home Assistant shows the readings of a kind as current values, so those that do
    /// not count have a topic of their own.
    package func topic(_ person: Int64, _ measurement: HealthMeasurement) -> String {
        let topic = topic(person, measurement.kind)
        return measurement.isCounted ? topic : topic + "/reserved"
    }

    package func retractions(_ person: Int64) -> String { base(person) + "/retracted" }

    /// Returns the topic of the retained Home Assistant configuration of a person.
    package func discovery(_ person: Int64) -> String {
        "homeassistant/device/harald_\(instance)_person_\(person)/config"
    }

    /// Returns the payload of a reading: its numbers, its time, and an identifier that is the same in each attempt.
    /// - Parameter components: the configuration, whose units the numbers have.
    package func payload(_ message: OutboxMessage, in components: [String: Component] = [:]) -> JSONValue {
        var members: [String: JSONValue?] = [
            "id": .string(message.id), "reading": .string(String(message.readingID)),
            "time": message.reading.map { .string(FHIRResources.time($0.taken)) },
            "simulated": message.reading.map { .bool($0.isSimulated) },
            "device": message.reading?.device.name.map { .string($0) },
            "judgement": message.judgement?.json()["code"], "severity": message.judgement?.json()["interpretation"],
            "urgent": .bool(message.judgement?.isUrgent ?? false),
            "text": message.reading?.measurement.map { .string($0.text) },
            "reservation": message.reading?.measurement?.reservation.map { .string($0.description) },
        ]
        for (name, quantity) in message.values {
            members[name] = quantity["value"]
            members[name + "_unit"] = quantity["unit"]
        }
        // A later reading may have another unit.
        for quantity in message.reading?.measurement?.quantities ?? [] {
            let key = message.reading?.measurement.map { Self.key($0.kind, quantity.name) }
            guard let unit = key.flatMap({ components[$0]?.json["unit_of_meas"]?.string }), unit != quantity.unit,
                let number = quantity.text(in: unit)
            else { continue }
            (members[quantity.name], members[quantity.name + "_unit"]) = (.decimal(number), .string(unit))
        }
        return .known(members)
    }

    /// A component of a person's configuration, and the time of the reading that it is made from.
    package struct Component: Sendable {
        var json: JSONValue
        var time: Date
    }

    private func id(_ person: Int64) -> String { "harald_\(instance)_person_\(person)" }

    /// Adds one component for each quantity of a reading that counts, unless the known one is from a later reading.
    ///
    /// A reading of the kind `other` has no component: Home Assistant would show the temperature of a room as that of
    /// the person.
    package func add(_ reading: StoredReading, of person: Int64, to components: inout [String: Component]) {
        guard let measurement = reading.measurement, measurement.isCounted, measurement.kind != .other else { return }
        func add(_ key: String, _ json: JSONValue) {
            guard components[key].map({ $0.time <= reading.taken }) ?? true else { return }
            components[key] = Component(json: json, time: reading.taken)
        }
        let id = id(person)
        for quantity in measurement.quantities {
            guard let form = QuantityKind[quantity.name] else { continue }
            let key = Self.key(measurement.kind, quantity.name)
            add(
                key,
                .known([
                    "p": "sensor", "name": .string(form.title), "uniq_id": .string("\(id)_\(key)"),
                    "stat_t": .string(topic(person, measurement.kind)),
                    "val_tpl": .string("{{ value_json.\(quantity.name) }}"), "unit_of_meas": .string(quantity.unit),
                    "dev_cla": form.deviceClass.map { .string($0) }, "stat_cla": "measurement",
                    // Without it, Home Assistant would not record a reading that equals the previous one.
                    "frc_upd": .bool(true), "json_attr_t": .string(topic(person, measurement.kind)),
                ]))
        }
        if measurement.kind != .heartRate {
            let key = Self.key(measurement.kind, "judgement")
            add(
                key,
                [
                    "p": "sensor", "name": .string("\(measurement.kind.title) range"),
                    "uniq_id": .string("\(id)_\(key)"), "stat_t": .string(topic(person, measurement.kind)),
                    "val_tpl": "{{ value_json.judgement if value_json.judgement else 'not judged' }}",
                ])
            let urgent = Self.key(measurement.kind, Self.urgent)
            add(
                urgent,
                [
                    "p": "binary_sensor", "name": .string("\(measurement.kind.title) urgent"), "dev_cla": "problem",
                    "uniq_id": .string("\(id)_\(urgent)"), "stat_t": .string(topic(person, measurement.kind)),
                    "val_tpl": "{{ 'ON' if value_json.urgent else 'OFF' }}",
                ])
        }
    }

    /// Returns the configuration of a person.
    /// - Parameter removed: the components that Home Assistant is to remove.
    package func configuration(
        _ person: Person, _ components: [String: Component], removing removed: Set<String> = []
    ) -> JSONValue {
        var members = components.mapValues(\.json)
        for key in removed { members[key] = ["p": key.hasSuffix("_" + Self.urgent) ? "binary_sensor" : "sensor"] }
        return [
            "dev": [
                "ids": [.string(id(person.id))], "name": .string(person.name), "mf": "Harald", "mdl": "Health hub",
            ],
            "o": ["name": "Harald health hub"], "cmps": .object(members),
            "avty_t": .string(availability), "qos": .decimal("1"),
        ]
    }

    private static let urgent = "urgent"

    /// The keys of all components that a configuration may have.
    package static let allKeys = Set(
        MeasurementKind.allCases.flatMap { kind in
            (kind.values.map(\.quantity.name) + ["judgement", urgent]).map { key(kind, $0) }
        })

    private static func key(_ kind: MeasurementKind, _ quantity: String) -> String { "\(kind.name)_\(quantity)" }
}

extension HubStore {
    /// Returns the people whose readings were queued for a receiver.
    package func people(forwardedTo receiver: Int64) async throws -> [Person] {
        try await database.read { db in
            let people: [Int64] = try db.values(
                "SELECT DISTINCT person_id FROM forwarded WHERE receiver_id = ? AND state <> 1 ORDER BY 1", [receiver])
            return try people.compactMap { try Self.person($0, db) }
        }
    }

    /// Returns the identifiers of deleted people whose configuration a broker may still retain.
    package func departed(from receiver: Int64) async throws -> [Int64] {
        try await database.read { db in
            try db.values("SELECT person_id FROM departed WHERE receiver_id = ? ORDER BY 1", [receiver])
        }
    }

    /// Records that the broker may retain the configuration of a deleted person.
    package func rememberDeparted(_ person: Int64, from receiver: Int64) async throws {
        _ = try await database.write(.rows) { db in
            try db.run(
                "INSERT INTO departed(receiver_id, person_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [receiver, person])
        }
    }

    /// Returns true if a delivered reading is not the latest one of its kind, and no message of that kind follows it.
    package func isOutdated(_ message: OutboxMessage, at receiver: Int64) async throws -> Bool {
        guard let person = message.person?.id, let reading = message.reading, let kind = reading.measurement?.kind
        else { return false }
        return try await database.read { db in
            let latest: Int64? = try db.value(
                "SELECT max(taken) FROM reading WHERE person_id = ? AND kind = ? AND retracted IS NULL",
                [person, kind.rawValue])
            guard let latest, Double(latest) > reading.taken.timeIntervalSince1970 else { return false }
            return try !db.isTrue(
                """
                SELECT 1 FROM outbox JOIN reading ON reading.id = outbox.reading_id WHERE receiver_id = ?
                AND parked = 0 AND outbox.person_id = ? AND outbox.id > ? AND reading.kind = ? LIMIT 1
                """, [receiver, person, message.place, kind.rawValue])
        }
    }

    /// Records that the broker retains nothing of the deleted person.
    package func forgetDeparted(_ person: Int64, from receiver: Int64) async throws {
        _ = try await database.write(.rows) { db in
            try db.run("DELETE FROM departed WHERE receiver_id = ? AND person_id = ?", [receiver, person])
        }
    }

    /// The number of readings of a kind in which a person's last values are searched.
    private static let searchedReadings = 100

    /// Returns the readings that contain the last value of each quantity of a person, with their judgements, as
    /// messages with the same identifier each time. Readings that do not count are omitted. Those of a kind are in the
    /// order of time: the last one is the latest.
    ///
    /// Not only the latest reading of each kind, because another device, or the same one at another time, may have sent
    /// more quantities.
    package func lastMessages(of person: Person) async throws -> [OutboxMessage] {
        try await database.read { [assessor] db in
            try MeasurementKind.allCases.flatMap { kind in
                let rows = try db.rows(
                    """
                    \(StoredReading.sql) WHERE reading.person_id = ? AND reading.kind = ?
                    ORDER BY taken DESC, reading.id DESC LIMIT ?
                    """,
                    [person.id, kind.rawValue, Self.searchedReadings])
                var known: Set<String> = []
                var messages: [OutboxMessage] = []
                for reading in rows.map(StoredReading.init) {
                    guard let measurement = reading.measurement, measurement.isCounted else { continue }
                    let names = measurement.quantities.map(\.name)
                    guard messages.isEmpty || !known.isSuperset(of: names) else { continue }
                    known.formUnion(names)
                    messages.append(
                        OutboxMessage(
                            place: 0, id: "reading_\(reading.id)", isRetraction: false, readingID: reading.id,
                            created: reading.arrived, reading: reading, person: person,
                            judgement: assessor.judge(measurement, of: person, at: reading.taken)))
                }
                return messages.reversed()
            }
        }
    }
}
