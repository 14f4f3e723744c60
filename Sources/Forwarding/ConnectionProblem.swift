import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Descriptions of connection errors.
package enum ConnectionProblem {
    package static func text(of error: any Error) -> String {
        switch error {
        case is CancellationError: "the request was cancelled"
        case _ where isClosing(error): "the server closed the connection"
        case let error as NIOTooManyBytesError:
            "the response is longer than \(error.maxBytes.map { "\($0) octets" } ?? "expected")"
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
        case is HTTPParserError: "the response is not HTTP"
        case let error as NIOSSLError: text(ofTLS: "\(error)")
        case let error as BoringSSLError: text(ofTLS: "\(error)")
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "the certificate is for another host"
        default: "\(error)"
        }
    }

    /// Returns true if the server closed the connection before its response was complete.
    package static func isClosing(_ error: any Error) -> Bool {
        switch error {
        case ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed, ChannelError.eof: true
        // The connection ended in the middle of a response.
        case HTTPParserError.invalidEOFState: true
        case let error as HTTPClientError: error == .remoteConnectionClosed
        default: false
        }
    }

    /// - Parameter details: the description of the error, with the names of BoringSSL's reasons.
    private static func text(ofTLS details: String) -> String {
        let texts = [
            (
                "WRONG_VERSION_NUMBER",
                "the server does not use TLS at this port; use http:// or smtp://, or another port"
            ),
            ("CERTIFICATE_VERIFY_FAILED", "the server's certificate is not trusted"),
            ("UNSUPPORTED_PROTOCOL", "the server supports only an old version of TLS"),
            ("uncleanShutdown", "the server ended the connection"),
        ]
        return texts.first { details.contains($0.0) }?.1 ?? "the TLS handshake failed"
    }
}
