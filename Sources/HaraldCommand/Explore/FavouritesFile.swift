#if Programs
import Foundation
import Harald

/// Where favourites are kept: beside the bonds, an identifier a line.
enum FavouritesFile {
    /// The file; nil where nothing is kept.
    static func path(_ options: SharedOptions) -> String? { options.dataDirectory.map { $0 + "/favourites" } }

    /// The favourites; none where there is no file.
    static func read(_ options: SharedOptions) -> Set<PeripheralID> {
        guard let path = path(options), let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return Set(text.split(separator: "\n").compactMap { PeripheralID(String($0)) })
    }
}
#endif
