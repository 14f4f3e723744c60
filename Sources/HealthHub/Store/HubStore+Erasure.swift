import Foundation
import GRDB

package struct PersonDeletion: Sendable, Equatable, Encodable {
    package var id: String
    /// The number of deleted readings.
    package var readings: Int
    /// True if the files are cleaned of the deleted data; false if the hub cleans them later.
    package var erased = true
    /// The reason why the files are cleaned later.
    package var problem: String?
}

/// The cleaning of the files after deletions. It may fail, for instance while another program reads a file or if the
/// disk is full. The table `erasure` has a row for each deletion until the files were cleaned after it.
extension HubStore {
    /// Remembers, in the transaction of a deletion, that the files contain deleted data.
    static func requestErasure(_ db: any StoreConnection) throws {
        try db.run("INSERT INTO erasure(requested) VALUES (?)", [now])
    }

    /// Cleans the files if they contain deleted data. The hub repeats this until it succeeds.
    /// - Returns: false if there was nothing to clean.
    @discardableResult
    package func eraseDeleted() throws -> Bool {
        let last = try database.read { db in try db.value("SELECT max(id) FROM erasure") as Int64? }
        guard let last else { return false }
        try database.erase()
        // The data of a deletion during the cleaning may be left.
        _ = try database.write(.rows) { db in try db.run("DELETE FROM erasure WHERE id <= ?", [last]) }
        return true
    }

    /// Cleans the files after a deletion.
    func finish(_ deletion: PersonDeletion) -> PersonDeletion {
        var deletion = deletion
        do {
            try eraseDeleted()
        } catch {
            deletion.erased = false
            deletion.problem =
                "the rows are deleted, but the files could not be cleaned now (\(error)); the hub cleans them later"
        }
        return deletion
    }
}
