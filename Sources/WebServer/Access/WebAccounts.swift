#if Programs
import Crypto
import Foundation

/// Accounts of people who log in with a name and a password.
package protocol WebAccounts: Sendable {
    /// The hash of the password, as ``WebPassword/hash(_:)`` makes it; nil for an unknown name.
    func passwordHash(of name: String) -> String?
    /// The role of an account; nil for an unknown name.
    func role(of name: String) -> String?
    /// Somebody tried to log in.
    func noteLogin(of name: String, isRight: Bool, from address: String)
}

/// Hashes of passwords: scrypt with a salt (RFC 7914), which take 32 MB and about a tenth of a second.
package enum WebPassword {
    /// The hash of a password with a new salt.
    package static func hash(_ text: String) throws -> String { try Password(text).hash }

    /// Takes the place of the hash of an unknown account, so that the time to answer says nothing.
    static let nobody =
        "$scrypt$" + Data(repeating: 0, count: 16).base64EncodedString() + "$"
        + Data(repeating: 0, count: 32).base64EncodedString()

    /// A session carries the account's name and this mark of its password: a new password ends its sessions.
    static func mark(_ name: String, _ hash: String) -> String {
        let digest = SHA256.hash(data: Data(hash.utf8)).prefix(6)
        return "~" + RandomToken.base64URL(Data(name.utf8)) + "~" + RandomToken.base64URL(digest)
    }

    /// The account's name in the identifier of a session; nil where it is no account's.
    static func name(in session: String) -> String? {
        let parts = session.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        while !text.count.isMultiple(of: 4) { text += "=" }
        return Data(base64Encoded: String(text)).map { String(decoding: $0, as: UTF8.self) }
    }
}
#endif
