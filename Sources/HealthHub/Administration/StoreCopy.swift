import BluetoothModel
import Crypto
import Foundation
import GRDB

/// The content of a store in numbers.
package struct StoreDigest: Sendable, Equatable, Encodable {
    package var people = 0
    package var devices = 0
    package var readings = 0
    /// The SHA-256 digest of all rows, in hexadecimal.
    package var hash = ""
}

/// Copies a store into a PostgreSQL database. A repeated copy continues after the last row of an interrupted one.
package struct StoreCopy {
    /// A table with the columns that are copied.
    struct Table {
        let name: String
        let columns: [String]
        /// The columns of the primary key.
        let key: [String]
        /// True for a table whose rows are appended in the order of the primary key; other tables are replaced as a
        /// whole.
        var isLarge = false

        /// The quoted name: `user` is a reserved word of SQL.
        var quoted: String { "\"\(name)\"" }
        var list: String { columns.joined(separator: ", ") }
    }

    /// The tables; a table follows those that it references. Leases end with the copy, so their columns are not copied.
    static let tables = [
        Table("hub", "number identity"),
        Table("person", "id name born guideline setting pregnant created settings identity"),
        Table(
            "device",
            """
            id serial system_id address identifier model name alias last_contact merged_into relatives \
            digest seed
            """),
        Table("gateway", "id name last_contact"),
        Table("assignment", "device_id user_index person_id", key: 2),
        Table("gateway_person", "gateway_id person_id", key: 2),
        Table("gateway_device", "gateway_id device_id user_index", key: 3),
        Table("token", "id name role hash created scope"),
        Table("user", "id name role hash created scope"),
        Table("receiver", "id name kind url secret options created last_error"),
        Table("note", "id person_id time who text"),
        Table("acknowledgement", "person_id code measured who time", key: 3),
        Table("notifier", "id name kind url secret options created last_sent last_error test"),
        Table("notified", "notifier_id person_id alert first last count", key: 3),
        Table("lane", "receiver_id person_id attempts next_attempt", key: 2),
        Table("departed", "receiver_id person_id", key: 2),
        Table(
            "reading",
            """
            id key person_id device_id gateway_id kind user_index characteristic taken arrived device_time \
            clock_offset sequence raw fields v1 v2 v3 unit simulated received sent_id retracted hubs
            """, isLarge: true),
        Table("observation", "reading_id gateway_id digest retracted", key: 3, isLarge: true),
        Table("decision", "reading_id state reason who time", isLarge: true),
        Table("duplicate", "reading_id original_id", isLarge: true),
        Table("forgotten", "key", isLarge: true),
        Table("audit", "id time who action", isLarge: true),
        Table("access", "hour who person_id", key: 3, isLarge: true),
        Table(
            "outbox", "id receiver_id person_id reading_id retraction message_id created parked attempts",
            isLarge: true),
        Table("forwarded", "receiver_id reading_id person_id state observation", key: 3, isLarge: true),
    ]

    /// The maximum number of rows in one transaction.
    private static let portion = 2000

    private let source: HubStore
    private let target: PostgresDatabase

    /// Prepares a copy.
    /// - Parameter address: the address of a database that is empty or has an interrupted copy.
    package init(from source: HubStore, to address: PostgresAddress) throws {
        (self.source, target) = (source, try PostgresDatabase(address, isCopying: true))
    }

    /// Copies the store, and compares source and target. Blocks the thread.
    /// - Parameter onProgress: called with the number of copied readings.
    /// - Returns: the digests of the source and of the target, which are equal.
    /// - Throws: ``HubProblem`` if the target has other content.
    package func run(
        onProgress: (Int) throws -> Void = { _ in }
    ) throws -> (source: StoreDigest, target: StoreDigest) {
        defer { target.close() }
        let isOwn = try target.write(.administration) { db in
            if try db.isTrue("SELECT EXISTS(SELECT 1 FROM copying)") { return true }
            // A database that has only been opened has entries and an identity.
            let tables = Self.tables.filter { !["audit", "hub"].contains($0.name) }
            guard try !tables.contains(where: { try db.isTrue("SELECT EXISTS(SELECT 1 FROM \($0.quoted))") }) else {
                return false
            }
            try db.run("INSERT INTO copying(begun) VALUES (?)", [HubStore.now])
            return true
        }
        return try source.database.read { db in
            if isOwn {
                try replaceSmallTables(db)
                for table in Self.tables where table.isLarge { try append(table, db, onProgress) }
                try setSequences(db)
            }
            let digests = (try Self.digest(db), try target.read { try Self.digest($0) })
            guard digests.0 == digests.1 else {
                throw HubProblem(
                    .conflict,
                    isOwn
                        ? "the copy differs from the store, which was changed meanwhile; copy into an empty database"
                        : "the database is not empty; copy into an empty one")
            }
            if isOwn { try target.write(.administration) { _ = try $0.run("DELETE FROM copying", []) } }
            return digests
        }
    }

    private func replaceSmallTables(_ db: any StoreConnection) throws {
        let tables = Self.tables.filter { !$0.isLarge }
        let rows = try tables.map { table in
            try db.rows("SELECT \(table.list) FROM \(table.quoted)").map { Self.arguments($0, table) }
        }
        try target.write(.administration) { target in
            for table in tables.reversed() { try target.run("DELETE FROM \(table.quoted)", []) }
            for (table, rows) in zip(tables, rows) { try target.runAll(table.insertion, rows) }
        }
    }

    /// Appends the rows after the last one of an interrupted copy.
    private func append(_ table: Table, _ db: any StoreConnection, _ onProgress: (Int) throws -> Void) throws {
        var condition = ""
        var arguments: StoreArguments = []
        let order = table.key.joined(separator: ", ")
        let last = try target.read { target in
            try target.row("SELECT \(order) FROM \(table.quoted) ORDER BY \(table.reversedOrder) LIMIT 1", [])
        }
        if let last {
            let marks = Array(repeating: "?", count: table.key.count).joined(separator: ", ")
            condition = "WHERE (\(order)) > (\(marks))"
            arguments = StoreArguments(table.key.map { last[$0] as DatabaseValue })
        }
        var (portion, count): ([StoreArguments], Int) = ([], 0)
        func flush() throws {
            let rows = portion
            try target.write(.rows) { target in
                if table.name == "reading" {
                    for row in rows {
                        guard let taken = Int64.fromDatabaseValue(row.values[8]) else { continue }
                        try target.prepareForReading(at: Date(seconds: taken))
                    }
                }
                try target.runAll(table.insertion, rows)
            }
            count += portion.count
            if table.name == "reading" { try onProgress(count) }
            portion = []
        }
        try db.forEachRow(
            "SELECT \(table.list) FROM \(table.quoted) \(condition) ORDER BY \(order)", arguments
        ) { row in
            portion.append(Self.arguments(row, table))
            if portion.count == Self.portion { try flush() }
        }
        if !portion.isEmpty { try flush() }
    }

    /// Sets the sequences of PostgreSQL to the last identifiers of the source, so that no identifier of a deleted row
    /// is reused.
    private func setSequences(_ db: any StoreConnection) throws {
        for table in Self.tables where table.columns.first == "id" {
            guard let last = try db.lastIdentifier(of: table.name), last > 0 else { continue }
            try target.write(.administration) { target in
                _ =
                    try target.value(
                        "SELECT setval(pg_get_serial_sequence(?, 'id'), ?)",
                        [table.name == "reading" ? "reading_key" : table.quoted, last]) as Int64?
            }
        }
    }

    private static func arguments(_ row: Row, _ table: Table) -> StoreArguments {
        StoreArguments(table.columns.map { row[$0] as DatabaseValue })
    }

    /// Returns the numbers of rows and the digest of a store.
    static func digest(_ db: any StoreConnection) throws -> StoreDigest {
        var (digest, hash) = (StoreDigest(), SHA256())
        for table in tables {
            hash.update(data: Data("\(table.name)\n".utf8))
            var count = 0
            let order = table.key.joined(separator: ", ")
            try db.forEachRow("SELECT \(table.list) FROM \(table.quoted) ORDER BY \(order)", []) { row in
                var octets: [UInt8] = []
                for column in table.columns { append(row[column] as DatabaseValue, to: &octets) }
                hash.update(data: octets)
                count += 1
            }
            switch table.name {
            case "person": digest.people = count
            case "device": digest.devices = count
            case "reading": digest.readings = count
            default: break
            }
        }
        digest.hash = hash.finalize().hexText().lowercased()
        return digest
    }

    /// Appends the type, the length (most significant octet first) and the octets of a value.
    private static func append(_ value: DatabaseValue, to octets: inout [UInt8]) {
        func append(_ type: UInt8, _ content: some Sequence<UInt8>) {
            let content = Array(content)
            octets.append(type)
            withUnsafeBytes(of: UInt32(content.count).bigEndian) { octets += $0 }
            octets += content
        }
        switch value.storage {
        case .null: append(0, [])
        case .int64(let number): withUnsafeBytes(of: number.bigEndian) { append(1, $0) }
        case .double(let number): withUnsafeBytes(of: number.bitPattern.bigEndian) { append(2, $0) }
        case .string(let text): append(3, PostgresParameters.text(text).utf8)
        case .blob(let data): append(4, data)
        }
    }
}

extension StoreCopy.Table {
    /// Creates a table from the names of its columns, separated by spaces.
    /// - Parameter key: the number of columns of the primary key, which come first.
    init(_ name: String, _ columns: String, key: Int = 1, isLarge: Bool = false) {
        let columns = columns.split(separator: " ").map(String.init)
        self.init(name: name, columns: columns, key: Array(columns.prefix(key)), isLarge: isLarge)
    }

    var reversedOrder: String { key.map { $0 + " DESC" }.joined(separator: ", ") }

    /// The SQL statement that inserts a row into PostgreSQL.
    var insertion: String {
        guard name == "reading" else {
            let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
            return "INSERT INTO \(quoted)(\(list)) VALUES (\(marks))"
        }
        // PostgreSQL also has the keys in the table `reading_key`.
        let marks = (1...columns.count).map { "?\($0)" }.joined(separator: ", ")
        return """
            WITH key AS (INSERT INTO reading_key(id, key, taken)
            VALUES (CAST(?1 AS bigint), CAST(?2 AS bytea), CAST(?9 AS bigint)))
            INSERT INTO reading(\(list)) VALUES (\(marks))
            """
    }
}
