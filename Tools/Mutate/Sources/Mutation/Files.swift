import Foundation

/// What a person reads as the reason why nothing more is done.
package struct MutationError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

enum Files {
    /// The files in `folder` and below, by their paths from it, sorted; without what starts with a dot.
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

    /// Makes a file that holds nothing.
    static func empty(_ file: URL) throws { try Data().write(to: file) }

    /// Writes a file that has other contents.
    static func write(_ data: Data, to file: URL) throws {
        if let old = try? Data(contentsOf: file), old == data { return }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    /// A digest of the files in `folders`, by path and contents.
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
