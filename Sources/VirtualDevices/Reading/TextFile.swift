#if Programs
import Foundation

/// Files of text that a user names: also a pipe, such as `/dev/stdin`.
package enum TextFile {
    /// The longest file that is read, in octets.
    package static let maximumLength = 1 << 20

    /// The reason why a file is not read.
    package enum Problem: Error, Sendable { case missing, unreadable, noText }

    /// The text of a file in UTF-8.
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
