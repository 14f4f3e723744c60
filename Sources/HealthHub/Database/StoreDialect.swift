/// The SQL that differs between SQLite and PostgreSQL.
enum StoreDialect: Sendable {
    case sqlite, postgres

    /// Locks selected rows until the end of the transaction.
    var rowLock: String { self == .sqlite ? "" : "FOR UPDATE" }

    /// Locks selected rows, and omits those that another transaction has locked.
    var freeRows: String { self == .sqlite ? "" : "FOR UPDATE SKIP LOCKED" }

    /// Excludes other transactions that add devices; they may add the same one. Nil if there is one writer.
    var deviceLock: String? { self == .sqlite ? nil : "SELECT pg_advisory_xact_lock(\(PostgresLock.devices.rawValue))" }

    /// Excludes all other transactions that write, in one that writes readings. If two transactions do this at the same
    /// time, one is repeated. Nil if there is one writer.
    var storeLock: String? { self == .sqlite ? nil : "SELECT pg_advisory_xact_lock(\(PostgresLock.store.rawValue))" }

    /// Adds a lane, or locks it, so that it is not removed before the transaction with its new message ends.
    var laneInsertion: String {
        "INSERT INTO lane(receiver_id, person_id) VALUES (?, ?) ON CONFLICT(receiver_id, person_id) DO "
            + (self == .sqlite ? "NOTHING" : "UPDATE SET attempts = lane.attempts")
    }

    // MARK: Readings

    /// Inserts a reading with `key`, `person_id`, `device_id`, `gateway_id` and the columns of a record, unless its key
    /// is known. In PostgreSQL the keys are in a table of their own: no index spans the partitions of `reading`.
    var readingInsertion: String {
        let columns = "key, person_id, device_id, gateway_id, \(PreparedReading.Record.columnNames)"
        guard self == .postgres else {
            let marks = Array(repeating: "?", count: 21).joined(separator: ", ")
            return "INSERT INTO reading(\(columns)) VALUES (\(marks)) ON CONFLICT(key) DO NOTHING"
        }
        let types = [
            "bytea", "bigint", "bigint", "bigint", "bigint", "bigint", "text", "bigint", "bigint", "text",
            "double precision", "bigint", "bytea", "text", "double precision", "double precision", "double precision",
            "bigint", "bigint", "bigint", "text",
        ]
        let values = types.enumerated().map { "CAST(?\($0 + 1) AS \($1))" }.joined(separator: ", ")
        return """
            WITH new AS (INSERT INTO reading_key(key, taken) VALUES (CAST(?1 AS bytea), CAST(?8 AS bigint))
            ON CONFLICT(key) DO NOTHING RETURNING id)
            INSERT INTO reading(id, \(columns)) SELECT new.id, \(values) FROM new
            """
    }

    /// Selects identifier, person, device, times, measurement and retraction of the reading with a key. Of a reading in
    /// a detached partition, only the identifier is known.
    var readingByKey: String {
        self == .sqlite
            ? """
            SELECT id, person_id, device_id, arrived, received, taken, characteristic, raw, fields, sequence, retracted
            FROM reading WHERE key = ?
            """
            : """
            SELECT reading_key.id, person_id, device_id, arrived, received, reading.taken AS taken, characteristic, raw,
            fields, sequence, retracted FROM reading_key LEFT JOIN reading
            ON reading.id = reading_key.id AND reading.taken = reading_key.taken WHERE reading_key.key = ?
            """
    }

    /// Removes the keys of a person's readings; nil if they are a column of the readings.
    var keyDeletion: String? {
        self == .sqlite
            ? nil : "DELETE FROM reading_key WHERE key IN (SELECT key FROM reading WHERE person_id = ?)"
    }
}
