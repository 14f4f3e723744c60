import CPostgres
import Foundation
import GRDB

/// An error of a PostgreSQL server, or of the connection to it.
struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// The five characters of SQLSTATE; empty if the server sent none.
    var state: String
    /// The message of the server or of libpq.
    var message: String
    /// True if the connection has ended. It is then unknown whether the server has executed the statement.
    var isLost: Bool
    /// True if the server accepts no connection with this address, such as one with a wrong password.
    var isPermanent = false

    var description: String { state.isEmpty ? message : "\(message) (\(state))" }

    /// True if the transaction was rolled back because of another one, or because the connection cannot be used for it
    /// any more, and can be repeated: serialization failure, deadlock, a changed table, or a server that was degraded
    /// to a standby.
    var isRepeatable: Bool { isConflict || ["0A000", "25006", "23514"].contains(state) }

    /// True for a serialization failure and for a deadlock. Another transaction has made progress.
    var isConflict: Bool { ["40001", "40P01"].contains(state) }
}

/// A connection to a PostgreSQL server. One thread uses it at a time.
final class PostgresConnection: StoreConnection {
    /// The maximum number of prepared statements.
    private static let bound = 500
    /// The number of rows that a cursor fetches, and of statements that a pipeline sends, at a time.
    private static let fetched = 500

    private let connection: OpaquePointer
    private var prepared: [String: String] = [:]
    private var cursors = 0
    /// The times of the partitions that are known to exist.
    var partitions: [Range<Int64>] = []
    /// True between the beginning and the end of a transaction.
    private var isInTransaction = false
    /// True after an error, after which another connection is used.
    private var hasFailed = false
    let dialect = StoreDialect.postgres

    /// Connects. Blocks the thread.
    /// - Throws: ``PostgresError`` with advice.
    init(_ address: PostgresAddress) throws {
        if let problem = harald_pq_problem() {
            throw HubProblem(.unavailable, "the store is in PostgreSQL, but \(String(cString: problem))")
        }
        let options = [
            "fallback_application_name", "harald hub", "client_encoding", "UTF8", "connect_timeout", "10",
            "keepalives_idle", "30", "keepalives_interval", "10", "keepalives_count", "3", "tcp_user_timeout", "30000",
            // libpq prefers GSSAPI to TLS otherwise.
            "gssencmode", "disable",
        ]
        let texts = options.map { strdup($0) }
        defer { for text in texts { free(text) } }
        let pointers = texts.map { UnsafePointer($0) }
        guard let connection = harald_pq_connect(address.text, pointers, CInt(options.count / 2)) else {
            throw PostgresError(state: "", message: "no memory for a connection", isLost: true)
        }
        self.connection = connection
        guard harald_pq_is_open(connection) != 0 else {
            throw address.failure(
                String(cString: harald_pq_error(connection)), needsPassword: harald_pq_needs_password(connection) != 0)
        }
        try encryption.check()
        // A commit is on the disk when it returns, even if the server's default is another.
        try execute(
            """
            SET lock_timeout = '30s'; SET idle_in_transaction_session_timeout = '60s';
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
            """)
    }

    deinit { harald_pq_close(connection) }

    var encryption: PostgresEncryption {
        func setting(_ name: String) -> String? {
            guard let value = harald_pq_setting(connection, name) else { return nil }
            defer { free(value) }
            return String(cString: value)
        }
        func text(_ value: UnsafePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "" }
        return PostgresEncryption(
            mode: setting("sslmode") ?? "prefer", hasRoot: setting("sslrootcert") != nil,
            host: text(harald_pq_host(connection)), address: text(harald_pq_network_address(connection)),
            isActive: harald_pq_is_encrypted(connection) != 0)
    }

    /// Executes statements without parameters.
    /// - Returns: the tag of the last one.
    @discardableResult
    func execute(_ sql: String) throws -> String {
        var result: OpaquePointer?
        let outcome = harald_pq_run(connection, sql, &result)
        let owned = PostgresResult(result)
        try check(outcome, owned)
        return owned.tag
    }

    @discardableResult
    func run(_ sql: String, _ arguments: StoreArguments) throws -> Int { try result(sql, arguments).changes }

    func insertion(_ sql: String) throws -> ([StoreArguments]) throws -> [Int64?] {
        let sql = sql + " RETURNING id"
        return { rows in
            try self.pipeline(sql, rows).map { result in
                result.count > 0 ? Int64.fromDatabaseValue(try result.value(0, 0)) : nil
            }
        }
    }

    func runAll(_ sql: String, _ sets: [StoreArguments]) throws { _ = try pipeline(sql, sets) }

    func lastIdentifier(of table: String) throws -> Int64? {
        try value(
            "SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence(?, 'id') AS regclass))",
            [table == "reading" ? "reading_key" : "\"\(table)\""])
    }

    func rows(_ sql: String, _ arguments: StoreArguments) throws -> [Row] {
        let result = try result(sql, arguments)
        return try (0..<result.count).map { try result.row($0) }
    }

    func row(_ sql: String, _ arguments: StoreArguments) throws -> Row? {
        let result = try result(sql, arguments)
        return result.count > 0 ? try result.row(0) : nil
    }

    func values<Value: StoreValue>(_ sql: String, _ arguments: StoreArguments) throws -> [Value] {
        let result = try result(sql, arguments)
        return try (0..<result.count).map { row in
            guard let value = Value.fromDatabaseValue(try result.value(row, 0)) else {
                throw PostgresError(state: "", message: "a column of '\(sql)' has another type", isLost: false)
            }
            return value
        }
    }

    func value<Value: StoreValue>(_ sql: String, _ arguments: StoreArguments) throws -> Value? {
        let result = try result(sql, arguments)
        return result.count > 0 ? Value.fromDatabaseValue(try result.value(0, 0)) : nil
    }

    func forEachRow(_ sql: String, _ arguments: StoreArguments, _ body: (Row) throws -> Void) throws {
        cursors += 1
        defer { cursors -= 1 }
        let name = "rows\(cursors)"
        try run("DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", arguments)
        while true {
            let result = try result("FETCH \(Self.fetched) FROM \(name)", [])
            for row in 0..<result.count { try body(result.row(row)) }
            if result.count < Self.fetched { break }
        }
        try run("CLOSE \(name)", [])
    }

    // MARK: Transactions

    /// True if the next caller can use the connection.
    var isUsable: Bool { !isInTransaction && !hasFailed }

    func begin(_ sql: String) throws {
        isInTransaction = true
        try execute(sql)
    }

    /// Ends a transaction without its changes. Does nothing on a lost connection.
    func rollBack() throws {
        // A partition that the transaction added does not exist.
        partitions = []
        guard harald_pq_is_open(connection) != 0 else { return }
        try execute("ROLLBACK")
        isInTransaction = false
    }

    /// Ends a transaction; its changes are then on the disk.
    func commit() throws {
        let tag = try execute("COMMIT")
        guard tag == "COMMIT" else {
            throw PostgresError(state: "25P02", message: "the transaction was rolled back", isLost: false)
        }
        isInTransaction = false
    }

    // MARK: Statements

    private func result(_ sql: String, _ arguments: StoreArguments) throws -> PostgresResult {
        let name = try prepare(sql)
        var result: OpaquePointer?
        let outcome = PostgresParameters([arguments]).withPointers { values, lengths, formats in
            harald_pq_execute(connection, name, CInt(arguments.values.count), values, lengths, formats, &result)
        }
        let owned = PostgresResult(result)
        try check(outcome, owned)
        return owned
    }

    /// Executes a statement with each set of arguments in one round trip.
    private func pipeline(_ sql: String, _ sets: [StoreArguments]) throws -> [PostgresResult] {
        guard sets.count > 1 else { return try sets.map { try result(sql, $0) } }
        guard sets.count <= Self.fetched else {
            return try stride(from: 0, to: sets.count, by: Self.fetched).flatMap { start in
                try pipeline(sql, Array(sets[start..<min(start + Self.fetched, sets.count)]))
            }
        }
        let name = try prepare(sql)
        var results = [OpaquePointer?](repeating: nil, count: sets.count)
        let outcome = PostgresParameters(sets).withPointers { values, lengths, formats in
            harald_pq_pipeline(
                connection, name, CInt(sets.count), CInt(sets[0].values.count), values, lengths, formats, &results)
        }
        let owned = results.map { PostgresResult($0) }
        if outcome != HARALD_PQ_DONE.rawValue {
            try check(outcome, owned.first { $0.isFailure } ?? PostgresResult(nil))
        }
        return owned
    }

    private func prepare(_ sql: String) throws -> String {
        if let name = prepared[sql] { return name }
        if prepared.count >= Self.bound {
            try execute("DEALLOCATE ALL")
            prepared = [:]
        }
        let name = "s\(prepared.count)"
        var result: OpaquePointer?
        let outcome = harald_pq_prepare(connection, name, Self.numbered(sql), &result)
        try check(outcome, PostgresResult(result))
        prepared[sql] = name
        return name
    }

    /// Replaces the marks `?` and `?1` by `$1`.
    static func numbered(_ sql: String) -> String {
        var text: [UInt8] = []
        var (count, isQuoted) = (0, false)
        let octets = Array(sql.utf8)
        for (index, octet) in octets.enumerated() {
            if octet == UInt8(ascii: "'") { isQuoted.toggle() }
            guard octet == UInt8(ascii: "?"), !isQuoted else {
                text.append(octet)
                continue
            }
            text.append(UInt8(ascii: "$"))
            let hasNumber =
                index + 1 < octets.count && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octets[index + 1])
            if !hasNumber {
                count += 1
                text += String(count).utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func check(_ outcome: CInt, _ result: PostgresResult) throws {
        guard outcome != HARALD_PQ_DONE.rawValue else { return }
        hasFailed = true
        let (state, message) = result.failure
        let text = message.isEmpty ? String(cString: harald_pq_error(connection)) : message
        // The server ends all connections when it is stopped (57P01 to 57P03), or this one (08 and 57P05).
        let isLost =
            outcome == HARALD_PQ_LOST.rawValue || state.hasPrefix("08") || state.hasPrefix("57P")
            || harald_pq_is_open(connection) == 0
        throw PostgresError(
            state: state, message: text.trimmingCharacters(in: .whitespacesAndNewlines), isLost: isLost)
    }
}
