import Foundation
import GRDB
import JSON

package struct PersonNote: Sendable, Encodable {
    package var id: String
    /// The time (RFC 3339).
    package var time: String
    package var who, text: String
}

/// The acknowledgement of a notice: the account and the time.
package struct Acknowledgement: Sendable, Equatable, Encodable {
    /// The account or token.
    package var who: String
    /// The time (RFC 3339).
    package var time: String
}

/// Notes, notices that people have seen, and readings typed in by hand.
extension HubStore {
    /// Returns the notes about a person, latest first.
    package func notes(of person: Int64) throws -> [PersonNote] {
        try database.read { db in
            try db.rows("SELECT * FROM note WHERE person_id = ? ORDER BY id DESC LIMIT 500", [person]).map { row in
                PersonNote(
                    id: String(row["id"] as Int64),
                    time: row.time("time"),
                    who: row["who"], text: row["text"])
            }
        }
    }

    /// Adds a note about a person.
    /// - Throws: ``HubProblem`` for an unknown person, and for an empty text or one of more than 4,000 octets.
    package func addNote(_ text: String, about person: Int64, by who: String) throws {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, text.utf8.count <= 4000 else {
            throw HubProblem(.invalid, "a note must have 1 to 4000 octets")
        }
        try change(person, by: who, "note add \(person)") { db in
            try db.run(
                "INSERT INTO note(person_id, time, who, text) VALUES (?, ?, ?, ?)", [person, Self.now, who, text])
        }
    }

    /// Deletes a note about a person.
    /// - Throws: ``HubProblem`` for an unknown one.
    package func deleteNote(_ id: Int64, about person: Int64, by who: String) throws {
        try change(person, by: who, "note delete \(person)") { db in
            guard try db.run("DELETE FROM note WHERE id = ? AND person_id = ?", [id, person]) > 0 else {
                throw HubProblem(.notFound, "there is no note \(id)")
            }
        }
    }

    /// Records that somebody has seen a notice. The first one stays.
    /// - Parameters:
    ///   - code: the code of the notice.
    ///   - time: the time of its measurement, as the state has it.
    /// - Throws: ``HubProblem`` for a notice that the person does not have.
    package func acknowledge(_ code: String, measured time: String, of person: Int64, by who: String) throws {
        try change(person, by: who, "acknowledge \(code) \(person)") { db in
            let notices = try notices(of: Self.knownPerson(person, db), Date(), .current, db)
            guard notices.contains(where: { $0.code == code && $0.time == time }) else {
                throw HubProblem(.notFound, "person \(person) has no such notice now")
            }
            try db.run(
                """
                INSERT INTO acknowledgement(person_id, code, measured, who, time) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """, [person, code, time, who, Self.now])
        }
    }

    static func acknowledgements(of person: Int64, _ db: any StoreConnection) throws -> [String: Acknowledgement] {
        let rows = try db.rows("SELECT * FROM acknowledgement WHERE person_id = ?", [person])
        return Dictionary(
            rows.map { row in
                (
                    "\(row["code"] as String) \(row["measured"] as String)",
                    .init(who: row["who"], time: row.time("time"))
                )
            }, uniquingKeysWith: { $1 })
    }

    private func change(
        _ person: Int64, by who: String, _ action: String, _ body: (any StoreConnection) throws -> Void
    ) throws {
        try database.write(.administration) { db in
            try Self.knownPerson(person, db)
            try body(db)
            try Self.audit(who, action, db)
        }
    }

    /// Stores a reading that a person typed in.
    /// - Parameters:
    ///   - values: the values by the names of their quantities, in the form of ``SubmittedReading/fields``.
    ///   - time: the time of the measurement (RFC 3339).
    /// - Throws: ``HubProblem`` for an unknown person, a time in the future, an unknown quantity, and values that no
    ///   person can have.
    package func enterReading(
        _ values: [String: JSONValue], time: String, of person: Int64, by who: String
    ) throws -> ReadingResult {
        if let taken = ReadingTime.date(time), taken > Date(timeIntervalSinceNow: ReadingTime.tolerance) {
            throw HubProblem(.invalid, "'\(time)' is in the future")
        }
        var fields: [String: JSONValue] = [:]
        for (name, value) in values {
            guard let kind = MeasurementKind.allCases.first(where: { $0.values.contains { $0.quantity.name == name } })
            else { throw HubProblem(.invalid, "there is no quantity '\(name.prefix(32))'") }
            fields[kind.field(of: name)] = value
        }
        guard !fields.isEmpty else { throw HubProblem(.invalid, "there is no value; give one") }
        var reading = SubmittedReading()
        reading.device = .init(id: "typed-in-\(person)", name: "typed in by hand")
        (reading.id, reading.time, reading.fields) = (UUID().uuidString, time, fields)
        reading.person = person
        let result = try store([reading], gateway: who).results[0]
        if let problem = result.problem { throw HubProblem(.invalid, problem) }
        return result
    }
}
