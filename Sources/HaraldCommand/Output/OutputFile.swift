import Foundation

/// A file that a command writes at its end.
struct OutputFile: Sendable {
    private let path: String

    /// Checks that the file can be written, before the work whose result it is for. An existing file keeps its content
    /// until ``write(_:)``.
    /// - Throws: ``ProgramError`` with the reason.
    init(_ path: String) throws {
        self.path = path
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR {
            // A pipe is not opened, which would wait for its reader.
            guard access(path, W_OK) == 0 else { throw problem(errno) }
            return
        }
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw problem(errno) }
        close(file)
        // A command that is interrupted leaves no empty file.
        if !exists { unlink(path) }
    }

    /// Replaces the content of the file.
    /// - Throws: ``ProgramError`` with the reason.
    func write(_ text: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw problem(errno) }
        let failure = Console.write(Array(text.utf8), to: file)
        let isClosed = close(file) == 0
        if let failure { throw problem(failure) }
        guard isClosed else { throw problem(errno) }
    }

    private func problem(_ code: Int32) -> ProgramError {
        ProgramError(.failed, "cannot write \(path): \(String(cString: strerror(code)))")
    }
}
