import Foundation
import GRDB

/// The parts of a backup that the store to be replaced does not have any more.
package struct RemovedSince: Sendable, Equatable {
    /// The names of the tokens that were revoked.
    package var tokens: [String] = []
    package var accounts: [String] = []
    /// The identifiers of the people who were deleted.
    package var people: [Int64] = []
    /// The accounts with another password, and the present hashes.
    var changed: [String: String] = [:]
    /// The digests of deleted readings.
    var forgotten: [Data] = []

    /// True if nothing was removed that the backup has.
    package var isEmpty: Bool { tokens.isEmpty && accounts.isEmpty && people.isEmpty }

    /// "the token 'kitchen', person 2".
    package var text: String {
        (tokens.map { "the token '\($0)'" } + accounts.map { "the account '\($0)'" } + people.map { "person \($0)" })
            .joined(separator: ", ")
    }
}

extension HubStore {
    /// Replaces a store that no hub has open by a backup. The previous store is kept in the same directory, also a
    /// write-ahead log without its file, which SQLite would otherwise apply to the backup.
    /// - Parameters:
    ///   - withRemoved: true to bring back what was removed since the backup.
    ///   - confirm: called before the store is replaced, with what was removed since; with nil if that is not known,
    ///     because the present store is missing, damaged, or another one. Its error ends the command.
    /// - Returns: the path of the previous store; nil if there was none.
    /// - Throws: ``HubProblem`` for a file that cannot be read, or is not an intact store that this version can open.
    package static func restore(
        _ backup: String, to path: String, withRemoved: Bool = false, now: Date = Date(),
        confirm: (RemovedSince?) throws -> Void = { _ in }
    ) throws -> String? {
        guard FileManager.default.fileExists(atPath: backup) else {
            throw HubProblem(.notFound, "the file \(backup) does not exist")
        }
        try ReadableFile.check(backup)
        let files = FileManager.default
        let copy = path + ".restoring"
        let remove = { for suffix in Self.suffixes { try? files.removeItem(atPath: copy + suffix) } }
        remove()
        do {
            try Self.copy(backup, to: copy)
            let removed = try? removedSince(copy, from: path)
            try confirm(removed)
            if let removed, !withRemoved { try Self.remove(removed, from: copy) }
        } catch let problem as HubProblem {
            remove()
            throw problem
        } catch {
            remove()
            throw problem(of: error, backup, copy)
        }
        do {
            var earlier: String?
            if Self.suffixes.contains(where: { files.fileExists(atPath: path + $0) }) {
                let time = now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
                var (name, number) = (path + ".before-" + time, 1)
                while Self.suffixes.contains(where: { files.fileExists(atPath: name + $0) }) {
                    number += 1
                    name = "\(path).before-\(time)-\(number)"
                }
                // The log goes first: if this ends in between, it is not beside another file.
                for suffix in Self.suffixes.reversed() where files.fileExists(atPath: path + suffix) {
                    try files.moveItem(atPath: path + suffix, toPath: name + suffix)
                }
                earlier = name
            }
            try files.moveItem(atPath: copy, toPath: path)
            try synchronize(URL(filePath: path).deletingLastPathComponent().path)
            return earlier
        } catch {
            remove()
            throw HubProblem(.unavailable, "cannot replace \(path): \(error.localizedDescription)")
        }
    }

    private static func readOnly(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Returns what a store does not have any more that an earlier copy of it has; nil if it is no copy of this store.
    private static func removedSince(_ copy: String, from path: String) throws -> RemovedSince? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let (earlier, present) = (try readOnly(copy), try readOnly(path))
        defer {
            try? earlier.close()
            try? present.close()
        }
        return try earlier.read { earlier in
            try present.read { present in
                let identity = "SELECT identity FROM hub"
                guard let own: String = try present.value(identity), try earlier.value(identity) == own else {
                    return nil
                }
                func missing<Value: StoreValue & Hashable>(_ sql: String) throws -> Set<Value> {
                    Set(try earlier.values(sql, []) as [Value]).subtracting(try present.values(sql, []) as [Value])
                }
                var removed = RemovedSince()
                let hashes: Set<Data> = try missing("SELECT hash FROM token")
                removed.tokens = try earlier.rows("SELECT name, hash FROM token ORDER BY name")
                    .filter { hashes.contains($0["hash"]) }.map { $0["name"] }
                removed.accounts = try (missing(#"SELECT name FROM "user""#) as Set<String>).sorted()
                for row in try present.rows(#"SELECT name, hash FROM "user""#) {
                    removed.changed[row["name"]] = row["hash"]
                }
                let identities: Set<String> = try missing("SELECT identity FROM person")
                removed.people = try earlier.rows("SELECT id, identity FROM person ORDER BY id")
                    .filter { identities.contains($0["identity"]) }.map { $0["id"] }
                removed.forgotten = try present.values("SELECT key FROM forgotten", [])
                return removed
            }
        }
    }

    /// Removes from a copy what was removed from the store that it replaces.
    private static func remove(_ removed: RemovedSince, from path: String) throws {
        let store = try HubStore(path: path, assessor: Assessor())
        do {
            for name in removed.tokens { try store.revokeToken(name: name) }
            for name in removed.accounts { try store.removeUser(name: name) }
            for id in removed.people { _ = try store.deletePerson(id) }
            try store.database.write(.administration) { db in
                try db.runAll(
                    #"UPDATE "user" SET hash = ? WHERE name = ?"#, removed.changed.map { [$0.value, $0.key] })
                try db.runAll(
                    "INSERT INTO forgotten(key) VALUES (?) ON CONFLICT DO NOTHING", removed.forgotten.map { [$0] })
                try audit(commandLine, "restore", db)
            }
            try store.close()
        } catch {
            try? store.close()
            throw HubProblem(error)
        }
        let copy = try DatabaseQueue(path: path)
        try copy.inOneFile()
        try copy.close()
        try synchronize(path)
    }

    /// The files of a store: the write-ahead log and its index belong to the file of the same name.
    private static let suffixes = ["", "-wal", "-shm"]

    /// Converts an error of copying a backup. SQLite names the faults of the backup, the file system those of the copy.
    private static func problem(of error: any Error, _ backup: String, _ copy: String) -> HubProblem {
        guard let error = error as? DatabaseError else {
            return HubProblem(.unavailable, "cannot write \(copy): \(error.localizedDescription)")
        }
        let reason = error.message ?? "SQLite error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: return HubProblem(.full, "the disk is full; \(copy) was not written")
        case .SQLITE_IOERR, .SQLITE_READONLY:
            return HubProblem(.unavailable, "cannot write \(copy): \(reason)")
        default: return HubProblem(.invalid, "cannot restore \(backup): it is not a store (\(reason))")
        }
    }

    /// Copies a store with the commits that are only in its write-ahead log, and checks the copy.
    private static func copy(_ backup: String, to path: String) throws {
        if FileManager.default.fileExists(atPath: backup + "-wal") {
            let source = try readOnly(backup)
            defer { try? source.close() }
            try source.backup(to: DatabaseQueue(path: path))
        } else {
            try FileManager.default.copyItem(atPath: backup, toPath: path)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let copy = try DatabaseQueue(path: path)
        defer { try? copy.close() }
        let problem = try copy.read { db -> String? in
            guard try db.tableExists("reading"), try db.tableExists("person") else { return "it is not a store" }
            // The hub could not open it.
            try StoreSchema.check(db, backup)
            let check = try String.fetchOne(db, sql: "PRAGMA integrity_check")
            return check == "ok" ? nil : check
        }
        if let problem { throw HubProblem(.invalid, "cannot restore \(backup): \(problem)") }
        try copy.inOneFile()
        try synchronize(path)
    }

    /// Waits until a file, or the entries of a directory, are on the disk.
    private static func synchronize(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { Foundation.close(file) }
        guard fsync(file) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
