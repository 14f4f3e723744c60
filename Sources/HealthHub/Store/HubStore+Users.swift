import Foundation
import GRDB

/// An account in a list, without the hash of its password.
package struct UserRecord: Sendable, Equatable, Encodable {
    package var name: String
    package var role: Role
    /// The people to whom it is bound; nil for all.
    package var scope: AccessScope?
}

extension HubStore {
    /// Adds an account for the web pages.
    /// - Parameters:
    ///   - hash: a salted, slow hash of the password.
    ///   - people: the people to whom it is bound.
    /// - Throws: ``HubProblem`` for an invalid name or one that is taken, and for the role of a gateway.
    package func addUser(
        name: String, role: Role, hash: String, people: [Int64] = [], by who: String = HubStore.commandLine
    ) throws {
        try Self.checkBinding(role, people: people)
        // The name is part of a cookie of at most 255 octets.
        try Self.checkName(name, longest: 64)
        guard role != .gateway else {
            throw HubProblem(
                .invalid, "an account must have the role reader, editor or administrator; a gateway uses a token")
        }
        try database.write(.administration) { db in
            guard try (db.value(#"SELECT 1 FROM "user" WHERE name = ?"#, [name]) as Bool?) != true else {
                throw HubProblem(.conflict, "the account '\(name)' already exists; remove it or choose another name")
            }
            try db.run(
                #"INSERT INTO "user"(name, role, hash, created, scope) VALUES (?, ?, ?, ?, ?)"#,
                [name, role.rawValue, hash, Self.now, try Self.scope(people: people, devices: [], db)?.text])
            try Self.audit(who, "user add \(name) \(role.rawValue)", db)
        }
    }

    /// Changes the password of an account; its sessions end at once.
    /// - Parameters:
    ///   - hash: a salted, slow hash of the password.
    /// - Throws: ``HubProblem`` for an unknown name.
    package func changeUser(name: String, hash: String, by who: String = HubStore.commandLine) throws {
        try database.write(.administration) { db in
            guard try db.run(#"UPDATE "user" SET hash = ? WHERE name = ?"#, [hash, name]) > 0 else {
                throw HubProblem(.notFound, "there is no account '\(name)'")
            }
            try Self.audit(who, "user set \(name)", db)
        }
    }

    /// Returns all accounts by name.
    package func users() throws -> [UserRecord] {
        try database.read { db in
            try db.rows(#"SELECT name, role, scope FROM "user" ORDER BY name"#).compactMap { row in
                try Role(rawValue: row["role"]).map { role in
                    UserRecord(
                        name: row["name"], role: role, scope: try (row["scope"] as String?).map(AccessScope.init))
                }
            }
        }
    }

    /// Removes an account; its sessions end at once.
    /// - Throws: ``HubProblem`` for an unknown name.
    package func removeUser(name: String, by who: String = HubStore.commandLine) throws {
        try database.write(.administration) { db in
            guard try db.run(#"DELETE FROM "user" WHERE name = ?"#, [name]) > 0 else {
                throw HubProblem(.notFound, "there is no account '\(name)'")
            }
            try Self.audit(who, "user remove \(name)", db)
        }
    }

    /// Returns the role, the scope and the password hash of an account; nil for an unknown name.
    package func user(_ name: String) throws -> (role: Role, scope: String?, hash: String)? {
        try database.read { db in
            try db.row(#"SELECT role, scope, hash FROM "user" WHERE name = ?"#, [name])
                .flatMap { row in Role(rawValue: row["role"]).map { ($0, row["scope"], row["hash"]) } }
        }
    }
}
