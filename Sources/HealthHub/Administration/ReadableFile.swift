import Foundation

/// Checks that a file can be read, before a library reads it whose errors do not have the reason.
package enum ReadableFile {
    /// - Throws: ``HubProblem`` with the reason of the system.
    package static func check(_ path: String) throws(HubProblem) {
        // Without waiting for the writer of a pipe.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let code = errno
        guard file >= 0 else { throw .unreadable(path, code) }
        close(file)
    }
}

extension HubProblem {
    /// Returns the problem of a file that cannot be opened.
    /// - Parameter code: `errno`.
    static func unreadable(_ path: String, _ code: Int32) -> HubProblem {
        HubProblem(
            code == ENOENT ? .notFound : .unavailable, "cannot read \(path): \(String(cString: strerror(code)))")
    }
}
