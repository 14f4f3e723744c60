import Foundation
import GRDB
import Logging

/// The store of the hub: people, devices, gateways, tokens and readings, in a SQLite file or in a PostgreSQL database.
/// Its functions also throw the errors of the database. `who` is the actor for the audit log.
package final class HubStore: Sendable {
    package static let logger = Logger(label: "harald.hub")

    let database: any StoreDatabase
    let states = StateCache()
    let accessLog = AccessLog()
    /// Runs one check at a time, because clients without a login can request checks.
    private let checks = DispatchQueue(label: "harald.hub.check")
    /// The rules by which readings are judged.
    package let assessor: Assessor

    /// True if several hubs can use the store at the same time.
    package var isShared: Bool { !(database is SQLiteDatabase) }

    /// The risk of the connections to the database's server, for the operator of the hub; nil if there is none.
    package var warning: String? { (database as? PostgresDatabase)?.warning }

    /// Opens or creates a store in a file.
    /// - Throws: ``HubProblem`` for a file that is not a store or is damaged, and for a store of a later version;
    ///   `DatabaseError` for a file that is not writable.
    package init(path: String, assessor: Assessor) throws {
        self.assessor = assessor
        do {
            database = try SQLiteDatabase(path: path)
        } catch let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode) {
            throw HubProblem(
                .unavailable,
                "\(path) is not a store, or is damaged (\(error.message ?? "\(error.resultCode)")); "
                    + "'harald hub restore' replaces it by a backup")
        }
    }

    /// Opens a store in PostgreSQL, and creates its tables if there are none. Blocks the thread.
    /// - Parameter patience: the time for which to wait for a server that does not accept connections now.
    /// - Throws: ``HubProblem`` with advice.
    package init(_ address: PostgresAddress, assessor: Assessor, patience: Duration = .zero) throws {
        (database, self.assessor) = (try PostgresDatabase(address, patience: patience), assessor)
    }

    /// Gives a random identity to a new store.
    static func addIdentity(_ db: any StoreConnection) throws {
        try db.run("INSERT INTO hub(number, identity) VALUES (1, ?)", [Person.newIdentity()])
    }

    /// Runs `body`, which uses the store, and blocks no thread of Swift's pool while a server answers.
    /// - Throws: the error of `body`.
    package func perform<Value: Sendable>(
        _ body: @escaping @Sendable (HubStore) throws -> Value
    ) async throws -> Value {
        try await database.perform { try body(self) }
    }

    /// Checks that the store responds. Blocks no thread of Swift's pool.
    package func check() async throws {
        try await withCheckedThrowingContinuation { continuation in
            checks.async { continuation.resume(with: Result { try self.database.check() }) }
        }
    }

    /// Writes a copy of the store while it is in use.
    /// - Throws: `DatabaseError`; ``HubProblem`` if the file exists or cannot be created.
    package func backup(to path: String) throws {
        guard let sqlite = database as? SQLiteDatabase else {
            throw HubProblem(.invalid, "a store in PostgreSQL is backed up by the server's tools, such as pg_dump")
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw HubProblem(.conflict, "\(path) already exists; choose a new file")
        }
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw HubProblem(.unavailable, "cannot create \(path); is its directory writable?")
        }
        do {
            let copy = try DatabaseQueue(path: path)
            try sqlite.pool.backup(to: copy)
            try copy.inOneFile()
            try copy.close()
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            guard (error as? DatabaseError)?.resultCode == .SQLITE_FULL else { throw error }
            throw HubProblem(.full, "the disk is full; \(path) was not written")
        }
    }

    /// Closes the store. All commits are then in the file, unless another program reads it at the same time.
    package func close() throws { try database.close() }
}

/// The error for a request that the hub cannot fulfil.
package struct HubProblem: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable, Codable { case invalid, tooLarge, notFound, conflict, unavailable, full, busy }
    package var code: Code
    /// The reason, with advice.
    package var text: HubText
    package var description: String { text.description }

    package init(_ code: Code, _ text: HubText) { (self.code, self.text) = (code, text) }
    /// Creates a problem with a reason that is known when the program runs. It is generic, because a literal would be
    /// a `String`, whose arguments cannot be translated.
    @_disfavoredOverload
    package init(_ code: Code, _ text: some StringProtocol) { self.init(code, HubText(String(text))) }
}

extension HubProblem {
    package static func noPerson(_ id: some CustomStringConvertible) -> HubProblem {
        HubProblem(.notFound, "there is no person \(id.description); 'harald hub person list' lists the people")
    }

    /// The problem of a store that a version before the first release has written.
    static func developmentStore(_ store: String) -> HubProblem {
        HubProblem(
            .unavailable,
            "\(store) was written by a development version before 0.9.0, whose tables differ; export its readings with "
                + "that version, and begin a new store")
    }

    /// The problem of a store with migrations that this version does not know.
    static func newerStore(_ path: String) -> HubProblem {
        HubProblem(.unavailable, "\(path) was written by a newer version of harald; update harald")
    }

    /// Converts an error of the store: a full disk, or a file that cannot be used.
    package init(_ error: any Error) {
        if let problem = error as? HubProblem {
            self = problem
        } else if let error = error as? DatabaseError, error.resultCode == .SQLITE_FULL {
            self.init(.full, "the disk is full; nothing was changed")
        } else if let error = error as? PostgresError, error.state == "53100" {
            self.init(.full, "the disk of the database server is full; nothing was changed")
        } else {
            self.init(.unavailable, "the store is not available: \(error)")
        }
    }
}
