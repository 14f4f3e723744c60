import HTTPTypes
import Hummingbird

/// Checks that a request was sent by a page of this server, and not by a page of another site or port.
enum Origin {
    /// Returns true for methods that change nothing.
    static func isSafe(_ method: HTTPRequest.Method) -> Bool { method == .get || method == .head || method == .options }

    /// Checks a request whose `Host` is one of the server's names.
    ///
    /// A browser sends `Origin` with every request that changes something, and `Sec-Fetch-Site` with every request. A
    /// program sends neither.
    ///
    /// - Throws: ``Problem`` 403.
    static func check(_ request: Request, isEncrypted: Bool) throws {
        let host = request.head.authority ?? ""
        let own = (isEncrypted ? "https://" : "http://") + host
        if let origin = request.headers[.origin] {
            if origin.lowercased() == own.lowercased() { return }
            // Reading across origins is refused too: no page needs it, and `SameSite` does not separate ports.
            if !isSafe(request.method) || request.uri.path.hasPrefix("/api/") { throw Problem.foreignOrigin(origin) }
        }
        guard let site = request.headers[.secFetchSite], site != "same-origin", site != "none" else { return }
        let isNavigation = request.headers[.secFetchMode] == "navigate" && isSafe(request.method)
        if !isNavigation { throw Problem.foreignOrigin("another site") }
    }
}
