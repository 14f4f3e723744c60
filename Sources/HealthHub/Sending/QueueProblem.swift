import Foundation
import GRDB

/// The error for a queue on this machine that cannot be read or written. It is never a problem of the hub.
package struct QueueProblem: Error, Sendable, Equatable, CustomStringConvertible {
    package var isDiskFull = false
    /// The file, the reason, and advice.
    package var description: String

    static func full(_ directory: String) -> QueueProblem {
        QueueProblem(isDiskFull: true, description: "the disk of \(directory) is full")
    }

    /// Converts an error of SQLite or of the file system.
    /// - Parameters:
    ///   - act: the act that failed, with its object: "read the queue".
    ///   - path: the file.
    init(_ error: any Error, _ act: String, _ path: String) {
        if let problem = error as? QueueProblem {
            self = problem
            return
        }
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard let error = error as? DatabaseError else {
            let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
            self =
                isFull
                ? .full(directory) : QueueProblem(description: "cannot \(act) \(path): \(error.localizedDescription)")
            return
        }
        // SQLite reports some failures to write as errors of input and output.
        if error.resultCode == .SQLITE_FULL || (error.resultCode == .SQLITE_IOERR && QueueReserve.isFull(directory)) {
            self = .full(directory)
            return
        }
        let advice =
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: "; keep the file, and choose another directory with --queue"
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN: "; make the file and its directory writable"
            default: ""
            }
        description = "cannot \(act) \(path): \(error.message ?? "SQLite error \(error.resultCode.rawValue)")\(advice)"
    }

    init(isDiskFull: Bool = false, description: String) {
        (self.isDiskFull, self.description) = (isDiskFull, description)
    }
}
