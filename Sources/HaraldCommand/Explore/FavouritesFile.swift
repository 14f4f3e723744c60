import Foundation
import Harald

/// The file of the favourites, in the directory of the bonds: one identifier per line.
enum FavouritesFile {
    /// The path of the file; nil if nothing is stored.
    static func path(_ options: SharedOptions) -> String? { options.dataDirectory.map { $0 + "/favourites" } }

    /// The path of the file with the user's names of devices; nil if nothing is stored.
    static func aliases(_ options: SharedOptions) -> String? { options.dataDirectory.map { $0 + "/aliases" } }

    /// Returns the favourites; empty if there is no file.
    static func read(_ options: SharedOptions) -> Set<PeripheralID> {
        guard let path = path(options), let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return Set(text.split(separator: "\n").compactMap { PeripheralID(String($0)) })
    }
}
