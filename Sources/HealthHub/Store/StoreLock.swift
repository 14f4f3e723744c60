#if Programs
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Exclusive right to write a store, held by one process: an advisory lock on the file beside it. The kernel gives it
/// back when the process ends, however it ends.
package final class StoreLock: Sendable {
    private let descriptor: CInt

    /// Takes the lock of the store at `path`; nil where another process holds it.
    /// - Throws: ``HubProblem`` where the directory is missing or not writable.
    package init?(path: String) throws {
        let file = path + ".lock"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw HubProblem(.unavailable, "\(file): \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit { close(descriptor) }
}
#endif
