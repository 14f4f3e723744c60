import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

extension Problem {
    /// 400: the request has the wrong form.
    package static func badRequest(_ detail: String, advice: String = "See the API's documentation.") -> Problem {
        Problem(status: .badRequest, type: "bad-request", title: "Bad request", detail: detail, advice: advice)
    }

    /// 404: there is nothing at the path.
    package static func notFound(_ detail: String, advice: String = "Check the address.") -> Problem {
        Problem(status: .notFound, type: "not-found", title: "Not found", detail: detail, advice: advice)
    }

    /// 403: the request is understood and not allowed.
    package static func forbidden(_ detail: String, advice: String) -> Problem {
        Problem(status: .forbidden, type: "forbidden", title: "Not allowed", detail: detail, advice: advice)
    }

    /// 401: the request carries neither a session nor a token.
    static func unauthorized(name: String) -> Problem {
        Problem(
            status: .unauthorized, type: "login-required", title: "Log in first",
            detail: "The request carries no valid session cookie and no valid bearer token.",
            advice: "Open the URL that the server printed, or send `Authorization: Bearer TOKEN` with the content of "
                + "the token file.",
            headers: [.wwwAuthenticate: "Bearer realm=\"\(name)\""])
    }

    /// 421: the `Host` field names another server.
    static func foreignHost(_ host: String) -> Problem {
        Problem(
            status: .misdirectedRequest, type: "foreign-host", title: "Unknown host name",
            detail: "This server does not serve the host `\(host)`.",
            advice: "Use an address that the server listens on, or `localhost`, or start it with `--host NAME`.")
    }

    /// 403: the page of another site sent the request.
    static func foreignOrigin(_ origin: String) -> Problem {
        Problem(
            status: .forbidden, type: "foreign-origin", title: "Foreign origin",
            detail: "The request was sent by a page of `\(origin)`.",
            advice: "Only pages of this server may send it. Programs must omit the field `Origin`.")
    }

    /// 405: the path exists, but not with this method.
    static func methodNotAllowed(_ method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(
            status: .methodNotAllowed, type: "method-not-allowed", title: "Method not allowed",
            detail: "This path does not support \(method.rawValue).", advice: "Use \(names).",
            headers: [.allow: names])
    }

    /// 413: the body is larger than the limit.
    static func tooLarge(limit: Int) -> Problem {
        Problem(
            status: .contentTooLarge, type: "too-large", title: "Body too large",
            detail: "The body is larger than \(limit) octets.", advice: "Send less data.")
    }

    /// 429: too many wrong passwords.
    static func tooManyTries(seconds: Int) -> Problem {
        Problem(
            status: .tooManyRequests, type: "too-many-tries", title: "Too many wrong passwords",
            detail: "This address has sent too many wrong passwords.", advice: "Try again in \(seconds) seconds.",
            headers: [.retryAfter: String(seconds)])
    }

    /// 429: too many requests of a token.
    static func tooManyRequests(seconds: Int) -> Problem {
        Problem(
            status: .tooManyRequests, type: "too-many-requests", title: "Too many requests",
            detail: "This token has sent too many requests.", advice: "Send again after the time in Retry-After.",
            headers: [.retryAfter: String(seconds)])
    }

    /// 501: the server does not support a feature that the request requires.
    static func notImplemented(_ detail: String, advice: String) -> Problem {
        Problem(
            status: .notImplemented, type: "not-implemented", title: "Not implemented", detail: detail, advice: advice)
    }

    /// 503: the server is stopping, or has reached a limit.
    static func unavailable(_ detail: String) -> Problem {
        Problem(
            status: .serviceUnavailable, type: "unavailable", title: "Temporarily unavailable", detail: detail,
            advice: "Try again in a moment.", headers: [.retryAfter: "2"])
    }

    /// Returns the problem for an error thrown by a route handler; nil for an unexpected error.
    static func describing(_ error: any Error, bodyLimit: Int) -> Problem? {
        switch error {
        case let problem as Problem: return problem
        case let error as HTTPError where error.status == .notFound && error.body == nil:
            return .notFound("There is nothing at this path.")
        case let error as any HTTPResponseError where error.status == .contentTooLarge:
            return .tooLarge(limit: bodyLimit)
        case let error as HTTPError:
            return Problem(
                status: error.status, type: "http-\(error.status.code)", title: error.status.reasonPhrase,
                detail: error.body ?? error.status.reasonPhrase, headers: error.headers)
        case is HTTPParserError, is ChannelError:
            return .badRequest("The request ended before its body was complete, or is not HTTP.")
        default: return nil
        }
    }

    /// 500: a fault of the server.
    static let fault = Problem(
        status: .internalServerError, type: "fault", title: "Internal error",
        detail: "The server could not answer the request.",
        advice: "The server's log contains the reason; please report it.")
}
