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
                    time: Date(timeIntervalSince1970: Double(row["time"] as Int64)).formatted(.iso8601),
                    who: row["who"], action: row["action"])
            }
        }
    }

    /// Returns the entry for an assignment, or for its end. The device is named by its number: its name is often that
    /// of its owner.
    static func auditText(
        _ action: String = "assign", device: Int64?, person: some StringProtocol, user: Int?
    ) -> String {
        let device = device.map { "id:\($0)" } ?? "an unknown device"
        return "\(action) \(device) \(person)" + (user.map { " user \($0)" } ?? "")
    }

    /// Replaces the devices in the entries of earlier versions, which had the text of the command, by their numbers.
    static func updateAudit(_ db: any StoreConnection) throws {
        let entries = try db.rows("SELECT id, action FROM audit WHERE action LIKE 'assign %'")
        guard !entries.isEmpty else { return }
        var devices: [String: Set<Int64>] = [:]
        for row in try db.rows("SELECT * FROM device") {
            let id: Int64 = row["merged_into"] as Int64? ?? row["id"]
            for column in ["serial", "system_id", "address", "identifier", "alias", "name"] {
                guard let text: String = row[column] else { continue }
                devices[text.lowercased(), default: []].insert(id)
            }
        }
        for entry in entries {
            let action: String = entry["action"]
            let match = action.wholeMatch(of: /assign (.+?) ([0-9]+)(?: user ([0-9]+))?/.dotMatchesNewlines())
            guard let match else {
                // The text was longer than an entry.
                try db.run("UPDATE audit SET action = 'assign' WHERE id = ?", [entry["id"] as Int64])
                continue
            }
            let text = String(match.1)
            let number = text.wholeMatch(of: /id:([0-9]{1,18})/).flatMap { Int64($0.1) }
            let found =
                [text, SubmittedReading.Device.systemID(text), SubmittedReading.Device.address(text)]
                .compactMap { devices[$0.lowercased()] }.first ?? []
            let device = number ?? (found.count == 1 ? found.first : nil)
            try db.run(
                "UPDATE audit SET action = ? WHERE id = ?",
                [auditText(device: device, person: match.2, user: match.3.flatMap { Int($0) }), entry["id"] as Int64])
        }
    }
}
