import Crypto
import Foundation

/// The token of programs, from a file that only its owner may read.
struct BearerToken: Sendable {
    private let digest: SHA256Digest

    /// Creates a token from its text.
    init(_ text: String) { digest = SHA256.hash(data: Data(text.utf8)) }

    /// Reads the file, or creates it with a new token.
    ///
    /// - Throws: ``WebServerError``.
    init(file path: String) throws(WebServerError) {
        let content = try SecretFile.readOrMake(path) { Array((RandomToken.make() + "\n").utf8) }
        let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= 16, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .unusableFile(
                path: path,
                reason:
                    "a token must have at least 16 ASCII characters without spaces; delete it to create a new token"
            )
        }
        self.init(text)
    }

    /// Compares in constant time.
    func matches(_ text: some StringProtocol) -> Bool { SHA256.hash(data: Data(text.utf8)) == digest }
}
