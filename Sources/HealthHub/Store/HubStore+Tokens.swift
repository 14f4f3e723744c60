import Crypto
import Foundation
import GRDB

/// The permissions of a token. Reader, editor and administrator each include the previous one. A gateway posts readings
/// and reads the states of the people to whom they belong.
package enum Role: String, Sendable, CaseIterable, Codable {
    case gateway, reader, editor, administrator

    package func includes(_ other: Role) -> Bool {
        if other == .gateway { return self == .gateway || self == .editor || self == .administrator }
        guard let own = Self.order.firstIndex(of: self), let needed = Self.order.firstIndex(of: other) else {
            return false
        }
        return own >= needed
    }

    private static let order: [Role] = [.reader, .editor, .administrator]
}

/// A token in a list, without its text.
package struct TokenRecord: Sendable, Equatable, Encodable {
    package var name: String
    package var role: Role
    /// The devices and people to which it is bound; nil for all.
    package var scope: AccessScope?

    package init(name: String, role: Role, scope: AccessScope? = nil) {
        (self.name, self.role, self.scope) = (name, role, scope)
    }

    init?(_ row: Row) throws {
        guard let role = Role(rawValue: row["role"]) else { return nil }
        (name, self.role, scope) = (row["name"], role, try (row["scope"] as String?).map(AccessScope.init))
    }

    var line: String { "\(name)  \(role.rawValue)  \(scope.map(\.line) ?? "all")" }
}

extension HubStore {
    /// Creates a token.
    /// - Parameters:
    ///   - people: the people to whom it is bound.
    ///   - devices: the devices to which it is bound, as for ``assign(_:to:user:by:)``.
    /// - Returns: the text, which is stored only as a digest and cannot be shown again.
    /// - Throws: ``HubProblem`` for an invalid name or one that is taken, and for what cannot be bound.
    package func addToken(
        name: String, role: Role, people: [Int64] = [], devices: [String] = [], by who: String = HubStore.commandLine
    ) throws -> String {
        try Self.checkName(name)
        try Self.checkBinding(role, people: people, devices: devices)
        // 256 random bits need no slow hash.
        let text =
            "harald_"
            + SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        try database.write(.administration) { db in
            guard try (db.value("SELECT 1 FROM token WHERE name = ?", [name]) as Bool?) != true else {
                throw HubProblem(.conflict, "the token '\(name)' already exists; revoke it or choose another name")
            }
            try db.run(
                "INSERT INTO token(name, role, hash, created, scope) VALUES (?, ?, ?, ?, ?)",
                [
                    name, role.rawValue, Self.digest(text), Self.now,
                    try Self.scope(people: people, devices: devices, db)?.text,
                ])
            // Readings of an earlier token with this name may have been stored after its revocation.
            try Self.removeAccess(ofGateway: name, db)
            try Self.audit(who, "token add \(name) \(role.rawValue)", db)
        }
        return text
    }

    /// Returns all tokens by name.
    package func tokens() throws -> [TokenRecord] {
        try database.read { db in
            try db.rows("SELECT name, role, scope FROM token ORDER BY name").compactMap(TokenRecord.init)
        }
    }

    /// Revokes a token at once.
    /// - Throws: ``HubProblem`` for an unknown name.
    package func revokeToken(name: String, by who: String = HubStore.commandLine) throws {
        try database.write(.administration) { db in
            guard try db.run("DELETE FROM token WHERE name = ?", [name]) > 0 else {
                throw HubProblem(.notFound, "there is no token '\(name)'")
            }
            try Self.removeAccess(ofGateway: name, db)
            try Self.audit(who, "token revoke \(name)", db)
        }
    }

    package func token(_ text: String) async throws -> TokenRecord? {
        let digest = Self.digest(text)
        return try await perform { store in
            try store.database.lookUp { db in
                try db.row("SELECT name, role, scope FROM token WHERE hash = ?", [digest]).flatMap(TokenRecord.init)
            }
        }
    }

    /// Checks that a holder with this role can be bound to people and devices.
    static func checkBinding(_ role: Role, people: [Int64], devices: [String] = []) throws {
        if role == .administrator, !people.isEmpty || !devices.isEmpty {
            throw HubProblem(.invalid, "an administrator has access to all; bind a reader, an editor or a gateway")
        }
        if role != .gateway, people.isEmpty, !devices.isEmpty {
            throw HubProblem(.invalid, "only a gateway is bound to devices; bind the \(role.rawValue) to people")
        }
    }

    private static func digest(_ text: String) -> Data { sha256(text) }

    /// Returns the SHA-256 digest of a text.
    static func sha256(_ text: String) -> Data { Data(SHA256.hash(data: Data(text.utf8))) }
}
