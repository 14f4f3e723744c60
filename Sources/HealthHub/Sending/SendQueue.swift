#if Programs
import Foundation
import GRDB

/// A queue on disk of readings that a hub has not acknowledged, in order of arrival.
///
/// When ``append(id:body:)`` returns, the entry is on the disk, and the device may delete the reading.
package final class SendQueue: Sendable {
    /// A queued reading.
    package struct Entry: Sendable, Equatable {
        /// The position in the queue.
        package var place: Int64
        /// The identifier that the gateway generated.
        package var id: String
        /// The reading as JSON, ``SubmittedReading``.
        package var body: String
    }

    private let database: DatabaseQueue
    private let lock: StoreLock
    /// The directory of the queue.
    package let directory: String
    /// The file with the readings that a hub refused, one JSON object per line.
    package var refusedFile: String { directory + "/refused.jsonl" }

    /// Opens or creates the queue in a directory; creates the directory if necessary.
    /// - Throws: ``HubProblem``, also if another program has the queue open.
    package init(directory: String) throws {
        self.directory = directory
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw HubProblem(.unavailable, "cannot create \(directory); choose another directory with --queue")
        }
        let path = directory + "/queue.sqlite"
        guard let lock = try StoreLock(path: path) else {
            throw HubProblem(.conflict, "another program uses \(directory); choose another directory with --queue")
        }
        self.lock = lock
        do {
            if !FileManager.default.fileExists(atPath: path) {
                // Private, because the queue contains readings of people.
                guard
                    FileManager.default.createFile(
                        atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                else { throw HubProblem(.unavailable, "cannot create \(path); is the directory writable?") }
            }
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA journal_mode = WAL")
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.execute(sql: "PRAGMA secure_delete = ON")
            }
            database = try DatabaseQueue(path: path, configuration: configuration)
            try database.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS entry(
                            place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL)
                        """)
            }
        } catch let problem as HubProblem {
            throw problem
        } catch {
            throw HubProblem(.unavailable, "cannot open the queue \(path): \(error)")
        }
    }

    /// Appends a reading. It is on the disk when this returns.
    /// - Throws: ``HubProblem``, for example if the disk is full; the device must then not receive an acknowledgement.
    package func append(id: String, body: String) async throws(HubProblem) {
        // A task of its own, because a received reading is also stored at the end of the program, which cancels tasks.
        let write = Task { [database] in
            try await database.write { db in
                try db.cachedStatement(sql: "INSERT INTO entry(id, body) VALUES (?, ?)").execute(arguments: [id, body])
            }
        }
        do {
            try await write.value
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            throw HubProblem(.full, "the disk of \(directory) is full")
        } catch {
            throw HubProblem(.unavailable, "cannot write the queue in \(directory): \(error)")
        }
    }

    /// Returns the first entries.
    /// - Throws: `DatabaseError`.
    package func first(_ count: Int) async throws -> [Entry] {
        try await database.read { db in
            try Row.fetchAll(
                db.cachedStatement(sql: "SELECT place, id, body FROM entry ORDER BY place LIMIT ?"), arguments: [count]
            ).map { Entry(place: $0["place"], id: $0["id"], body: $0["body"]) }
        }
    }

    /// Returns the number of entries.
    /// - Throws: `DatabaseError`.
    package func count() async throws -> Int {
        try await database.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM entry") ?? 0 }
    }

    /// Removes entries that a hub has acknowledged.
    /// - Throws: `DatabaseError`.
    package func remove(_ entries: [Entry]) async throws {
        guard !entries.isEmpty else { return }
        try await database.write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM entry WHERE place = ?")
            for entry in entries { try statement.execute(arguments: [entry.place]) }
        }
    }

    /// Moves an entry that a hub refused to ``refusedFile``. The line is on the disk before the entry leaves the queue.
    /// - Throws: ``HubProblem``, `DatabaseError` or an error of the file; the entry then stays in the queue.
    package func setAside(_ entry: Entry, problem: String) async throws {
        let reading = (try? JSONDecoder().decode(FieldNode.self, from: Data(entry.body.utf8))) ?? .text(entry.body)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var line = try encoder.encode(FieldNode.object(["problem": .text(problem), "reading": reading]))
        line.append(0x0A)
        let path = refusedFile
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        guard let file = FileHandle(forWritingAtPath: path) else {
            throw HubProblem(.unavailable, "cannot write \(path)")
        }
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: line)
        try file.synchronize()
        try await remove([entry])
    }

    /// Closes the queue.
    /// - Throws: `DatabaseError`.
    package func close() throws { try database.close() }
}
#endif
