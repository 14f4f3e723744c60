import BluetoothModel
import Foundation
import GRDB

extension HubStore {
    /// Adds a person.
    /// - Throws: ``HubProblem`` for an invalid text, and without a name or a date of birth.
    package func addPerson(_ new: PersonChange, by who: String = HubStore.commandLine) throws -> Person {
        var person = Person(id: 0, name: "", born: "", guideline: .esc, setting: .home, pregnant: false)
        try new.apply(to: &person)
        person.identity = Person.newIdentity()
        let values = try person.values()
        return try database.write(.administration) { [person] db in
            var person = person
            person.id = try db.insert(
                """
                INSERT INTO person(name, born, guideline, setting, pregnant, settings, created, identity)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, values + [Self.now, person.identity])
            try Self.audit(who, "person add \(person.id)", db)
            return person
        }
    }

    static func person(withIdentity identity: String, _ db: any StoreConnection) throws -> Int64? {
        try db.value("SELECT id FROM person WHERE identity = ?", [identity])
    }

    /// Checks a date of birth, which is today at the latest in the hub's time zone.
    static func checkBirth(_ text: String, now: Date = Date(), zone: TimeZone = .current) throws {
        let today = now.addingTimeInterval(Double(zone.secondsFromGMT(for: now)))
        guard let birth = Person.date(text), birth <= today, birth >= ReadingTime.earliest else {
            throw HubProblem(
                .invalid, "'\(text)' is not a date of birth since 1900; expected a form such as 1961-04-30")
        }
    }

    /// Checks the name of a person, a token or an account.
    static func checkName(_ name: String, longest: Int = 200) throws {
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !name.allSatisfy(\.isWhitespace), name.utf8.count <= longest, !hasControls else {
            throw HubProblem(
                .invalid,
                "a name must have 1 to \(longest) octets, which are not all blank, and no control characters")
        }
    }

    /// Changes a person.
    /// - Throws: ``HubProblem`` for an unknown person, or the error of `change`.
    package func changePerson(
        _ id: Int64, by who: String = HubStore.commandLine, _ change: (inout Person) throws -> Void
    ) throws -> Person {
        try database.write(.administration) { db in
            var person = try Self.knownPerson(id, db)
            try change(&person)
            try db.run(
                """
                UPDATE person SET name = ?, born = ?, guideline = ?, setting = ?, pregnant = ?, settings = ?
                WHERE id = ?
                """, try person.values() + [id])
            try Self.audit(who, "person set \(id)", db)
            return person
        }
    }

    /// Returns all people in the order of their identifiers.
    package func people() throws -> [Person] {
        try database.read { db in try db.rows("SELECT * FROM person ORDER BY id").map(Person.init) }
    }

    package func person(_ id: Int64) throws -> Person? { try database.read { db in try Self.person(id, db) } }

    static func person(_ id: Int64, _ db: any StoreConnection) throws -> Person? {
        try db.row("SELECT * FROM person WHERE id = ?", [id]).map(Person.init)
    }

    /// - Throws: ``HubProblem`` for an unknown person.
    @discardableResult
    static func knownPerson(_ id: Int64, _ db: any StoreConnection) throws -> Person {
        guard let person = try person(id, db) else { throw HubProblem.noPerson(id) }
        return person
    }

    /// Keeps the digests by which contexts of glucose measurements are recognised that are sent again without their
    /// measurements.
    private static func forgetContexts(of person: Int64, _ db: any StoreConnection) throws {
        let rows = try db.rows(
            """
            SELECT device.seed, \(HealthMeasurement.columns) FROM reading JOIN device ON device.id = device_id
            WHERE person_id = ? AND kind = ? AND raw IS NOT NULL
            """, [person, MeasurementKind.other.rawValue])
        for row in rows {
            guard let measurement = HealthMeasurement(row), measurement.isGlucoseContext, let raw: Data = row["raw"]
            else { continue }
            let identity = ReadingIdentity(
                SubmittedReading(), measurement, record: 0, deviceTime: nil, raw: Array(raw))
            try db.run(
                "INSERT INTO forgotten(key) VALUES (?) ON CONFLICT DO NOTHING", [identity.key(seed: row["seed"])])
        }
    }

    /// Deletes a person with all readings and assignments. Digests of the readings are kept, so that a reading that is
    /// sent again is recognised and not stored. A user index that was assigned to the person then belongs to nobody,
    /// not to the person to whom the whole device is assigned.
    /// - Throws: ``HubProblem`` for an unknown person.
    package func deletePerson(_ id: Int64, by who: String = HubStore.commandLine) throws -> PersonDeletion {
        let count = try database.write(.administration) { db in
            let person = try Self.knownPerson(id, db)
            let copies = try Self.claimDuplicates(of: id, db)
            let devices = try Self.devices(of: id, db)
            try db.run(
                "INSERT INTO forgotten(key) SELECT key FROM reading WHERE person_id = ? ON CONFLICT DO NOTHING", [id])
            try Self.forgetContexts(of: id, db)
            if let deletion = db.dialect.keyDeletion { try db.run(deletion, [id]) }
            try db.run(Self.formerForwarding, [id])
            try db.run("DELETE FROM decision WHERE reading_id IN (SELECT id FROM reading WHERE person_id = ?)", [id])
            try db.run(
                "DELETE FROM observation WHERE reading_id IN (SELECT id FROM reading WHERE person_id = ?)", [id])
            let count = try db.run("DELETE FROM reading WHERE person_id = ?", [id]) - copies
            try db.run("DELETE FROM assignment WHERE person_id = ? AND user_index = ?", [id, Self.anyUser])
            try db.run("UPDATE assignment SET person_id = NULL WHERE person_id = ?", [id])
            for device in devices {
                try Self.forgetNames(of: device, ofPerson: person.name, db)
                try Self.forgetSenders(of: device, db)
            }
            for table in ["gateway_person", "note", "acknowledgement", "notified"] {
                try db.run("DELETE FROM \(table) WHERE person_id = ?", [id])
            }
            try Self.forgetForwarding(of: id, db)
            // A broker retains the messages until they are cleared.
            try db.run(
                """
                INSERT INTO departed(receiver_id, person_id) SELECT id, CAST(? AS BIGINT) FROM receiver
                WHERE kind = 'mqtt' ON CONFLICT DO NOTHING
                """, [id])
            try db.run("DELETE FROM person WHERE id = ?", [id])
            try Self.audit(who, "person delete \(id)", db)
            try Self.requestErasure(db)
            return count
        }
        return finish(PersonDeletion(id: "\(id)", readings: count))
    }

    /// Returns the devices that are assigned to a person, or sent a reading of the person.
    private static func devices(of person: Int64, _ db: any StoreConnection) throws -> [Int64] {
        try db.values(
            """
            SELECT DISTINCT coalesce(merged_into, id) FROM device WHERE id IN (
                SELECT device_id FROM reading WHERE person_id = ?
                UNION SELECT device_id FROM assignment WHERE person_id = ?)
            """, [person, person])
    }

    package static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension Person {
    /// Returns a random identity, also for a store.
    static func newIdentity() -> String {
        (0..<identityLength / 2).map { _ in UInt8.random(in: 0...255) }.hexText().lowercased()
    }

    /// Returns the values of the columns that can be changed, in the order of the statements above.
    /// - Throws: ``HubProblem`` for an invalid name or date of birth.
    fileprivate func values() throws -> StoreArguments {
        try HubStore.checkName(name)
        try HubStore.checkBirth(born)
        let settings = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
        return [name, born, guideline.rawValue, setting.rawValue, pregnant, settings]
    }

    /// Creates a person from a row.
    /// - Throws: ``HubProblem`` for settings that this version does not know, with which readings would be judged.
    init(_ row: Row) throws {
        let id: Int64 = row["id"]
        let text: String? = row["settings"]
        guard let guideline = Rule.Guideline(rawValue: row["guideline"]),
            let setting = Rule.Setting(rawValue: row["setting"]),
            let settings = text.map({ try? JSONDecoder().decode(PersonSettings.self, from: Data($0.utf8)) })
                ?? PersonSettings()
        else {
            throw HubProblem(
                .unavailable, "the settings of person \(id) are damaged, or from a later version; update this program")
        }
        self.init(
            id: id, name: row["name"], born: row["born"], guideline: guideline, setting: setting,
            pregnant: row["pregnant"])
        identity = row["identity"]
        self.settings = settings
    }
}
