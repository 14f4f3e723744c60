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
    private struct File: Equatable {
        let device: UInt64
        let inode: UInt64
        var size: Int64

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, inode, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
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
        state = Mutex(State(files: paths.map { File($0) }))
    }

    /// Runs `body`, which makes the files shorter.
    func whileShrinking(_ body: () throws -> Void) rethrows {
        state.withLock { $0.isShrinking = true }
        defer {
            state.withLock { [paths] state in
                for (index, path) in paths.enumerated() where state.files[index] != nil {
                    state.files[index]?.size = File(path)?.size ?? 0
                }
                state.isShrinking = false
            }
        }
        try body()
    }

    /// Checks that the names still lead to the files that were opened, and that no other program has made the first
    /// shorter. The log becomes shorter whenever a connection empties it.
    /// - Throws: ``HubProblem`` with advice, which is also in the log, once.
    func check() throws(HubProblem) {
        let lost = state.withLock { [paths] state -> (path: String, isNew: Bool)? in
            for (index, path) in paths.enumerated() {
                guard let known = state.files[index] else { continue }
                guard let file = File(path), file.device == known.device, file.inode == known.inode,
                    index > 0 || file.size >= known.size || state.isShrinking
                else {
                    defer { state.isReported = true }
                    return (path, !state.isReported)
                }
                if !state.isShrinking { state.files[index] = file }
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
