#if Programs
import Foundation
import GRDB

extension HubStore {
    /// Replaces a store that no hub has open by a backup. The previous store is kept beside it.
    /// - Returns: the path of the previous store; nil if there was none.
    /// - Throws: ``HubProblem`` for a file that is not an intact store.
    package static func restore(_ backup: String, to path: String, now: Date = Date()) throws -> String? {
        guard FileManager.default.fileExists(atPath: backup) else {
            throw HubProblem(.notFound, "the file \(backup) does not exist")
        }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let source = try DatabaseQueue(path: backup, configuration: configuration)
            defer { try? source.close() }
            let problem = try source.read { db -> String? in
                guard try db.tableExists("reading"), try db.tableExists("person") else { return "it is not a store" }
                let check = try String.fetchOne(db, sql: "PRAGMA integrity_check")
                return check == "ok" ? nil : check
            }
            if let problem { throw HubProblem(.invalid, "cannot restore \(backup): \(problem)") }
        } catch let problem as HubProblem {
            throw problem
        } catch {
            throw HubProblem(.invalid, "cannot restore \(backup): it is not a store (\(error))")
        }
        let files = FileManager.default
        let copy = path + ".restoring"
        try? files.removeItem(atPath: copy)
        do {
            try files.copyItem(atPath: backup, toPath: copy)
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
            var earlier: String?
            if files.fileExists(atPath: path) {
                let name = path + ".before-" + now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
                // The write-ahead log belongs to the file of the same name.
                for suffix in ["", "-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
                    try files.moveItem(atPath: path + suffix, toPath: name + suffix)
                }
                earlier = name
            }
            try files.moveItem(atPath: copy, toPath: path)
            return earlier
        } catch {
            throw HubProblem(.unavailable, "cannot replace \(path): \(error)")
        }
    }
}
#endif
