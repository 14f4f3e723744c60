#if Programs
import Foundation
import GRDB

/// A message that is pending for delivery to a receiver.
package struct OutboxMessage: Sendable {
    /// The position in the outbox.
    package var place: Int64
    /// A stable identifier, the same in each attempt.
    package var id: String
    /// True if the message retracts a reading that belongs to another person.
    package var isRetraction: Bool
    /// True if the receiver has the reading, retracted, and the message restores it.
    package var isRestoration = false
    /// The identifier under which a FHIR server has the reading, the same in all messages about it; nil for other
    /// receivers.
    package var observation: String?
    /// The identifier of the reading.
    package var readingID: Int64
    /// The time at which the message was queued.
    package var created: Date
    /// The reading, with the person of the lane; nil in a retraction if the reading was deleted with the person to whom
    /// it belongs now.
    package var reading: StoredReading?
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
    /// A random number of the lease. A lane that was claimed again has another one.
    package var fence: Int64
}

/// The state of a reading that was queued for a receiver on behalf of a person.
enum ForwardingState: Int64 {
    case forwarded
    case retracted
    /// Forwarded once more after it was retracted: the receiver may have it, entered in error.
    case restored
}

/// The key of a lane, in the order in which transactions lock lanes.
struct LaneKey: Hashable, Comparable {
    var receiver, person: Int64

    static func < (first: LaneKey, second: LaneKey) -> Bool {
        (first.receiver, first.person) < (second.receiver, second.person)
    }
}

extension HubStore {
    /// The duration of a lease on a lane without renewal, in seconds.
    package static let leaseTime: Int64 = 60

    // MARK: Writing, in the transaction of the reading

    /// Queues a message. The caller adds the lane with ``StoreDialect/laneInsertion``.
    static func enqueue(
        _ reading: Int64, _ person: Int64, _ receiver: Int64, isRetraction: Bool, _ db: any StoreConnection
    ) throws {
        let id = "msg_" + UUID().uuidString.lowercased()
        try db.run(
            """
            INSERT INTO outbox(receiver_id, person_id, reading_id, retraction, message_id, created)
            VALUES (?, ?, ?, ?, ?, ?)
            """, [receiver, person, reading, isRetraction, id, now])
        if isRetraction {
            try setState(.retracted, reading, person, receiver, db)
        } else {
            try db.run(
                """
                INSERT INTO forwarded(receiver_id, reading_id, person_id, state) VALUES (?, ?, ?, 0)
                ON CONFLICT(receiver_id, reading_id, person_id) DO UPDATE SET state = 2 WHERE forwarded.state = 1
                """, [receiver, reading, person])
        }
    }

    private static func setState(
        _ state: ForwardingState, _ reading: Int64, _ person: Int64, _ receiver: Int64, _ db: any StoreConnection
    ) throws {
        try db.run(
            "UPDATE forwarded SET state = ? WHERE receiver_id = ? AND reading_id = ? AND person_id = ?",
            [state.rawValue, receiver, reading, person])
    }

    private static func state(
        _ reading: Int64, _ person: Int64, _ receiver: Int64, _ db: any StoreConnection
    ) throws -> ForwardingState? {
        let state: Int64? = try db.value(
            "SELECT state FROM forwarded WHERE receiver_id = ? AND reading_id = ? AND person_id = ?",
            [receiver, reading, person])
        return state.flatMap(ForwardingState.init)
    }

    /// Queues the messages for readings that move to another person: a retraction of each that was forwarded for the
    /// previous person, and each reading for the new one.
    /// - Parameter condition: an SQL condition that selects the readings, evaluated before they change.
    static func reassign(
        where condition: String, _ arguments: StoreArguments, to person: Int64, _ db: any StoreConnection
    ) throws {
        let receivers = try receivers(db)
        guard !receivers.isEmpty else { return }
        let rows = try db.rows(
            """
            SELECT id, person_id FROM reading WHERE (\(condition)) AND (person_id IS NULL OR person_id <> ?)
            ORDER BY taken, id
            """, arguments + [person])
        for row in rows {
            let reading: Int64 = row["id"]
            if let former: Int64 = row["person_id"] { try retract(reading, of: former, receivers, db) }
            for receiver in receivers {
                if try revokeRefusedRetraction(reading, of: person, receiver.id, db) { continue }
                try db.run(db.dialect.laneInsertion, [receiver.id, person])
                try enqueue(reading, person, receiver.id, isRetraction: false, db)
            }
        }
    }

    /// Removes the latest retraction of a reading if it was permanently refused: the receiver has not retracted the
    /// reading, which needs no message to be restored.
    /// - Returns: true if there was one.
    private static func revokeRefusedRetraction(
        _ reading: Int64, of person: Int64, _ receiver: Int64, _ db: any StoreConnection
    ) throws -> Bool {
        guard try state(reading, person, receiver, db) == .retracted,
            try removeParked(reading, person, receiver, areRetractions: true, db) > 0
        else { return false }
        try setState(.restored, reading, person, receiver, db)
        return true
    }

    /// Removes messages about a reading that were permanently refused.
    /// - Returns: their number.
    @discardableResult
    private static func removeParked(
        _ reading: Int64, _ person: Int64, _ receiver: Int64, areRetractions: Bool, _ db: any StoreConnection
    ) throws -> Int {
        try db.run(
            """
            DELETE FROM outbox WHERE receiver_id = ? AND reading_id = ? AND person_id = ? AND parked = 1
            AND retraction = ?
            """, [receiver, reading, person, areRetractions])
    }

    /// Queues the retraction of a reading that was forwarded for a person.
    static func retract(
        _ reading: Int64, of person: Int64, _ receivers: [Receiver], _ db: any StoreConnection
    ) throws {
        for receiver in receivers {
            let arguments: StoreArguments = [receiver.id, reading, person]
            guard let state = try state(reading, person, receiver.id, db), state != .retracted else { continue }
            try db.run(db.dialect.laneInsertion, [receiver.id, person])
            // A reading that was permanently refused never reached the receiver. A retraction refused before it stays.
            if try removeParked(reading, person, receiver.id, areRetractions: false, db) > 0 {
                if state == .restored {
                    try setState(.retracted, reading, person, receiver.id, db)
                } else {
                    try db.run(
                        "DELETE FROM forwarded WHERE receiver_id = ? AND reading_id = ? AND person_id = ?", arguments)
                }
                continue
            }
            // The new retraction replaces one that was refused after the reading had returned to the person.
            try removeParked(reading, person, receiver.id, areRetractions: true, db)
            try enqueue(reading, person, receiver.id, isRetraction: true, db)
        }
    }

    /// Deletes what is known about the forwarding of a person's readings for other people, except of those that remain
    /// to be retracted.
    static func forgetReadings(of person: Int64, _ db: any StoreConnection) throws {
        let forwarded = try db.rows(formerlyForwarded, [person, person])
        let lanes = Set(forwarded.map { LaneKey(receiver: $0["receiver_id"], person: $0["person_id"]) })
        // Read once for each lane: a receiver that was unreachable for weeks has many pending messages.
        var retracted: [LaneKey: Set<Int64>] = [:]
        for lane in lanes {
            retracted[lane] = Set(try db.values(pendingRetractions, [lane.receiver, lane.person]) as [Int64])
        }
        let rest = forwarded.filter { row in
            let lane = LaneKey(receiver: row["receiver_id"], person: row["person_id"])
            return retracted[lane]?.contains(row["reading_id"]) != true
        }
        try db.runAll(
            "DELETE FROM forwarded WHERE receiver_id = ? AND reading_id = ? AND person_id = ?",
            rest.map { [$0["receiver_id"] as Int64, $0["reading_id"] as Int64, $0["person_id"] as Int64] })
    }

    /// Selects the readings of a person that were forwarded for other people.
    static let formerlyForwarded = """
        SELECT receiver_id, reading_id, person_id FROM forwarded WHERE receiver_id IN (SELECT id FROM receiver)
        AND reading_id IN (SELECT id FROM reading WHERE person_id = ?) AND person_id <> ?
        """

    /// Selects the readings of a lane whose retraction is queued. Both values of `parked` are listed, so that the index
    /// of the lanes is used.
    static let pendingRetractions = """
        SELECT reading_id FROM outbox WHERE receiver_id = ? AND parked IN (0, 1) AND person_id = ? AND retraction = 1
        """

    /// Deletes the messages for a person. The receivers and both values of `parked` are listed, so that the index of
    /// the lanes is used.
    static let personalMessages = """
        DELETE FROM outbox WHERE receiver_id IN (SELECT id FROM receiver) AND parked IN (0, 1) AND person_id = ?
        """

    /// Deletes all forwarding data of a person.
    static func forgetForwarding(of person: Int64, _ db: any StoreConnection) throws {
        try db.run(personalMessages, [person])
        try db.run("DELETE FROM lane WHERE receiver_id IN (SELECT id FROM receiver) AND person_id = ?", [person])
        try db.run("DELETE FROM forwarded WHERE person_id = ?", [person])
        // A receiver may have repeated the name of the person in its error.
        try db.run("UPDATE receiver SET last_error = NULL WHERE last_error IS NOT NULL", [])
    }

    // MARK: Delivering

    /// Releases the leases of a hub that has ended. Leases in a shared database expire instead.
    /// - Throws: `DatabaseError`.
    package func resetLeases() throws {
        // The process holds the ``StoreLock``, so no other process has a lease.
        guard database is SQLiteDatabase else { return }
        _ = try database.write(.rows) { try $0.run("UPDATE lane SET lease_until = 0, next_attempt = 0", []) }
    }

    /// Claims lanes of a receiver that are due.
    /// - Throws: `DatabaseError`.
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

    /// Returns the first message of a lane. Returns nil if the lease is lost, or if the lane is empty; an empty lane is
    /// removed.
    /// - Throws: `DatabaseError`.
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
                let created = Date(timeIntervalSince1970: Double(row["created"] as Int64))
                var message = OutboxMessage(
                    place: row["id"], id: row["message_id"], isRetraction: row["retraction"],
                    readingID: row["reading_id"], created: created, person: person)
                guard var reading = try Self.storedReading(message.readingID, db) else {
                    if message.isRetraction, try Self.mayHave(&message, lane, db) { return message }
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
                return message
            }
        }
    }

    /// Returns false if the receiver cannot have the deleted reading of a retraction, because it was never sent to it.
    /// Sets the identifier of the observation.
    private static func mayHave(_ message: inout OutboxMessage, _ lane: Lane, _ db: any StoreConnection) throws -> Bool
    {
        let row = try db.row(
            """
            SELECT observation, receiver.kind AS kind FROM forwarded JOIN receiver ON receiver.id = receiver_id
            WHERE receiver_id = ? AND reading_id = ? AND person_id = ?
            """, [lane.receiver, message.readingID, lane.person])
        guard let row else { return false }
        message.observation = row["observation"]
        return message.observation != nil || row["kind"] as String != Receiver.Kind.fhir.rawValue
    }

    /// Removes a message, and what is known about the forwarding of a deleted reading.
    private static func drop(_ message: OutboxMessage, _ lane: Lane, _ db: any StoreConnection) throws {
        try db.run("DELETE FROM outbox WHERE id = ?", [message.place])
        guard message.reading == nil, message.isRetraction else { return }
        try db.run(
            "DELETE FROM forwarded WHERE receiver_id = ? AND reading_id = ? AND person_id = ?",
            [lane.receiver, message.readingID, lane.person])
    }

    /// Returns the identifier of the observation of a reading at a FHIR server; nil for other receivers.
    ///
    /// It is stored before the first attempt. The attributes on which it depends may change before the reading is
    /// retracted: a device may report its System ID later, or turn out to be another one.
    private static func observation(
        of reading: StoredReading, _ lane: Lane, _ db: any StoreConnection
    ) throws -> String? {
        let arguments: StoreArguments = [lane.receiver, reading.id, lane.person]
        let row = try db.row(
            """
            SELECT observation FROM forwarded JOIN receiver ON receiver.id = receiver_id
            WHERE receiver_id = ? AND reading_id = ? AND person_id = ? AND receiver.kind = 'fhir'
            """, arguments)
        guard let row else { return nil }
        if let known: String = row["observation"] { return known }
        guard let code = FHIRResources.code(of: reading) else { return nil }
        let identifier = FHIRResources.identifier(of: reading, code: code)
        try db.run(
            "UPDATE forwarded SET observation = ? WHERE receiver_id = ? AND reading_id = ? AND person_id = ?",
            [identifier] + arguments)
        return identifier
    }

    /// Records the delivery of a message and renews the lease.
    /// - Throws: `DatabaseError`.
    package func delivered(_ message: OutboxMessage, _ lane: Lane) async throws {
        try await database.write(.rows) { db in
            try Self.drop(message, lane, db)
            try db.run(
                """
                UPDATE lane SET attempts = 0, lease_until = ? WHERE receiver_id = ? AND person_id = ? AND fence = ?
                """, [Self.now + Self.leaseTime, lane.receiver, lane.person, lane.fence])
            // The reason of a parked message stays until that message is retried.
            try db.run(
                """
                UPDATE receiver SET last_error = NULL WHERE id = ? AND last_error IS NOT NULL
                AND NOT EXISTS(SELECT 1 FROM outbox WHERE receiver_id = ? AND parked = 1)
                """, [lane.receiver, lane.receiver])
        }
    }

    /// Parks a message that was permanently refused, and renews the lease; later messages are not affected.
    /// - Throws: `DatabaseError`.
    package func park(_ message: OutboxMessage, _ lane: Lane, error: String) async throws {
        try await database.write(.rows) { db in
            guard try Self.hold(lane, db) else { return }
            try db.run("UPDATE outbox SET parked = 1 WHERE id = ?", [message.place])
            try db.run(
                "UPDATE lane SET lease_until = ? WHERE receiver_id = ? AND person_id = ?",
                [Self.now + Self.leaseTime, lane.receiver, lane.person])
            try Self.note(error, lane.receiver, db)
        }
    }

    /// Releases a lane after a temporary failure, or in favour of other lanes.
    /// - Parameter pause: the seconds until the next attempt.
    /// - Throws: `DatabaseError`.
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
    /// - Throws: `DatabaseError`.
    package func nextAttempt(of receiver: Int64) async throws -> Int64? {
        try await database.read { db in
            try
                (db.value(
                    """
                    SELECT min(CASE WHEN next_attempt > lease_until THEN next_attempt ELSE lease_until END) FROM lane
                    WHERE receiver_id = ?
                    """,
                    [receiver]) as Int64?)
        }
    }
}
#endif
