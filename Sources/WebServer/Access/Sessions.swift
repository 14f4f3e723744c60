import Crypto
import Foundation
import Synchronization

/// The sessions of browsers: cookies signed by the server.
///
/// The server stores only the key, so that sessions survive a restart, and the identifiers of sessions that were ended.
final class Sessions: Sendable {
    /// The validity of a session, in seconds: 30 days.
    static let lifetime = 30 * 86_400

    private let key: SymmetricKey
    private let path: String?
    private let ended: Mutex<[String: Int]>
    private let now: @Sendable () -> Date

    /// Creates the sessions of a key.
    ///
    /// - Parameter secret: the hash of the password; sessions created with another secret are invalid.
    /// - Throws: ``WebServerError`` if `endedFile` cannot be read.
    init(
        key: [UInt8], secret: String = "", endedFile: String? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(WebServerError) {
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key), info: Data(secret.utf8), outputByteCount: 32)
        self.now = now
        path = endedFile
        let text = try endedFile.flatMap { path throws(WebServerError) in try SecretFile.read(path) } ?? []
        var ends: [String: Int] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, let end = Int(words[1]) { ends[String(words[0])] = end }
        }
        ended = Mutex(ends)
    }

    /// Creates a session and returns the value of its cookie.
    ///
    /// - Parameters:
    ///   - cookie: the cookie's name, which is part of the signed content.
    ///   - mark: a suffix of the session's identifier.
    func make(cookie: String, mark: String = "") -> String {
        let content =
            RandomToken.base64URL(RandomToken.bytes(16)) + mark + ".\(Int(now().timeIntervalSince1970) + Self.lifetime)"
        return content + "." + RandomToken.base64URL(signature(content, cookie))
    }

    /// Returns the identifier of a session; `nil` if the cookie is invalid.
    func identifier(_ value: String, cookie: String) -> String? { session(value, cookie: cookie)?.id }

    /// Returns the identifier of a session and the time at which it expires; `nil` if the cookie is invalid.
    func session(_ value: String, cookie: String) -> (id: String, expires: Int)? {
        guard let (id, end, content, code) = Self.parts(value) else { return nil }
        let expected = RandomToken.base64URL(signature(content, cookie))
        // Compares digests, so that the duration reveals nothing about the expected value.
        guard SHA256.hash(data: Data(expected.utf8)) == SHA256.hash(data: Data(code.utf8)) else { return nil }
        guard end > Int(now().timeIntervalSince1970) else { return nil }
        return ended.withLock { $0[id] == nil } ? (id, end) : nil
    }

    /// Ends a session early.
    ///
    /// - Throws: ``WebServerError`` if the end cannot be stored.
    func end(_ id: String, expires: Int) throws(WebServerError) {
        let instant = Int(now().timeIntervalSince1970)
        let text = ended.withLock { ended in
            ended[id] = expires
            ended = ended.filter { $0.value > instant }
            return ended.sorted { $0.value < $1.value }.map { "\($0.key) \($0.value)\n" }.joined()
        }
        if let path { try SecretFile.write(text.utf8, to: path) }
    }

    private func signature(_ content: String, _ cookie: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data("\(cookie).\(content)".utf8), using: key)
    }

    private static func parts(_ value: String) -> (id: String, end: Int, content: String, code: String)? {
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        guard value.utf8.count < 256, parts.count == 3, let end = Int(parts[1]) else { return nil }
        return (String(parts[0]), end, "\(parts[0]).\(parts[1])", String(parts[2]))
    }
}
