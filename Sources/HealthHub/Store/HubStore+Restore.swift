import Foundation
import GRDB

extension HubStore {
    /// Replaces a store that no hub has open by a backup. The previous store is kept in the same directory, also a
    /// write-ahead log without its file, which SQLite would otherwise apply to the backup.
    /// - Returns: the path of the previous store; nil if there was none.
    /// - Throws: ``HubProblem`` for a file that cannot be read, or is not an intact store that this version can open.
    package static func restore(_ backup: String, to path: String, now: Date = Date()) throws -> String? {
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
            var configuration = Configuration()
            configuration.readonly = true
            let source = try DatabaseQueue(path: backup, configuration: configuration)
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
            if try Schema.migrator.hasBeenSuperseded(db) { throw HubProblem.newerStore(backup) }
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
