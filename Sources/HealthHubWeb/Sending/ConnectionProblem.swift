#if Programs
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix

/// Descriptions of connection errors.
enum ConnectionProblem {
    static func text(of error: any Error) -> String {
        switch error {
        case is CancellationError: "the request was cancelled"
        case let error as HTTPClientError:
            switch error {
            case .deadlineExceeded, .readTimeout: "no response in time"
            case .connectTimeout: "no connection in time"
            default: error.shortDescription
            }
        case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
        case let error as NIOConnectionError:
            if let failure = error.connectionErrors.last {
                text(of: failure.error)
            } else {
                "the name \(error.host) has no address"
            }
        default: "\(error)"
        }
    }
}
#endif
