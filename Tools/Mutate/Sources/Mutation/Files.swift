import Foundation

/// An error with a text for the user.
package struct MutationError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

enum Files {
    /// Returns the files in `folder` and below, by their relative paths, sorted; without names that start with a dot.
    static func all(in folder: URL) throws -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        var files: [String] = []
        while let path = walk.nextObject() as? String {
            let name = path.split(separator: "/").last ?? ""
            let isFolder = walk.fileAttributes?[.type] as? FileAttributeType == .typeDirectory
            if name.hasPrefix(".") || name == "__pycache__" {
                if isFolder { walk.skipDescendants() }
            } else if !isFolder {
                files.append(path)
            }
        }
        return files.sorted()
    }

    /// Creates an empty file.
    static func empty(_ file: URL) throws { try Data().write(to: file) }

    /// Writes a file unless it has the same contents.
    static func write(_ data: Data, to file: URL) throws {
        if let old = try? Data(contentsOf: file), old == data { return }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    /// Returns a digest of the files in `folders`, by path and contents.
    static func digest(of folders: [URL]) throws -> String {
        var digest = Digest()
        for folder in folders {
            for file in try all(in: folder) {
                digest.add(file)
                digest.add(try String(decoding: Data(contentsOf: folder.appending(path: file)), as: UTF8.self))
            }
        }
        return digest.text
    }
}
