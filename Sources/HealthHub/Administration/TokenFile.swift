import Foundation

/// The bearer token in a file. A file is read each time, so that a new token is used at once. The token of a pipe, such
/// as that of `<(command)`, is kept, because a pipe can be read only once.
package struct TokenFile: Sendable {
    package let path: String
    private let kept: String?

    /// - Throws: ``HubProblem`` if the file cannot be read, or contains something else.
    package init(_ path: String) throws(HubProblem) {
        self.path = path
        var status = stat()
        let isFile = stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
        let token = try SecretText.token(in: path)
        kept = isFile ? nil : token
    }

    /// Returns the token.
    /// - Throws: ``HubProblem`` if the file cannot be read, or contains something else.
    package func token() throws(HubProblem) -> String {
        if let kept { return kept }
        return try SecretText.token(in: path)
    }
}
