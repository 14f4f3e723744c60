#if Programs
import Foundation
import GRDB

/// A message that waits for delivery to a receiver.
package struct OutboxMessage: Sendable {
    /// The position in the outbox.
    package var place: Int64
    /// A stable identifier, the same in each attempt.
    package var id: String
    /// True if the message retracts a reading that belongs to another person.
    package var isRetraction: Bool
    /// The reading, with the person of the lane.
    package var reading: StoredReading
    /// The person of the lane.
    package var person: Person?
    /// The judgement of the reading.
    package var judgement: Judgement?
}

/// The messages for one receiver and one person, which are delivered in order.
package struct Lane: Sendable, Hashable {
    /// The identifier of the receiver.
    package var receiver: Int64
    /// The identifier of the person.
    package var person: Int64
    /// The number of consecutive failed attempts.
    package var attempts: Int
}

extension HubStore {
    /// The duration of a lease on a lane without renewal, in seconds.
    package static let leaseTime: Int64 = 120

    // MARK: Writing, in the transaction of the reading

    /// Queues a reading of a person for each receiver.
    static func forward(_ reading: Int64, of person: Int64, to receivers: [Receiver], _ db: Database) throws {
        for receiver in receivers { try enqueue(reading, person, receiver.id, isRetraction: false, db) }
    }

    private static func enqueue(
        _ reading: Int64, _ person: Int64, _ receiver: Int64, isRetraction: Bool, _ db: Database
    ) throws {
        let id = "msg_" + UUID().uuidString.lowercased()
        try db.cachedStatement(
            sql: """
                INSERT INTO outbox(receiver_id, person_id, reading_id, retraction, message_id, created)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [receiver, person, reading, isRetraction, id, now])
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO lane(receiver_id, person_id) VALUES (?, ?)")
            .execute(arguments: [receiver, person])
        if isRetraction {
            try db.cachedStatement(
                sql: "DELETE FROM forwarded WHERE receiver_id = ? AND reading_id = ? AND person_id = ?"
            ).execute(arguments: [receiver, reading, person])
        } else {
            try db.cachedStatement(
                sql: "INSERT OR IGNORE INTO forwarded(receiver_id, reading_id, person_id) VALUES (?, ?, ?)"
            ).execute(arguments: [receiver, reading, person])
        }
    }

    /// Handles readings that change their person: those forwarded for the previous person are retracted, and all are
    /// forwarded for the new one.
    /// - Parameter condition: an SQL condition that selects the readings, before they change.
    static func reassign(
        where condition: String, _ arguments: StatementArguments, to person: Int64, _ db: Database
    ) throws {
        let receivers = try receivers(db)
        guard !receivers.isEmpty else { return }
        let rows = try Row.fetchAll(
            db, sql: "SELECT id, person_id FROM reading WHERE (\(condition)) AND person_id IS NOT ? ORDER BY taken, id",
            arguments: arguments + [person])
        for row in rows {
            let reading: Int64 = row["id"]
            if let former: Int64 = row["person_id"] { try retract(reading, of: former, receivers, db) }
            try forward(reading, of: person, to: receivers, db)
        }
    }

    private static func retract(_ reading: Int64, of person: Int64, _ receivers: [Receiver], _ db: Database) throws {
        for receiver in receivers {
            let arguments: StatementArguments = [receiver.id, reading, person]
            let was = try Bool.fetchOne(
                db.cachedStatement(
                    sql: "SELECT 1 FROM forwarded WHERE receiver_id = ? AND reading_id = ? AND person_id = ?"),
                arguments: arguments)
            guard was == true else { continue }
            // A message that was permanently refused never reached the receiver.
            try db.cachedStatement(
                sql: "DELETE FROM outbox WHERE receiver_id = ? AND reading_id = ? AND person_id = ? AND parked = 1"
            ).execute(arguments: arguments)
            if db.changesCount > 0 {
                try db.cachedStatement(
                    sql: "DELETE FROM forwarded WHERE receiver_id = ? AND reading_id = ? AND person_id = ?"
                ).execute(arguments: arguments)
                continue
            }
            try enqueue(reading, person, receiver.id, isRetraction: true, db)
        }
    }

    /// Deletes all forwarding data of a person.
    static func forgetForwarding(of person: Int64, _ db: Database) throws {
        for table in ["outbox", "lane", "forwarded"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE person_id = ?", arguments: [person])
        }
    }

    // MARK: Delivering

    /// Releases all leases. Only the process with the ``StoreLock`` may call it: no other process holds a lease then.
    /// - Throws: `DatabaseError`.
    package func resetLeases() throws {
        try pool.write { try $0.execute(sql: "UPDATE lane SET lease_until = 0, next_attempt = 0") }
    }

    /// Claims lanes of a receiver that are due.
    /// - Throws: `DatabaseError`.
    package func claimLanes(of receiver: Int64, limit: Int, now: Int64 = HubStore.now) async throws -> [Lane] {
        try await pool.write { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        UPDATE lane SET lease_until = ? WHERE (receiver_id, person_id) IN (
                            SELECT receiver_id, person_id FROM lane
                            WHERE receiver_id = ? AND lease_until <= ? AND next_attempt <= ?
                            ORDER BY next_attempt LIMIT ?)
                        RETURNING person_id, attempts
                        """), arguments: [now + Self.leaseTime, receiver, now, now, limit])
            return rows.map { Lane(receiver: receiver, person: $0["person_id"], attempts: $0["attempts"]) }
        }
    }

    /// Returns the first message of a lane; nil if there is none, and the lane is removed then.
    /// - Throws: `DatabaseError`.
    package func firstMessage(of lane: Lane) async throws -> OutboxMessage? {
        try await pool.write { [assessor] db in
            while true {
                guard
                    let row = try Row.fetchOne(
                        db.cachedStatement(
                            sql: """
                                SELECT * FROM outbox WHERE receiver_id = ? AND person_id = ? AND parked = 0
                                ORDER BY id LIMIT 1
                                """), arguments: [lane.receiver, lane.person])
                else {
                    try db.cachedStatement(sql: "DELETE FROM lane WHERE receiver_id = ? AND person_id = ?")
                        .execute(arguments: [lane.receiver, lane.person])
                    return nil
                }
                let place: Int64 = row["id"]
                guard var reading = try Self.storedReading(row["reading_id"], db) else {
                    try db.execute(sql: "DELETE FROM outbox WHERE id = ?", arguments: [place])
                    continue
                }
                let person = try Self.person(lane.person, db)
                (reading.person, reading.personName) = (lane.person, person?.name)
                let judgement = reading.measurement.map { assessor.judge($0, of: person, at: reading.taken) }
                return OutboxMessage(
                    place: place, id: row["message_id"], isRetraction: row["retraction"], reading: reading,
                    person: person, judgement: judgement)
            }
        }
    }

    /// Records the delivery of a message and renews the lease.
    /// - Throws: `DatabaseError`.
    package func delivered(_ message: OutboxMessage, _ lane: Lane) async throws {
        try await pool.write { db in
            try db.cachedStatement(sql: "DELETE FROM outbox WHERE id = ?").execute(arguments: [message.place])
            try db.cachedStatement(
                sql: "UPDATE lane SET attempts = 0, lease_until = ? WHERE receiver_id = ? AND person_id = ?"
            ).execute(arguments: [Self.now + Self.leaseTime, lane.receiver, lane.person])
            try db.cachedStatement(sql: "UPDATE receiver SET last_error = NULL WHERE id = ? AND last_error IS NOT NULL")
                .execute(arguments: [lane.receiver])
        }
    }

    /// Parks a message that was permanently refused; later messages are not affected.
    /// - Throws: `DatabaseError`.
    package func park(_ message: OutboxMessage, _ lane: Lane, error: String) async throws {
        try await pool.write { db in
            try db.execute(sql: "UPDATE outbox SET parked = 1 WHERE id = ?", arguments: [message.place])
            try Self.note(error, lane.receiver, db)
        }
    }

    /// Releases a lane, because the delivery failed temporarily, or because other lanes wait.
    /// - Parameter pause: the seconds until the next attempt.
    /// - Throws: `DatabaseError`.
    package func release(_ lane: Lane, pause: Int64, error: String?) async throws {
        try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE lane SET lease_until = 0, next_attempt = ?, attempts = ?
                    WHERE receiver_id = ? AND person_id = ?
                    """,
                arguments: [
                    Self.now + pause, error == nil ? lane.attempts : lane.attempts + 1, lane.receiver, lane.person,
                ])
            if let error { try Self.note(error, lane.receiver, db) }
        }
    }

    private static func note(_ error: String, _ receiver: Int64, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE receiver SET last_error = ? WHERE id = ?", arguments: [String(error.prefix(500)), receiver])
    }

    /// Returns the time at which the next lane of a receiver is due, in seconds since 1970; nil if there is none.
    /// - Throws: `DatabaseError`.
    package func nextAttempt(of receiver: Int64) async throws -> Int64? {
        try await pool.read { db in
            try Int64.fetchOne(
                db, sql: "SELECT min(max(next_attempt, lease_until)) FROM lane WHERE receiver_id = ?",
                arguments: [receiver])
        }
    }
}
#endif
