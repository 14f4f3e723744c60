import Foundation

/// Reads secrets from files: tokens and passwords.
package enum SecretText {
    /// The maximum length of a file, in octets. A token is a header of a request; the HTTP client ends the program at
    /// one of 100,000 octets.
    package static let maximumLength = 8 << 10

    /// Returns the bearer token in a file.
    /// - Throws: ``HubProblem`` if the file cannot be read, or contains something else.
    package static func token(in path: String) throws(HubProblem) -> String {
        let token = try trimmed(path)
        guard isToken(token) else {
            throw HubProblem(
                .invalid,
                "the token file \(path) must contain only a token, which has no blanks and no special characters")
        }
        return token
    }

    /// Returns true for a text that can be a bearer token, which has no blanks (RFC 6750, 2.1).
    static func isToken(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// Returns the password of an MQTT broker, which is UTF-8 (MQTT 3.1.1, 3.1.3.5).
    /// - Throws: ``HubProblem`` if the file cannot be read, or contains control characters.
    package static func brokerPassword(in path: String) throws(HubProblem) -> String {
        let password = try trimmed(path)
        guard !password.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw HubProblem(.invalid, "the password in \(path) contains a control character or several lines")
        }
        return password
    }

    /// Returns the password in a file that only its owner may read.
    /// - Throws: ``HubProblem`` as ``brokerPassword(in:)``, and for a file that others may read.
    package static func password(in path: String) throws(HubProblem) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path, errno) }
        guard status.st_mode & 0o077 == 0 else {
            throw HubProblem(.invalid, "others may read the password in \(path); `chmod 600 \(path)` changes that")
        }
        return try brokerPassword(in: path)
    }

    /// Returns the first line of a file, with its blanks.
    /// - Throws: ``HubProblem`` if the file cannot be read.
    package static func firstLine(of path: String) throws(HubProblem) -> String {
        try text(of: path).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }

    private static func trimmed(_ path: String) throws(HubProblem) -> String {
        let text = try text(of: path).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw HubProblem(.invalid, "the file \(path) is empty") }
        return text
    }

    private static func text(of path: String) throws(HubProblem) -> String {
        guard let file = FileHandle(forReadingAtPath: path) else { throw .unreadable(path, errno) }
        defer { try? file.close() }
        let content: Data
        do {
            content = try file.read(upToCount: maximumLength + 1) ?? Data()
        } catch {
            throw HubProblem(.unavailable, "cannot read \(path): \(error.localizedDescription)")
        }
        guard content.count <= maximumLength else {
            throw HubProblem(
                .invalid, "\(path) is longer than \(maximumLength) octets, the maximum of a token and of a password")
        }
        guard let text = String(data: content, encoding: .utf8) else {
            throw HubProblem(.invalid, "\(path) is not UTF-8")
        }
        return text
    }
}
