#if Programs
import Foundation
import GRDB

/// An account as it is listed: never with its password's hash.
package struct UserRecord: Sendable, Equatable, Encodable {
    /// Name.
    package var name: String
    /// Role.
    package var role: Role
}

/// What somebody did.
package struct AuditEntry: Sendable, Equatable, Encodable {
    /// When (RFC 3339).
    package var time: String
    /// Who: an account, a token, or the command line.
    package var who: String
    /// What.
    package var action: String
}

extension HubStore {
    /// Adds an account of a person who uses the pages.
    /// - Parameter hash: a salted, slow hash of the password.
    /// - Throws: ``HubProblem`` where the name is taken or the role is a gateway's.
    package func addUser(name: String, role: Role, hash: String) throws {
        // The name is part of a cookie of at most 255 octets.
        guard !name.isEmpty, name.utf8.count <= 64 else { throw HubProblem(.invalid, "a name has 1 to 64 octets") }
        guard role != .gateway else {
            throw HubProblem(
                .invalid, "an account is a reader's, an editor's or an administrator's; a gateway has a token")
        }
        try pool.write { db in
            guard try Bool.fetchOne(db, sql: "SELECT 1 FROM user WHERE name = ?", arguments: [name]) != true else {
                throw HubProblem(.conflict, "there is an account '\(name)'; remove it or choose another name")
            }
            try db.execute(
                sql: "INSERT INTO user(name, role, hash, created) VALUES (?, ?, ?, ?)",
                arguments: [name, role.rawValue, hash, Self.now])
        }
    }

    /// All accounts, by name.
    package func users() throws -> [UserRecord] {
        try pool.read { db in
            try Row.fetchAll(db, sql: "SELECT name, role FROM user ORDER BY name").compactMap { row in
                Role(rawValue: row["role"]).map { UserRecord(name: row["name"], role: $0) }
            }
        }
    }

    /// Removes an account; its sessions end at once.
    /// - Throws: ``HubProblem`` for an unknown name.
    package func removeUser(name: String) throws {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM user WHERE name = ?", arguments: [name])
            guard db.changesCount > 0 else { throw HubProblem(.notFound, "there is no account '\(name)'") }
        }
    }

    /// The role and the password's hash of an account; nil for an unknown name.
    package func user(_ name: String) throws -> (role: Role, hash: String)? {
        try pool.read { db in
            try Row.fetchOne(db.cachedStatement(sql: "SELECT role, hash FROM user WHERE name = ?"), arguments: [name])
                .flatMap { row in Role(rawValue: row["role"]).map { ($0, row["hash"]) } }
        }
    }

    // MARK: Audit log

    /// Largest number of entries that are kept.
    private static let auditLength = 100_000

    /// Notes what somebody did. Names of people and passwords are no part of it.
    package func audit(_ who: String, _ action: String) {
        try? pool.write { db in
            try db.execute(
                sql: "INSERT INTO audit(time, who, action) VALUES (?, ?, ?)",
                arguments: [Self.now, String(who.prefix(200)), String(action.prefix(500))])
            try db.execute(
                sql: "DELETE FROM audit WHERE id <= ?", arguments: [db.lastInsertedRowID - Int64(Self.auditLength)])
        }
    }

    /// The latest entries, the newest first.
    package func auditLog(limit: Int = 200) throws -> [AuditEntry] {
        try pool.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM audit ORDER BY id DESC LIMIT ?", arguments: [limit]).map { row in
                AuditEntry(
                    time: Date(timeIntervalSince1970: Double(row["time"] as Int64)).formatted(.iso8601),
                    who: row["who"], action: row["action"])
            }
        }
    }
}

extension HubCommand {
    /// The command in the audit log; nil for one that changes nothing.
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
        case .removeReceiver(let name): "forward remove \(name)"
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
