import Foundation

/// The lines that were entered, kept in a file.
struct ShellHistory {
    private static let limit = 1000

    /// The lines, most recent first.
    private(set) var lines: [String] = []
    private let path: String?

    /// - Parameter directory: the directory of the file; nil if nothing is kept.
    init(directory: String?) {
        path = directory.map { $0 + "/shell_history" }
        guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        lines = text.split(separator: "\n").map(String.init).reversed().prefix(Self.limit).map { $0 }
    }

    /// Adds a line. Lines with a passkey or out-of-band data are not kept, and neither are repeated lines.
    mutating func add(_ line: String) {
        guard !line.allSatisfy(\.isWhitespace), line != lines.first,
            !["--passkey", "--oob"].contains(where: { line.contains($0) })
        else { return }
        lines = [line] + lines.prefix(Self.limit - 1)
    }

    /// Writes the file, which only the user may read. A directory that is missing is made; a failure loses the lines.
    func save() {
        guard let path else { return }
        let directory = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let text = lines.reversed().map { $0 + "\n" }.joined()
        let other = path + ".new"
        guard
            FileManager.default.createFile(
                atPath: other, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { return }
        if rename(other, path) != 0 { unlink(other) }
    }
}
