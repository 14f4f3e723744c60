import Foundation
import GRDB

/// The retraction of readings that a gateway sent as Observations.
///
/// The table `observation` has the identifiers of the Observations of each reading, as digests, by gateway. A hub that
/// assigns a reading to another person sends it again, with another identifier, and marks the former Observation as
/// entered in error, in any order. A reading is retracted while the gateway that sent it first has marked one of its
/// Observations, and no gateway has one that is not marked. Then `reading.retracted` is 1, and its values for
/// statistics are NULL.
///
/// `observation.retracted` is an ``ObservationState``. The row of a further identifier names the reading, and is no
/// Observation of its own.
extension HubStore {
    /// The state of an identifier of an Observation. Raw values are stored.
    private enum ObservationState: Int64 {
        case valid = 0
        /// The Observation is marked as entered in error.
        case retracted = 1
        /// An identifier beside that of the Observation.
        case further = 2
    }

    /// The result of marking an Observation as entered in error.
    enum ObservationRetraction {
        case marked(ReadingRetraction)
        /// The store does not have the Observation.
        case unknown
        /// Another gateway sent the Observation.
        case foreign
        /// Several readings have the identifier.
        case ambiguous
    }

    /// The state of a reading after a change of its Observations.
    struct ReadingRetraction {
        var isRetracted = false
        /// True if it was not retracted before, or the reverse.
        var hasChanged = false
        /// The person to whom the reading belongs; nil if unassigned.
        var person: Int64?
    }

    /// Marks an Observation of a gateway as entered in error, and retracts its reading if no other Observation has it.
    /// - Parameter identifier: the identifier of the Observation, as in ``SubmittedReading/identifier``.
    static func retractObservation(
        _ identifier: String, of gateway: String, _ db: any StoreConnection
    ) throws -> ObservationRetraction {
        // Another transaction may add an Observation of the same reading.
        if let lock = db.dialect.storeLock { try db.run(lock, []) }
        let digest = digest(ofObservation: identifier)
        let sender = try gatewayID(gateway, db)
        let observed = try observed(digest, from: sender, db)
        let readings = observed.readings
        if readings.isEmpty {
            let isKnown = try db.isTrue("SELECT EXISTS(SELECT 1 FROM observation WHERE digest = ?)", [digest])
            return isKnown ? .foreign : .unknown
        }
        guard let sender, let reading = readings.first, readings.count == 1 else { return .ambiguous }
        if observed.isFurther {
            try changeObservations(of: reading, from: sender, .valid, to: .retracted, db)
        } else {
            try setObservation(digest, of: reading, from: sender, .retracted, db)
        }
        return .marked(try applyObservations(of: reading, db))
    }

    /// Records that a gateway sent a reading as an Observation. An Observation that is entered in error stays so,
    /// unless it is updated.
    /// - Parameters:
    ///   - identifier: the identifier of the Observation that names the reading.
    ///   - further: its other identifiers.
    ///   - isNew: true if the reading was stored in this transaction.
    /// - Returns: true if the reading was retracted before, and is not any more.
    static func noteObservation(
        _ identifier: String, further: [String] = [], of reading: Int64, from gateway: Int64, isNew: Bool,
        isUpdate: Bool, _ db: any StoreConnection
    ) throws -> Bool {
        let digest = digest(ofObservation: identifier)
        for other in further {
            try db.run(
                """
                INSERT INTO observation(reading_id, gateway_id, digest, retracted) VALUES (?, ?, ?, ?)
                ON CONFLICT(reading_id, gateway_id, digest) DO NOTHING
                """, [reading, gateway, Self.digest(ofObservation: other), ObservationState.further.rawValue])
        }
        if isNew {
            try setObservation(digest, of: reading, from: gateway, .valid, db)
            return false
        }
        let stored: Int64? = try db.value(
            "SELECT retracted FROM observation WHERE reading_id = ? AND gateway_id = ? AND digest = ?",
            [reading, gateway, digest])
        let state = stored.flatMap(ObservationState.init(rawValue:))
        if state == .valid || state != nil && !isUpdate { return false }
        // Another transaction may retract another Observation of the same reading.
        if let lock = db.dialect.storeLock { try db.run(lock, []) }
        if state == .further {
            try changeObservations(of: reading, from: gateway, .retracted, to: .valid, db)
        } else {
            try setObservation(digest, of: reading, from: gateway, .valid, db)
        }
        return try applyObservations(of: reading, db).hasChanged
    }

    /// Returns true for a gateway that has sent the reading, or Observations of it. Another one that names this hub
    /// among those that its Observation has passed only sends back what it has from this hub.
    static func isSender(_ gateway: Int64, of reading: Int64, _ db: any StoreConnection) throws -> Bool {
        try db.isTrue(
            """
            SELECT EXISTS(SELECT 1 FROM reading WHERE id = ? AND gateway_id = ?)
            OR EXISTS(SELECT 1 FROM observation WHERE reading_id = ? AND gateway_id = ?)
            """, [reading, gateway, reading, gateway])
    }

    /// Records the hubs that a new reading has passed. Its Observations name them, so that none of them takes the
    /// reading for that of another sender.
    static func noteHubs(_ hubs: [String], of reading: Int64, _ db: any StoreConnection) throws {
        guard !hubs.isEmpty else { return }
        try db.run("UPDATE reading SET hubs = ? WHERE id = ?", [hubs.joined(separator: " "), reading])
    }

    /// Returns the keys of the readings that a gateway sent as Observations with an identifier, also a further one.
    static func readings(
        ofObservation identifier: String, from gateway: String, _ db: any StoreConnection
    ) throws -> [Data] {
        let sender = try gatewayID(gateway, db)
        return try observed(digest(ofObservation: identifier), from: sender, db).readings.compactMap { reading in
            // A detached partition does not have the reading.
            try db.value(
                """
                SELECT key FROM reading WHERE id = coalesce(
                    (SELECT original_id FROM duplicate WHERE reading_id = ?1), ?1)
                """, [reading]) as Data?
        }
    }

    /// Returns the readings that a gateway sent with an identifier; those that have it as a further one only if no
    /// other has it.
    private static func observed(
        _ digest: Data, from gateway: Int64?, _ db: any StoreConnection
    ) throws -> (readings: [Int64], isFurther: Bool) {
        func readings(_ comparison: String) throws -> [Int64] {
            try db.values(
                "SELECT reading_id FROM observation WHERE digest = ? AND gateway_id = ? AND retracted \(comparison) ?",
                [digest, gateway, ObservationState.further.rawValue])
        }
        let own = try readings("<>")
        guard own.isEmpty else { return (own, false) }
        let others = try readings("=")
        return (others, !others.isEmpty)
    }

    /// Changes the Observations of a reading that a gateway sent from one state to another.
    private static func changeObservations(
        of reading: Int64, from gateway: Int64, _ state: ObservationState, to other: ObservationState,
        _ db: any StoreConnection
    ) throws {
        try db.run(
            "UPDATE observation SET retracted = ? WHERE reading_id = ? AND gateway_id = ? AND retracted = ?",
            [other.rawValue, reading, gateway, state.rawValue])
    }

    private static func digest(ofObservation identifier: String) -> Data { Data(sha256(identifier).prefix(16)) }

    /// Returns the identifier of the gateway with a name; nil if it has sent nothing.
    static func gatewayID(_ name: String, _ db: any StoreConnection) throws -> Int64? {
        try db.value("SELECT id FROM gateway WHERE name = ?", [name])
    }

    private static func setObservation(
        _ digest: Data, of reading: Int64, from gateway: Int64, _ state: ObservationState,
        _ db: any StoreConnection
    ) throws {
        try db.run(
            """
            INSERT INTO observation(reading_id, gateway_id, digest, retracted) VALUES (?, ?, ?, ?)
            ON CONFLICT(reading_id, gateway_id, digest) DO UPDATE SET retracted = excluded.retracted
            """, [reading, gateway, digest, state.rawValue])
    }

    /// Retracts a reading, or restores it, after a change of its Observations.
    private static func applyObservations(
        of reading: Int64, _ db: any StoreConnection
    ) throws -> ReadingRetraction {
        let retraction = try updateRetraction(of: reading, db)
        if retraction.hasChanged, let person = retraction.person { try compareWaiting(of: person, db) }
        return retraction
    }

    /// Retracts a reading, or restores it, according to its Observations, and queues the messages for receivers.
    static func updateRetraction(of reading: Int64, _ db: any StoreConnection) throws -> ReadingRetraction {
        let row = try db.row(
            "SELECT person_id, gateway_id, retracted FROM reading WHERE id = ?", [reading])
        guard let row else { return ReadingRetraction() }
        let (person, gateway): (Int64?, Int64?) = (row["person_id"], row["gateway_id"])
        let exclusion = Exclusion.of(row)
        // The decision of a person stays.
        guard exclusion == nil || exclusion == .enteredInError else { return ReadingRetraction(person: person) }
        let counts = try db.isTrue(
            "SELECT EXISTS(SELECT 1 FROM observation WHERE reading_id = ? AND retracted = 0)", [reading])
        let isMarked = try db.isTrue(
            "SELECT EXISTS(SELECT 1 FROM observation WHERE reading_id = ? AND gateway_id = ? AND retracted = 1)",
            [reading, gateway])
        let isRetracted = isMarked && !counts
        let state = ReadingRetraction(
            isRetracted: isRetracted, hasChanged: isRetracted != (exclusion != nil), person: person)
        guard state.hasChanged else { return state }
        try mark(reading, isRetracted ? .enteredInError : nil, db)
        if let person {
            let receivers = try receivers(db)
            if isRetracted {
                try retract(reading, of: person, receivers, db)
            } else {
                try forward(reading, of: person, receivers, db)
            }
        }
        return state
    }
}
