import BluetoothModel
import Foundation
import GRDB
import JSON

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
        /// The reading as JSON, ``SubmittedReading``; octets that are not UTF-8 in hexadecimal.
        package var body: String
        /// The reason why the body is not a JSON object; nil if it is one. The entry must not be sent then: a batch
        /// consists of the bodies, so that the hub could read none of its readings.
        package var problem: String?
    }

    /// The length of SQLite's log, in pages, after which a commit copies them to the file. The log keeps its length, so
    /// that a queue on a full disk has a short one.
    static let checkpointPages = 32
    /// The number of entries that are removed in one transaction on a full disk. Each changes a few pages.
    static let smallRemoval = 8

    /// The database; the tests make it fail.
    let database: DatabaseQueue
    private let reserve: QueueReserve
    private let lock: StoreLock
    private var file: String { directory + "/queue.sqlite" }
    package let directory: String
    /// The file with the readings that a hub refused, one JSON object per line.
    package var refusedFile: String { directory + "/refused.jsonl" }

    /// Opens or creates the queue in a directory; creates the directory if necessary.
    /// - Throws: ``HubProblem``, also if another program has the queue open.
    package init(directory: String) throws {
        let reserve = QueueReserve(directory: directory)
        (self.directory, self.reserve) = (directory, reserve)
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
            try SQLiteDatabase.createFile(path)
            database = try Self.open(path, reserve)
        } catch let problem as HubProblem {
            throw problem
        } catch {
            let problem = QueueProblem(error, "open the queue", path)
            throw HubProblem(problem.isDiskFull ? .full : .unavailable, problem.description)
        }
        reserve.restore()
    }

    /// Opens the database; on a full disk with the room of the reserve.
    private static func open(_ path: String, _ reserve: QueueReserve) throws -> DatabaseQueue {
        do {
            return try open(path)
        } catch let error as DatabaseError where isRoomMissing(error) {
            reserve.release()
            return try open(path)
        }
    }

    /// Returns true for the errors of SQLite on a full disk, and for some others.
    private static func isRoomMissing(_ error: DatabaseError) -> Bool {
        [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            // One program uses the queue, so that SQLite needs no file for the memory that programs share. On a full
            // disk this file cannot be created, and readings could neither be counted nor sent.
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA secure_delete = ON")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = \(checkpointPages)")
        }
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS entry(
                        place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL)
                    """)
        }
        return database
    }

    /// True if the disk has no room for another reading. The queued ones can be sent nevertheless.
    package var isDiskFull: Bool { QueueReserve.isFull(directory) }

    /// Appends a reading. It is on the disk when this returns.
    /// - Throws: ``QueueProblem``, for example if the disk is full; the device must then get no acknowledgement.
    package func append(id: String, body: String) async throws(QueueProblem) {
        // A task of its own, because a received reading is also stored at the end of the program, which cancels tasks.
        let write = Task { [database] in
            try await database.write { db in
                try db.cachedStatement(sql: "INSERT INTO entry(id, body) VALUES (?, ?)").execute(arguments: [id, body])
            }
        }
        do { try await write.value } catch { throw QueueProblem(error, "write the queue", file) }
    }

    /// Returns the first entries. Those with a ``Entry/problem`` are to be set aside.
    package func first(_ count: Int) async throws(QueueProblem) -> [Entry] {
        // As octets: GRDB ends the program at a text that is not UTF-8.
        try await read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT place, CAST(id AS BLOB) AS id, CAST(body AS BLOB) AS body
                        FROM entry ORDER BY place LIMIT ?
                        """), arguments: [count]
            ).map { row in
                let (id, body): (Data?, Data?) = (row["id"], row["body"])
                return Entry(place: row["place"], octetsOfID: id ?? Data(), octetsOfBody: body ?? Data())
            }
        }
    }

    /// Returns the number of entries.
    package func count() async throws(QueueProblem) -> Int {
        try await read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM entry") ?? 0 }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(QueueProblem) -> Value {
        do { return try await database.read(body) } catch { throw QueueProblem(error, "read the queue", file) }
    }

    /// Removes entries that a hub has acknowledged. On a full disk the reserve makes room for that.
    package func remove(_ entries: [Entry]) async throws(QueueProblem) {
        guard !entries.isEmpty else { return }
        do {
            do {
                try await delete(entries)
            } catch let error as DatabaseError where Self.isRoomMissing(error) {
                reserve.release()
                try await emptyLog()
                for start in stride(from: 0, to: entries.count, by: Self.smallRemoval) {
                    try await delete(Array(entries[start..<min(start + Self.smallRemoval, entries.count)]))
                    try await emptyLog()
                }
            }
        } catch {
            throw QueueProblem(error, "write the queue", file)
        }
        reserve.restore()
    }

    private func delete(_ entries: [Entry]) async throws {
        try await database.write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM entry WHERE place = ?")
            for entry in entries { try statement.execute(arguments: [entry.place]) }
        }
    }

    /// Copies the pages of SQLite's log to the file, and empties the log.
    private func emptyLog() async throws {
        try await database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    }

    /// Moves an entry that cannot be sent, or that a hub refused, to ``refusedFile``. The line is on the disk before
    /// the entry leaves the queue. On a full disk the room of the reserve is kept for removals: they make the queue
    /// shorter, and lines do not.
    /// - Throws: ``QueueProblem``, for example if the disk is full; the entry then stays in the queue.
    package func setAside(_ entry: Entry, problem: String) async throws(QueueProblem) {
        do {
            let reading = entry.problem == nil ? try? JSONValue(parsing: Array(entry.body.utf8)) : nil
            let refused: JSONValue = ["problem": .string(problem), "reading": reading ?? .string(entry.body)]
            var line = Data(refused.text.utf8)
            line.append(0x0A)
            if !reserve.leavesRoom(for: line.count) { try? await emptyLog() }
            guard reserve.leavesRoom(for: line.count) else { throw QueueProblem.full(directory) }
            do {
                try appendRefused(line)
            } catch {
                // The disk may be full, and the log may occupy a part of it.
                try? await emptyLog()
                try appendRefused(line)
            }
        } catch {
            throw QueueProblem(error, "write", refusedFile)
        }
        try await remove([entry])
    }

    /// Appends a line to ``refusedFile``, completely or not at all.
    private func appendRefused(_ line: Data) throws {
        if !FileManager.default.fileExists(atPath: refusedFile) {
            _ = FileManager.default.createFile(
                atPath: refusedFile, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        guard let file = FileHandle(forWritingAtPath: refusedFile) else {
            let reason = String(cString: strerror(errno))
            throw QueueProblem(description: "cannot write \(refusedFile): \(reason)")
        }
        defer { try? file.close() }
        let end = try file.seekToEnd()
        do {
            try file.write(contentsOf: line)
            try file.synchronize()
        } catch {
            try? file.truncate(atOffset: end)
            throw error
        }
    }

    /// Closes the queue.
    package func close() throws { try database.close() }
}

extension SendQueue.Entry {
    /// Creates an entry from the octets in the queue, which another program or a fault of the disk may have changed.
    fileprivate init(place: Int64, octetsOfID: Data, octetsOfBody: Data) {
        (self.place, id) = (place, String(decoding: octetsOfID, as: UTF8.self))
        guard let text = String(data: octetsOfBody, encoding: .utf8) else {
            (body, problem) = (Array(octetsOfBody).hexText(), "the queued octets are not UTF-8")
            return
        }
        body = text
        guard case .object? = try? JSONValue(parsing: Array(octetsOfBody)) else {
            problem = "the queued text is not a JSON object"
            return
        }
    }
}
