import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The exclusive right to write a store, held by one process: an advisory lock on a file in the store's directory. The
/// kernel releases it when the process ends, also after a crash.
package final class StoreLock: Sendable {
    private let descriptor: CInt

    /// Acquires the lock of the store at `path`; nil if another process holds it.
    /// - Throws: ``HubProblem`` if the directory is missing or not writable.
    package init?(path: String) throws {
        let file = path + ".lock"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw HubProblem(.unavailable, "\(file): \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit {
        // A child process that another thread is starting has the descriptor until it executes its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
