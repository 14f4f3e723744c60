import Crypto
import Foundation

/// The accounts of users, each with a name and a password.
package protocol WebAccounts: Sendable {
    /// Returns the hash of the password, in the form of ``WebPassword/hash(_:)``; nil for an unknown name.
    /// - Throws: an error if the accounts cannot be read now.
    func passwordHash(of name: String) async throws -> String?
    /// Returns the grant of an account; nil for an unknown name.
    /// - Throws: an error if the accounts cannot be read now.
    func grant(of name: String) async throws -> WebGrant?
    /// Records an attempt to log in.
    /// - Parameter name: the name of an account, or the means by which a browser without an account logged in.
    func noteLogin(of name: String, isRight: Bool, from address: String) async
}

/// Hashes of passwords: salted scrypt (RFC 7914), which takes 32 MB and about a tenth of a second.
package enum WebPassword {
    /// The minimum number of characters of a new password.
    package static let leastLength = 8

    /// Returns the hash of a password with a new salt.
    /// - Throws: an error of scrypt.
    package static func hash(_ text: String) throws -> String { try Password(text).hash }

    /// Replaces the hash of an unknown account, so that the response time does not reveal that the account is unknown.
    static let nobody =
        "$scrypt$" + Data(repeating: 0, count: 16).base64EncodedString() + "$"
        + Data(repeating: 0, count: 32).base64EncodedString()

    /// The suffix of an account's session identifiers: the account's name, and a digest of its password hash. A new
    /// password thereby ends the sessions.
    static func mark(_ name: String, _ hash: String) -> String {
        let digest = SHA256.hash(data: Data(hash.utf8)).prefix(6)
        return "~" + RandomToken.base64URL(Data(name.utf8)) + "~" + RandomToken.base64URL(digest)
    }

    /// Returns the account name in a session identifier; nil if the session does not belong to an account.
    static func name(in session: String) -> String? {
        let parts = session.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        while !text.count.isMultiple(of: 4) { text += "=" }
        return Data(base64Encoded: String(text)).map { String(decoding: $0, as: UTF8.self) }
    }
}
