import Foundation
import NIOHTTP1

extension HTTPRequestHead {
    /// True if the connection ends after the response: the client asks for it (RFC 9112, 9.3), or the request is in
    /// HTTP/1.0, where the end of a stream is the end of the connection. CONNECT has no defined end without a tunnel.
    /// The decoder reads nothing after a request for another protocol, which a server may ignore (RFC 9110, 7.8).
    var endsConnection: Bool {
        !isKeepAlive || version.minor == 0 || method == .CONNECT || headers.contains(name: "Upgrade")
    }

    /// Returns the request with the host of its target in the field `Host`.
    ///
    /// - Throws: ``Problem`` 400 or 501, if RFC 9112 requires to refuse the request.
    func checked() throws(Problem) -> HTTPRequestHead {
        // RFC 9112, 3.2
        guard headers["Host"].count == 1 || version.minor == 0 && headers["Host"].isEmpty else {
            throw .badRequest(
                "The request has no field `Host`, or several.", advice: "Send one field with the name of the server.")
        }
        let coding = headers["Transfer-Encoding"].joined(separator: ", ")
        guard coding.isEmpty || coding.lowercased() == "chunked" else {
            throw .notImplemented("The transfer coding `\(coding)` is not supported.", advice: "Use `chunked`.")
        }
        guard uri.utf8.first != UInt8(ascii: "/"), uri != "*", method != .CONNECT else { return self }
        guard let target = URLComponents(string: uri), target.scheme != nil else {
            throw .badRequest("The target `\(uri)` is neither a path nor a URL.")
        }
        // The host of a target in absolute form replaces that of the field (RFC 9112, 3.2.2).
        var head = self
        head.headers.replaceOrAdd(
            name: "Host", value: (target.encodedHost ?? "") + (target.port.map { ":\($0)" } ?? ""))
        return head
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
