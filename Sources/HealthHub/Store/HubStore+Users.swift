#if Programs
import Foundation
import GRDB

/// An account in a list, without the hash of its password.
package struct UserRecord: Sendable, Equatable, Encodable {
    /// The name.
    package var name: String
    /// The role.
    package var role: Role
}

/// An entry of the audit log.
package struct AuditEntry: Sendable, Equatable, Encodable {
    /// The time (RFC 3339).
    package var time: String
    /// The actor: an account, a token, or the command line.
    package var who: String
    /// The action.
    package var action: String
}

extension HubStore {
    /// Adds an account for the web pages.
    /// - Parameter hash: a salted, slow hash of the password.
    /// - Throws: ``HubProblem`` for an invalid name or one that is taken, and for the role of a gateway.
    package func addUser(name: String, role: Role, hash: String) throws {
        // The name is part of a cookie of at most 255 octets.
        guard !name.isEmpty, name.utf8.count <= 64 else {
            throw HubProblem(.invalid, "a name must have 1 to 64 octets")
        }
        guard role != .gateway else {
            throw HubProblem(
                .invalid, "an account must have the role reader, editor or administrator; a gateway uses a token")
        }
        try database.write(.administration) { db in
            guard try (db.value(#"SELECT 1 FROM "user" WHERE name = ?"#, [name]) as Bool?) != true else {
                throw HubProblem(.conflict, "the account '\(name)' already exists; remove it or choose another name")
            }
            try db.run(
                #"INSERT INTO "user"(name, role, hash, created) VALUES (?, ?, ?, ?)"#,
                [name, role.rawValue, hash, Self.now])
        }
    }

    /// Returns all accounts by name.
    /// - Throws: `DatabaseError`.
    package func users() throws -> [UserRecord] {
        try database.read { db in
            try db.rows(#"SELECT name, role FROM "user" ORDER BY name"#).compactMap { row in
                Role(rawValue: row["role"]).map { UserRecord(name: row["name"], role: $0) }
            }
        }
    }

    /// Removes an account; its sessions end at once.
    /// - Throws: ``HubProblem`` for an unknown name.
    package func removeUser(name: String) throws {
        try database.write(.administration) { db in
            guard try db.run(#"DELETE FROM "user" WHERE name = ?"#, [name]) > 0 else {
                throw HubProblem(.notFound, "there is no account '\(name)'")
            }
        }
    }

    /// Returns the role and the password hash of an account; nil for an unknown name.
    /// - Throws: `DatabaseError`.
    package func user(_ name: String) throws -> (role: Role, hash: String)? {
        try database.read { db in
            try db.row(#"SELECT role, hash FROM "user" WHERE name = ?"#, [name])
                .flatMap { row in Role(rawValue: row["role"]).map { ($0, row["hash"]) } }
        }
    }

    // MARK: Audit log

    /// The maximum number of entries.
    private static let auditLength = 100_000

    /// Adds an entry to the audit log. Names of people and passwords are not logged.
    package func audit(_ who: String, _ action: String) {
        try? database.write(.rows) { db in
            let id = try db.insert(
                "INSERT INTO audit(time, who, action) VALUES (?, ?, ?)",
                [Self.now, String(who.prefix(200)), String(action.prefix(500))])
            try db.run("DELETE FROM audit WHERE id <= ?", [id - Int64(Self.auditLength)])
        }
    }

    /// Returns the latest entries, latest first.
    /// - Throws: `DatabaseError`.
    package func auditLog(limit: Int = 200) throws -> [AuditEntry] {
        try database.read { db in
            try db.rows("SELECT * FROM audit ORDER BY id DESC LIMIT ?", [limit]).map { row in
                AuditEntry(
                    time: Date(timeIntervalSince1970: Double(row["time"] as Int64)).formatted(.iso8601),
                    who: row["who"], action: row["action"])
            }
        }
    }
}

extension HubCommand {
    /// The text for the audit log; nil for a command that changes nothing.
    var auditText: String? {
        switch self {
        case .addToken(let name, let role): "token add \(name) \(role.rawValue)"
        case .revokeToken(let name): "token revoke \(name)"
        case .addPerson: "person add"
        case .changePerson(let id, _, _, _, _, _, _, _): "person set \(id)"
        case .deletePerson(let id): "person delete \(id)"
        case .assign(let device, let person, let user):
            "assign \(device) \(person)" + (user.map { " user \($0)" } ?? "")
        case .backup: "backup"
        case .addReceiver(let kind, _, _, _, _): "forward add \(kind.rawValue)"
        case .removeReceiver(let name): "forward remove \(Receiver.shown(name: name))"
        case .retryReceivers: "forward retry"
        case .export(_, let format, let person): "export \(format.rawValue)" + (person.map { " person \($0)" } ?? "")
        case .addUser(let name, let role, _): "user add \(name) \(role.rawValue)"
        case .removeUser(let name): "user remove \(name)"
        case .listTokens, .listPeople, .listDevices, .listRules, .listReceivers, .listUsers, .listAudit,
            .listGateways:
            nil
        }
    }
}
#endif
