import Foundation
import GRDB

/// The delivery of messages: lanes are claimed, and their messages delivered, retried or parked.
extension HubStore {
    /// The duration of a lease on a lane without renewal, in seconds.
    package static let leaseTime: Int64 = 60

    /// Releases the leases of a hub that has ended. Leases in a shared database expire instead.
    package func resetLeases() throws {
        // The process holds the ``StoreLock``, so no other process has a lease.
        guard database is SQLiteDatabase else { return }
        _ = try database.write(.rows) { try $0.run("UPDATE lane SET lease_until = 0, next_attempt = 0", []) }
    }

    /// Claims lanes of a receiver that are due.
    package func claimLanes(of receiver: Int64, limit: Int, now: Int64 = HubStore.now) async throws -> [Lane] {
        try await database.write(.rows) { db in
            let rows = try db.rows(
                """
                WITH due AS (
                    SELECT receiver_id, person_id FROM lane
                    WHERE receiver_id = ? AND lease_until <= ? AND next_attempt <= ?
                    ORDER BY next_attempt LIMIT ? \(db.dialect.freeRows))
                UPDATE lane SET lease_until = ?, fence = ?
                WHERE (receiver_id, person_id) IN (SELECT receiver_id, person_id FROM due)
                RETURNING person_id, attempts, fence
                """, [receiver, now, now, limit, now + Self.leaseTime, Int64.random(in: 1...Int64.max)])
            return rows.map {
                Lane(receiver: receiver, person: $0["person_id"], attempts: $0["attempts"], fence: $0["fence"])
            }
        }
    }

    /// Locks a lane until the end of the transaction.
    /// - Returns: false if the lease is lost: it has expired, and the lane was claimed again.
    private static func hold(_ lane: Lane, _ db: any StoreConnection) throws -> Bool {
        let fence: Int64? = try db.value(
            "SELECT fence FROM lane WHERE receiver_id = ? AND person_id = ? \(db.dialect.rowLock)",
            [lane.receiver, lane.person])
        return fence == lane.fence
    }

    /// Returns the first message of a lane for an attempt to deliver it. Returns nil if the lease is lost, or if the
    /// lane is empty; an empty lane is removed.
    package func firstMessage(of lane: Lane) async throws -> OutboxMessage? {
        try await database.write(.rows) { [assessor] db in
            guard try Self.hold(lane, db) else { return nil }
            while true {
                guard
                    let row = try db.row(
                        """
                        SELECT * FROM outbox WHERE receiver_id = ? AND person_id = ? AND parked = 0
                        ORDER BY id LIMIT 1
                        """, [lane.receiver, lane.person])
                else {
                    try db.run(
                        "DELETE FROM lane WHERE receiver_id = ? AND person_id = ?", [lane.receiver, lane.person])
                    return nil
                }
                let person = try Self.person(lane.person, db)
                let created = row.date("created")
                var message = OutboxMessage(
                    place: row["id"], id: row["message_id"], isRetraction: row["retraction"],
                    readingID: row["reading_id"], created: created, person: person)
                guard var reading = try Self.storedReading(message.readingID, db) else {
                    if message.isRetraction, try Self.mayHave(&message, lane, db) {
                        try Self.countAttempt(message, db)
                        return message
                    }
                    try Self.drop(message, lane, db)
                    continue
                }
                // A control solution, which is no value of the person, may have been queued by a reassignment.
                guard reading.measurement?.isControlSolution != true else {
                    message.reading = reading
                    try Self.drop(message, lane, db)
                    continue
                }
                (reading.person, reading.personName) = (lane.person, person?.name)
                reading.personIdentity = person?.identity
                message.judgement = reading.measurement.map { assessor.judge($0, of: person, at: reading.taken) }
                message.isRestoration =
                    try Self.state(message.readingID, lane.person, lane.receiver, db) == .restored
                message.observation = try Self.observation(of: reading, lane, db)
                message.reading = reading
                try Self.countAttempt(message, db)
                return message
            }
        }
    }

    private static func countAttempt(_ message: OutboxMessage, _ db: any StoreConnection) throws {
        try db.run("UPDATE outbox SET attempts = attempts + 1 WHERE id = ?", [message.place])
    }

    /// Returns false if the receiver cannot have the deleted reading of a retraction, because it was never sent to it.
    /// Sets the identifier of the observation.
    private static func mayHave(_ message: inout OutboxMessage, _ lane: Lane, _ db: any StoreConnection) throws -> Bool
    {
        guard let row = try forwarded(message.readingID, lane, db) else { return false }
        message.observation = row["observation"]
        return kind(row)?.form.accepts(message) ?? false
    }

    /// Returns the Observation of a reading that was queued for a lane, with the kind of the receiver.
    private static func forwarded(_ reading: Int64, _ lane: Lane, _ db: any StoreConnection) throws -> Row? {
        try db.row(
            """
            SELECT observation, receiver.kind AS kind FROM forwarded JOIN receiver ON receiver.id = receiver_id
            WHERE receiver_id = ? AND reading_id = ? AND person_id = ?
            """, [lane.receiver, reading, lane.person])
    }

    private static func kind(_ row: Row) -> Receiver.Kind? { Receiver.Kind(rawValue: row["kind"]) }

    /// Removes a message, and the forwarding state of a deleted reading.
    private static func drop(_ message: OutboxMessage, _ lane: Lane, _ db: any StoreConnection) throws {
        try db.run("DELETE FROM outbox WHERE id = ?", [message.place])
        guard message.reading == nil, message.isRetraction else { return }
        try db.run(
            "DELETE FROM forwarded WHERE receiver_id = ? AND reading_id = ? AND person_id = ?",
            [lane.receiver, message.readingID, lane.person])
    }

    /// Returns the identifier under which the receiver has a reading; nil for that of the hub.
    ///
    /// It is stored before the first attempt. The attributes on which it depends may change before the reading is
    /// retracted: a device may report its System ID later, or turn out to be another one.
    private static func observation(
        of reading: StoredReading, _ lane: Lane, _ db: any StoreConnection
    ) throws -> String? {
        guard let row = try forwarded(reading.id, lane, db) else { return nil }
        if let known: String = row["observation"] { return known }
        guard let identifier = kind(row)?.form.observation(of: reading) else { return nil }
        try db.run(
            "UPDATE forwarded SET observation = ? WHERE receiver_id = ? AND reading_id = ? AND person_id = ?",
            [identifier, lane.receiver, reading.id, lane.person])
        return identifier
    }

    /// Records the delivery of a message and renews the lease.
    package func delivered(_ message: OutboxMessage, _ lane: Lane) async throws {
        try await database.write(.rows) { db in
            try db.run(
                """
                UPDATE lane SET attempts = 0, lease_until = ? WHERE receiver_id = ? AND person_id = ? AND fence = ?
                """, [Self.now + Self.leaseTime, lane.receiver, lane.person, lane.fence])
            try Self.drop(message, lane, db)
            // The reason of a parked message stays until that message is retried.
            try db.run(
                """
                UPDATE receiver SET last_error = NULL WHERE id = ? AND last_error IS NOT NULL
                AND NOT EXISTS(SELECT 1 FROM outbox WHERE receiver_id = ? AND parked = 1)
                """, [lane.receiver, lane.receiver])
        }
    }

    /// Parks a message that was permanently refused, and renews the lease; later messages are not affected. A reading
    /// about which a later message is queued is removed instead: sent again, it would follow its retraction.
    package func park(_ message: OutboxMessage, _ lane: Lane, error: String) async throws {
        try await database.write(.rows) { db in
            guard try Self.hold(lane, db) else { return }
            let isSuperseded =
                try !message.isRetraction
                && db.isTrue(
                    """
                    SELECT 1 FROM outbox WHERE receiver_id = ? AND parked IN (0, 1) AND person_id = ? AND reading_id = ?
                    AND id > ? LIMIT 1
                    """, [lane.receiver, lane.person, message.readingID, message.place])
            if isSuperseded {
                try db.run("DELETE FROM outbox WHERE id = ?", [message.place])
            } else {
                // After one attempt the receiver does not have the reading. After several it may: the outcome of the
                // earlier ones is unknown.
                try db.run(
                    """
                    UPDATE outbox SET parked = 1, attempts = CASE WHEN attempts > 1 THEN attempts ELSE 0 END
                    WHERE id = ?
                    """, [message.place])
            }
            try db.run(
                "UPDATE lane SET lease_until = ? WHERE receiver_id = ? AND person_id = ?",
                [Self.now + Self.leaseTime, lane.receiver, lane.person])
            try Self.note(error, lane.receiver, db)
        }
    }

    /// Releases a lane after a temporary failure, or in favour of other lanes.
    /// - Parameter pause: the seconds until the next attempt.
    package func release(_ lane: Lane, pause: Int64, error: String?) async throws {
        try await database.write(.rows) { db in
            let count = try db.run(
                """
                UPDATE lane SET lease_until = 0, next_attempt = ?, attempts = ?
                WHERE receiver_id = ? AND person_id = ? AND fence = ?
                """,
                [
                    Self.now + pause, error == nil ? lane.attempts : lane.attempts + 1, lane.receiver, lane.person,
                    lane.fence,
                ])
            // The error may contain the name of a person who was deleted meanwhile, with the lane.
            if let error, count > 0 { try Self.note(error, lane.receiver, db) }
        }
    }

    private static func note(_ error: String, _ receiver: Int64, _ db: any StoreConnection) throws {
        try db.run("UPDATE receiver SET last_error = ? WHERE id = ?", [String(error.prefix(500)), receiver])
    }

    /// Returns the time at which the next lane of a receiver is due, in seconds since 1970; nil if there is none.
    package func nextAttempt(of receiver: Int64) async throws -> Int64? {
        try await database.read { db in
            try db.value(
                """
                SELECT min(CASE WHEN next_attempt > lease_until THEN next_attempt ELSE lease_until END) FROM lane
                WHERE receiver_id = ?
                """, [receiver])
        }
    }
}
