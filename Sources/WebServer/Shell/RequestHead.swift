#if Programs
import Foundation
import HTTPTypes
import Hummingbird
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension HTTPRequestHead {
    /// `HTTPTypes` has no constant for it.
    private static let hostField = HTTPField.Name("Host")

    /// True if the connection ends after the response: the client asks for it (RFC 9112, 9.3), or the request is in
    /// HTTP/1.0, where the end of a stream is the end of the connection. CONNECT has no defined end without a tunnel.
    var endsConnection: Bool { !isKeepAlive || version.minor == 0 || method == .CONNECT }

    /// Returns the request in the form for handlers.
    ///
    /// - Throws: ``Problem`` 400 or 501, if RFC 9112 requires to refuse the request.
    func request() throws -> HTTPRequest {
        var request = try HTTPRequest(self, secure: false, splitCookie: false)
        // A second field stays among the others (RFC 9112, 3.2).
        let isRepeated = Self.hostField.map { request.headerFields.contains($0) } ?? false
        guard !isRepeated, request.authority != nil || version.minor == 0 else {
            throw Problem.badRequest(
                "The request has no field `Host`, or several.", advice: "Send one field with the name of the server.")
        }
        if let coding = request.headerFields[.transferEncoding], coding.lowercased() != "chunked" {
            throw Problem.notImplemented("The transfer coding `\(coding)` is not supported.", advice: "Use `chunked`.")
        }
        if uri.utf8.first != UInt8(ascii: "/"), uri != "*", method != .CONNECT {
            guard let target = URLComponents(string: uri), target.scheme != nil else {
                throw Problem.badRequest("The target `\(uri)` is neither a path nor a URL.")
            }
            // The host of a target in absolute form replaces that of the field (RFC 9112, 3.2.2).
            request.authority = (target.encodedHost ?? "") + (target.port.map { ":\($0)" } ?? "")
        }
        return request
    }
}

extension Problem {
    /// Describes an error in the form of a request.
    /// - Parameter isTargetTooLong: true if the target exceeds the limit of a field.
    static func describing(_ error: HTTPParserError, isTargetTooLong: Bool) -> Problem {
        switch error {
        case .headerOverflow where isTargetTooLong:
            // RFC 9112, 3 requires this status.
            Problem(
                status: .uriTooLong, type: "target-too-long", title: "Target too long",
                detail: "The target of the request exceeds the limit.", advice: "Send a target of at most 16 KiB.")
        case .headerOverflow:
            Problem(
                status: .requestHeaderFieldsTooLarge, type: "header-too-large", title: "Header too large",
                detail: "The header fields exceed the limit.",
                advice: "Send at most 100 fields, each up to 16 KiB, of 64 KiB together.")
        case .invalidMethod: .notImplemented("The method is unknown.", advice: "See the API's documentation.")
        case .invalidVersion, .paused:
            Problem(
                status: .httpVersionNotSupported, type: "http-version", title: "Version not supported",
                detail: "The line of the request does not end with HTTP/1.1 or HTTP/1.0, and CRLF.",
                advice: "Use HTTP/1.1.")
        default: .badRequest("The request is not in the form of HTTP/1.1.")
        }
    }
}
#endif
