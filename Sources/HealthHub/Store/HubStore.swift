#if Programs
import Foundation
import GRDB

/// The store of the hub: people, devices, gateways, tokens and readings in one SQLite file.
///
/// Every commit is durable (`synchronous=FULL`). Only the process that holds ``StoreLock`` writes and checkpoints.
package final class HubStore: Sendable {
    let pool: DatabasePool
    let states = StateCache()
    let tokenCache = TokenCache()
    /// The rules by which readings are judged.
    package let assessor: Assessor

    /// Opens or creates a store.
    /// - Throws: `DatabaseError` for a file that is not a store or is not writable; ``HubProblem`` for a store of a
    ///   later version.
    package init(path: String, assessor: Assessor) throws {
        // Private, because the file contains names and readings of people. SQLite gives its log the mode of the file.
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw HubProblem(.unavailable, "cannot create \(path); is its directory writable?") }
        }
        var configuration = Configuration()
        configuration.maximumReaderCount = 4
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            // Overwrites deleted data with zeros.
            try db.execute(sql: "PRAGMA secure_delete = ON")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        self.assessor = assessor
        // GRDB sets NORMAL in WAL mode, which can lose the last commits in a power failure.
        let mode = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            return try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
        guard mode == 2 else { throw HubProblem(.unavailable, "SQLite does not accept synchronous=FULL") }
        let migrator = Schema.migrator
        if try pool.read(migrator.hasBeenSuperseded) {
            throw HubProblem(.unavailable, "\(path) was written by a newer version of harald; update harald")
        }
        try migrator.migrate(pool)
        pool.add(transactionObserver: states, extent: .databaseLifetime)
        pool.add(transactionObserver: tokenCache, extent: .databaseLifetime)
    }

    /// Writes a copy of the store while it is in use.
    /// - Throws: `DatabaseError`; ``HubProblem`` if the file exists or cannot be created.
    package func backup(to path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw HubProblem(.conflict, "\(path) already exists; choose a new file")
        }
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw HubProblem(.unavailable, "cannot create \(path); is its directory writable?")
        }
        let copy = try DatabaseQueue(path: path)
        try pool.backup(to: copy)
        try copy.close()
    }

    /// Closes the store; all commits are then in the file.
    /// - Throws: `DatabaseError`.
    package func close() throws { try pool.close() }
}

/// The error for a request that the hub cannot fulfil.
package struct HubProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of problem.
    package enum Code: String, Sendable, Codable { case invalid, notFound, conflict, unavailable, full, busy }
    /// The kind.
    package var code: Code
    /// The reason, with advice.
    package var description: String

    /// Creates a problem.
    package init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}

extension HubProblem {
    /// Converts an error of the store: a full disk, or a file that cannot be used.
    package init(_ error: any Error) {
        if let problem = error as? HubProblem {
            self = problem
        } else if let error = error as? DatabaseError, error.resultCode == .SQLITE_FULL {
            self.init(.full, "the disk is full; the request was not stored")
        } else {
            self.init(.unavailable, "the store is not available: \(error)")
        }
    }
}
#endif
