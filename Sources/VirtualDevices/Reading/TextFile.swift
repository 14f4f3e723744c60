#if Programs
import Foundation

/// Reads text files that a user names, including pipes such as `/dev/stdin`.
package enum TextFile {
    /// The maximum length of a file in bytes.
    package static let maximumLength = 1 << 20

    /// The reason why a file was not read.
    package enum Problem: Error, Sendable { case missing, unreadable, noText }

    /// Reads a file of UTF-8 text.
    /// - Throws: ``Problem`` if there is no such file, it cannot be read, is too long or is not UTF-8.
    package static func read(_ path: String) throws(Problem) -> String {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw FileManager.default.fileExists(atPath: path) ? .unreadable : .missing
        }
        defer { try? file.close() }
        let data: Data
        do { data = try file.read(upToCount: maximumLength + 1) ?? Data() } catch { throw .unreadable }
        guard data.count <= maximumLength, let text = String(data: data, encoding: .utf8) else { throw .noText }
        return text
    }
}
#endif
