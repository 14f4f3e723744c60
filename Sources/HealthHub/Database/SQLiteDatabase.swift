import Foundation
import GRDB
import Synchronization

extension Database: StoreConnection {
    var dialect: StoreDialect { .sqlite }

    func run(_ sql: String, _ arguments: StoreArguments) throws -> Int {
        try cachedStatement(sql: sql).binding(arguments, in: self).execute()
        return changesCount
    }

    func insertion(_ sql: String) throws -> ([StoreArguments]) throws -> [Int64?] {
        let statement = try cachedStatement(sql: sql)
        return { rows in
            try rows.map { arguments in
                try statement.execute(binding: arguments, in: self)
                return self.changesCount > 0 ? self.lastInsertedRowID : nil
            }
        }
    }

    func runAll(_ sql: String, _ sets: [StoreArguments]) throws {
        let statement = try cachedStatement(sql: sql)
        for arguments in sets { try statement.execute(binding: arguments, in: self) }
    }

    func lastIdentifier(of table: String) throws -> Int64? {
        try value("SELECT seq FROM sqlite_sequence WHERE name = ?", [table])
    }

    func prepareForReading(at time: Date) {}

    func rows(_ sql: String, _ arguments: StoreArguments) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql).binding(arguments, in: self))
    }

    func row(_ sql: String, _ arguments: StoreArguments) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql).binding(arguments, in: self))
    }

    func values<Value: StoreValue>(_ sql: String, _ arguments: StoreArguments) throws -> [Value] {
        try Value.fetchAll(cachedStatement(sql: sql).binding(arguments, in: self))
    }

    func value<Value: StoreValue>(_ sql: String, _ arguments: StoreArguments) throws -> Value? {
        try Value.fetchOne(cachedStatement(sql: sql).binding(arguments, in: self))
    }

    func forEachRow(_ sql: String, _ arguments: StoreArguments, _ body: (Row) throws -> Void) throws {
        let rows = try Row.fetchCursor(self, sql: sql, arguments: StatementArguments(arguments.values))
        while let row = try rows.next() { try body(row) }
    }
}

/// A store in a SQLite file. Every commit is durable (`synchronous=FULL`). Only the process that holds ``StoreLock``
/// writes and checkpoints.
struct SQLiteDatabase: StoreDatabase {
    /// The length of the log, in pages, after which a commit copies them to the file. The keys of readings are spread
    /// over their index, so that a longer log has more versions of the same pages, of which only the last is copied.
    private static let checkpointPages = 4000

    /// The maximum number of connections that read.
    static let readerCount = 4

    let pool: DatabasePool
    private let files: StoreFiles
    private let commits = CommitCount()
    let threads = OperationQueue(threads: 2 * readerCount, name: "harald.hub.sqlite")
    /// Waits for the one writer, so that reads have the other threads.
    private let writer = OperationQueue(threads: 1, name: "harald.hub.sqlite.writer")

    /// Opens or creates the file, and migrates it.
    /// - Throws: `DatabaseError` for a file that is not a store or is not writable; ``HubProblem`` for a store of a
    ///   later version, or of a development version before 0.9.0.
    init(path: String) throws {
        try Self.createFile(path)
        var configuration = Configuration()
        configuration.maximumReaderCount = Self.readerCount
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            // Overwrites deleted data with zeros.
            try db.execute(sql: "PRAGMA secure_delete = ON")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        // GRDB sets NORMAL in WAL mode, which can lose the last commits in a power failure.
        let mode = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = \(Self.checkpointPages)")
            return try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
        guard mode == 2 else { throw HubProblem(.unavailable, "SQLite does not accept synchronous=FULL") }
        try pool.read { try StoreSchema.check($0, path) }
        try StoreSchema.migrator.migrate(pool)
        files = StoreFiles(path: path)
        pool.add(transactionObserver: commits, extent: .databaseLifetime)
    }

    /// Creates the file if it is missing: private, because it contains names and readings of people. SQLite gives its
    /// log the mode of the file.
    /// - Throws: ``HubProblem`` if the directory is not writable.
    static func createFile(_ path: String) throws {
        let files = FileManager.default
        guard
            files.fileExists(atPath: path)
                || files.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw HubProblem(.unavailable, "cannot create \(path); is its directory writable?") }
    }

    func read<Value>(_ body: (any StoreConnection) throws -> Value) throws -> Value { try pool.read { try body($0) } }

    func lookUp<Value>(_ body: (any StoreConnection) throws -> Value) throws -> Value { try read(body) }

    func write<Value>(_ change: StoreChange, _ body: (any StoreConnection) throws -> Value) throws -> Value {
        let result = Result {
            try pool.write { db in
                try files.check()
                return try body(db)
            }
        }
        try files.check()
        return try result.get()
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws -> Value
    ) async throws -> Value {
        try await perform { try self.read(body) }
    }

    // GRDB's asynchronous `write` fails in a cancelled task, and a message that a receiver has accepted while the hub
    // stops would be sent again.
    func write<Value: Sendable>(
        _ change: StoreChange, _ body: @escaping @Sendable (any StoreConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            writer.addOperation { continuation.resume(with: Result { try write(change, body) }) }
        }
    }

    func check() throws {
        try files.check()
        _ = try pool.read { try Int.fetchOne($0, sql: "SELECT 1") }
    }

    func version() async -> String { commits.text }

    func close() throws {
        // GRDB keeps the write-ahead log. A copy of the file alone would lack the commits that are only in the log.
        do {
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        } catch {
            HubStore.logger.warning(
                "the store's file lacks the latest changes; copy it only with its log",
                metadata: ["file": "\(pool.path)", "log": "\(pool.path)-wal", "error": "\(error)"])
        }
        try pool.close()
    }

    /// Rewrites the file and its log. Deleted rows were overwritten before.
    func erase() throws {
        try files.whileShrinking {
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                _ = try db.checkpoint(.truncate)
            }
        }
    }
}

extension DatabaseQueue {
    /// Leaves the write-ahead mode, so that the database is one file, which can be read where nothing can be written.
    func inOneFile() throws {
        try writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    }
}

/// Counts the commits of this process, which is the only one that writes.
private final class CommitCount: TransactionObserver, Sendable {
    private let count = Atomic<UInt64>(0)

    var text: String { String(count.load(ordering: .sequentiallyConsistent)) }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { count.add(1, ordering: .sequentiallyConsistent) }
    func databaseDidRollback(_ db: Database) {}
}
