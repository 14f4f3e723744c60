import Foundation
import HostBackend

extension UserAir {
    /// Makes the directory of the socket, which nobody else may enter.
    static func makeDirectory(for path: String) throws {
        let directory = directory(of: path)
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw ProgramError(.failed, "cannot make \(directory): \(String(cString: strerror(errno)))")
        }
        guard isOwn(directory) else {
            throw ProgramError(
                .failed, "\(directory) belongs to somebody else; set XDG_RUNTIME_DIR to a directory of yours")
        }
    }
}
