#if os(Linux)
import Foundation

/// A directory for the files of a private bus. A lock tells if its process lives.
final class BusDirectory: Sendable {
    let path: String
    private let lock: Int32

    var socket: String { path + "/bus" }

    /// Creates a directory that only this user may enter, and removes those of processes that were killed.
    /// - Throws: ``ProgramError`` if it cannot be created.
    init() throws {
        let prefix = Self.folder + "/harald-bluez-\(getuid())-"
        Self.removeStale(prefix)
        var template = Array((prefix + "XXXXXX").utf8CString)
        guard let created = mkdtemp(&template) else {
            throw ProgramError(.failed, "cannot create \(prefix)XXXXXX: \(String(cString: strerror(errno)))")
        }
        path = String(cString: created)
        lock = open(path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw ProgramError(.failed, "cannot lock \(path)/lock: \(String(cString: strerror(errno)))")
        }
    }

    /// The directory for temporary files, unless its path is too long for a socket, or has characters that an address
    /// of D-Bus escapes (D-Bus Specification, "Server Addresses").
    private static var folder: String {
        let path = FileManager.default.temporaryDirectory.path
        let isPlain = path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_/.".contains($0)) }
        return isPlain && path.utf8.count < 64 ? path : "/tmp"
    }

    deinit { close(lock) }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    private static func removeStale(_ prefix: String) {
        let folder = (prefix as NSString).deletingLastPathComponent
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = folder + "/" + name
            // Without a file to lock, the directory is being created by another process.
            guard path.hasPrefix(prefix), case let lock = open(path + "/lock", O_RDWR | O_CLOEXEC), lock >= 0 else {
                continue
            }
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: path) }
            close(lock)
        }
    }
}
#endif
