#if Programs
import AsyncHTTPClient
import Foundation
import NIOCore

/// Words for an error of a connection.
enum ConnectionProblem {
    static func text(of error: any Error) -> String {
        switch error {
        case is CancellationError: "it was ended"
        case let error as HTTPClientError: error.shortDescription
        case let error as IOError: String(cString: strerror(error.errnoCode))
        default: "\(error)"
        }
    }
}
#endif
