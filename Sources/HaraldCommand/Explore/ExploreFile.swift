import Explorer
import Foundation

/// The files that the explorer writes.
enum ExploreFile {
    /// The entries as JSON Lines, or as comma-separated values with a header.
    static func log(_ entries: [LogEntry], asCSV: Bool) -> String {
        let lines = asCSV ? [LogEntry.csvHeader] + entries.map(\.csv) : entries.map { $0.json.text }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Writes a new file.
    /// - Throws: `InputError` if the file exists or cannot be written.
    static func write(_ text: String, to path: String) throws {
        let file = (path as NSString).expandingTildeInPath
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            throw InputError("\(path) already exists; choose another file")
        } catch {
            throw InputError("cannot write \(path): \(error.localizedDescription)")
        }
    }

    /// The path in a form that `harald simulate` takes for a file and not for a name.
    static func argument(_ path: String) -> String {
        path.contains("/") || path.hasSuffix(".yaml") || path.hasSuffix(".yml") ? path : "./" + path
    }
}
