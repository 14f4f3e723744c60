import Crypto
import CryptoExtras
import Foundation
import Logging

/// A password, kept as a salted scrypt hash (RFC 7914).
struct Password: Sendable {
    /// The cost: 2^15 rounds of 8 blocks take 32 MB of memory.
    private static let rounds = 1 << 15
    private static let blockSize = 8
    private static let prefix = "$scrypt$"

    /// `$scrypt$SALT$KEY` in base64.
    let hash: String
    private let salt: Data
    private let key: Data

    /// Hashes a password with a new salt.
    ///
    /// - Throws: an error of scrypt.
    init(_ text: String) throws {
        let salt = Data(RandomToken.bytes(16))
        let key = try Self.derive(text, salt)
        self.init(salt: salt, key: key)
    }

    /// Parses a hash. `nil` if the text is not one.
    init?(hash: String) {
        guard hash.hasPrefix(Self.prefix) else { return nil }
        let parts = hash.dropFirst(Self.prefix.count).split(separator: "$")
        guard parts.count == 2, let salt = Data(base64Encoded: String(parts[0])), salt.count == 16,
            let key = Data(base64Encoded: String(parts[1])), key.count == 32
        else { return nil }
        self.init(salt: salt, key: key)
    }

    private init(salt: Data, key: Data) {
        self.salt = salt
        self.key = key
        hash = Self.prefix + salt.base64EncodedString() + "$" + key.base64EncodedString()
    }

    /// Reads the file of a password, which contains the password or its hash.
    ///
    /// A password is replaced by its hash, mode 0600, if the file is writable.
    ///
    /// - Throws: ``WebServerError/unusableFile(path:reason:)``.
    init(file path: String, logger: Logger) throws(WebServerError) {
        guard let content = try SecretFile.read(path, isPrivate: false) else {
            throw .unusableFile(path: path, reason: "the file does not exist; create it with the password")
        }
        let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !text.isEmpty else { throw .unusableFile(path: path, reason: "the password is empty") }
        if let password = Password(hash: text) {
            self = password
            return
        }
        guard text.count >= WebPassword.leastLength else {
            throw .unusableFile(
                path: path, reason: "a password must have \(WebPassword.leastLength) characters or more")
        }
        guard let password = try? Password(text) else {
            throw .unusableFile(path: path, reason: "cannot hash the password")
        }
        self = password
        do { try SecretFile.write((hash + "\n").utf8, to: path) } catch {
            logger.warning("the password stays in its file as plain text", metadata: ["error": "\(error)"])
        }
    }

    /// Compares in constant time. Takes about a tenth of a second.
    func matches(_ text: String) -> Bool {
        guard let other = try? Self.derive(text, salt) else { return false }
        return SHA256.hash(data: other) == SHA256.hash(data: key)
    }

    private static func derive(_ text: String, _ salt: Data) throws -> Data {
        try KDF.Scrypt.deriveKey(
            from: Data(text.utf8), salt: salt, outputByteCount: 32, rounds: rounds, blockSize: blockSize,
            parallelism: 1
        ).withUnsafeBytes { Data($0) }
    }
}
