import Adapters
import Foundation

extension UserAir {
    /// Creates the directory of the socket, accessible to the user only.
    /// - Throws: ``ProgramError`` if it cannot be created or belongs to another user.
    static func makeDirectory(for path: String) throws {
        let directory = directory(of: path)
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw ProgramError(.failed, "cannot create the directory \(directory): \(String(cString: strerror(errno)))")
        }
        guard isOwn(directory) else {
            throw ProgramError(
                .failed, "\(directory) belongs to another user; set XDG_RUNTIME_DIR to a directory that you own")
        }
    }
}
