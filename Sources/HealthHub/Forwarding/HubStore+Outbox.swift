import Foundation

/// The messages for receivers, which are written in the transaction of the reading.
extension HubStore {
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

    static func state(
        _ reading: Int64, _ person: Int64, _ receiver: Int64, _ db: any StoreConnection
    ) throws -> ForwardingState? {
        let state: Int64? = try db.value(
            "SELECT state FROM forwarded WHERE receiver_id = ? AND reading_id = ? AND person_id = ?",
            [receiver, reading, person])
        return state.flatMap(ForwardingState.init)
    }

    /// Queues the messages for readings that move to another person, or to nobody: a retraction of each that was
    /// forwarded for the previous person, and each reading for the new one.
    /// - Parameter condition: an SQL condition that selects the readings, evaluated before they change.
    static func reassign(
        where condition: String, _ arguments: StoreArguments, to person: Int64?, _ db: any StoreConnection
    ) throws {
        let receivers = try receivers(db)
        guard !receivers.isEmpty else { return }
        let others = person == nil ? "person_id IS NOT NULL" : "(person_id IS NULL OR person_id <> ?)"
        let rows = try db.rows(
            "SELECT id, person_id, retracted FROM reading WHERE (\(condition)) AND \(others) ORDER BY taken, id",
            person.map { arguments + [$0] } ?? arguments)
        for row in rows {
            let reading: Int64 = row["id"]
            if let former: Int64 = row["person_id"] { try retract(reading, of: former, receivers, db) }
            // A reading that is entered in error or excluded stays retracted.
            let exclusion = Exclusion.of(row)
            guard let person, exclusion == nil || exclusion == .waiting else { continue }
            try forward(reading, of: person, receivers, db)
        }
    }

    /// Queues a stored reading for its person, or revokes its retraction.
    static func forward(
        _ reading: Int64, of person: Int64, _ receivers: [Receiver], _ db: any StoreConnection
    ) throws {
        for receiver in receivers {
            if try revokeRefusedRetraction(reading, of: person, receiver.id, db) { continue }
            try db.run(db.dialect.laneInsertion, [receiver.id, person])
            try enqueue(reading, person, receiver.id, isRetraction: false, db)
        }
    }

    /// Removes the latest retraction of a reading if it was permanently refused.
    /// - Returns: true if the receiver has not retracted the reading, which needs no message to be restored. It may
    ///   have done so at an earlier attempt, whose response was lost or an error.
    private static func revokeRefusedRetraction(
        _ reading: Int64, of person: Int64, _ receiver: Int64, _ db: any StoreConnection
    ) throws -> Bool {
        guard try state(reading, person, receiver, db) == .retracted else { return false }
        let mayBeRetracted = try db.isTrue(
            """
            SELECT 1 FROM outbox WHERE receiver_id = ? AND reading_id = ? AND person_id = ? AND parked = 1
            AND retraction = 1 AND attempts > 0 LIMIT 1
            """, [receiver, reading, person])
        guard try removeParked(reading, person, receiver, areRetractions: true, db) > 0, !mayBeRetracted
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
            // A reading that was permanently refused at the first attempt never reached the receiver. A retraction
            // refused before it stays.
            let mayHaveReading = try db.isTrue(
                """
                SELECT 1 FROM outbox WHERE receiver_id = ? AND reading_id = ? AND person_id = ? AND parked = 1
                AND retraction = 0 AND attempts > 0 LIMIT 1
                """, arguments)
            if try removeParked(reading, person, receiver.id, areRetractions: false, db) > 0, !mayHaveReading {
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

    /// Deletes the forwarding state of a person's readings for other people, except of those whose retraction is
    /// queued. The messages are read once, and only of the lanes concerned: a receiver that was unreachable for weeks
    /// has many. Both values of `parked` are listed, so that the index of the lanes is used. SQLite evaluates `NOT IN`
    /// with several columns by reading the whole list for each row, so that the rest is the result of `EXCEPT`.
    static let formerForwarding = """
        DELETE FROM forwarded WHERE \(formerlyForwarded) AND (receiver_id, reading_id, person_id) IN (
            SELECT receiver_id, reading_id, person_id FROM forwarded WHERE \(formerlyForwarded) EXCEPT
            SELECT receiver_id, reading_id, person_id FROM outbox WHERE receiver_id IN (SELECT id FROM receiver)
            AND parked IN (0, 1) AND person_id IN (SELECT person_id FROM forwarded WHERE \(formerlyForwarded))
            AND retraction = 1)
        """

    /// Selects what was forwarded for other people of the readings of a person.
    private static let formerlyForwarded = """
        receiver_id IN (SELECT id FROM receiver) AND reading_id IN (SELECT id FROM reading WHERE person_id = ?1)
        AND person_id <> ?1
        """

    /// Deletes the messages for a person. The receivers and both values of `parked` are listed, so that the index of
    /// the lanes is used.
    static let personalMessages = """
        DELETE FROM outbox WHERE receiver_id IN (SELECT id FROM receiver) AND parked IN (0, 1) AND person_id = ?
        """

    /// Deletes all forwarding data of a person.
    static func forgetForwarding(of person: Int64, _ db: any StoreConnection) throws {
        // The lane before its messages, the order in which deliveries lock them.
        try db.run("DELETE FROM lane WHERE receiver_id IN (SELECT id FROM receiver) AND person_id = ?", [person])
        try db.run(personalMessages, [person])
        try db.run("DELETE FROM forwarded WHERE person_id = ?", [person])
        // A receiver may have repeated the name of the person in its error.
        try db.run("UPDATE receiver SET last_error = NULL WHERE last_error IS NOT NULL", [])
    }
}
