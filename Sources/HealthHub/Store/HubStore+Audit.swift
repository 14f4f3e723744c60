import BluetoothModel
import Foundation
import GRDB

package struct AuditEntry: Sendable, Equatable, Encodable {
    /// The time (RFC 3339).
    package var time: String
    /// The actor: an account, a token, or the command line.
    package var who: String
    package var action: String
}

extension HubStore {
    /// The actor of administration commands.
    package static let commandLine = "command line"
    /// The maximum number of entries.
    private static let auditLength = 100_000

    /// Adds an entry for an action that changes nothing in the store.
    package func audit(_ who: String, _ action: String) throws {
        try database.write(.rows) { db in try Self.audit(who, action, db) }
    }

    /// Adds an entry to the audit log in the transaction of the change. An entry is one line, without names of people
    /// and passwords.
    static func audit(_ who: String, _ action: String, _ db: any StoreConnection) throws {
        let id = try db.insert(
            "INSERT INTO audit(time, who, action) VALUES (?, ?, ?)",
            [now, PrintableText.escape(String(who.prefix(200))), PrintableText.escape(String(action.prefix(500)))])
        try db.run("DELETE FROM audit WHERE id <= ?", [id - Int64(auditLength)])
    }

    /// Returns the latest entries, latest first.
    package func auditLog(limit: Int = 200) throws -> [AuditEntry] {
        try database.read { db in
            try db.rows("SELECT * FROM audit ORDER BY id DESC LIMIT ?", [limit]).map { row in
                AuditEntry(
                    time: row.time("time"),
                    who: row["who"], action: row["action"])
            }
        }
    }

    /// Returns the entry for an assignment, or for its end. The device is named by its number: its name is often that
    /// of its owner.
    static func auditText(
        _ action: String = "assign", device: Int64, person: Int64, user: Int?
    ) -> String {
        "\(action) id:\(device) \(person)" + (user.map { " user \($0)" } ?? "")
    }
}
