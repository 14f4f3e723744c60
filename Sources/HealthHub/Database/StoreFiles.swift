import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file of a store in SQLite and its log. SQLite writes to the files that it opened, also if another file has their
/// name meanwhile: what it commits then is lost with the process.
final class StoreFiles: Sendable {
    private struct File {
        let device, inode: UInt64
        let size: Int64
        /// The beginning of a log: a number that marks it, and salts that SQLite changes when it begins the log again.
        let header: [UInt8]

        init?(_ path: String, isLog: Bool) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, inode, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
            // The file of the store must not be opened: closing it would release the locks that SQLite has on it.
            header = isLog ? Self.header(path) : []
        }

        private static func header(_ path: String) -> [UInt8] {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return [] }
            defer { close(descriptor) }
            return [UInt8](unsafeUninitializedCapacity: 24) { buffer, count in
                count = max(0, pread(descriptor, buffer.baseAddress, 24, 0))
            }
        }

        /// Returns true if no other program has taken anything from the file since it was as `known`. A log becomes
        /// shorter when a connection empties it; the next commit then begins it with other salts (SQLite's file format,
        /// 4.1).
        func follows(_ known: File, isLog: Bool) -> Bool {
            guard device == known.device, inode == known.inode else { return false }
            guard isLog else { return size >= known.size }
            return size == 0 || header.starts(with: [0x37, 0x7F, 6]) && (size >= known.size || header != known.header)
        }
    }

    private struct State {
        var files: [File?]
        var isShrinking = false
        var isReported = false
    }

    private let paths: [String]
    private let state: Mutex<State>

    /// Notes the files of an open store.
    init(path: String) {
        paths = [path, path + "-wal"]
        state = Mutex(State(files: paths.enumerated().map { File($1, isLog: $0 > 0) }))
    }

    /// Runs `body`, which makes the files shorter.
    func whileShrinking(_ body: () throws -> Void) rethrows {
        state.withLock { $0.isShrinking = true }
        defer {
            state.withLock { [paths] state in
                for (index, path) in paths.enumerated() {
                    guard let known = state.files[index], let file = File(path, isLog: index > 0),
                        file.device == known.device, file.inode == known.inode
                    else { continue }
                    state.files[index] = file
                }
                state.isShrinking = false
            }
        }
        try body()
    }

    /// Checks that the names still lead to the files that were opened, and that no other program has made them shorter.
    /// It is called before a commit, which makes them longer again, and after it.
    /// - Throws: ``HubProblem`` with advice, which is also in the log, once.
    func check() throws(HubProblem) {
        let lost = state.withLock { [paths] state -> (path: String, isNew: Bool)? in
            for (index, path) in paths.enumerated() {
                guard let known = state.files[index] else { continue }
                let file = File(path, isLog: index > 0)
                if state.isShrinking, file?.device == known.device, file?.inode == known.inode { continue }
                guard let file, file.follows(known, isLog: index > 0) else {
                    defer { state.isReported = true }
                    return (path, !state.isReported)
                }
                state.files[index] = file
            }
            return nil
        }
        guard let lost else { return }
        let problem = HubProblem(
            .unavailable,
            "\(lost.path) was replaced, removed or shortened while the hub runs; stop the hub, and put the file back or "
                + "restore a backup")
        if lost.isNew { HubStore.logger.error("nothing is stored", metadata: ["reason": "\(problem)"]) }
        throw problem
    }
}
