import HTTPTypes
import Hummingbird

/// The header fields of every response that restrict the page.
enum SecurityHeaders {
    /// No inline scripts or styles, no content of other sites, no frames in either direction.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
        connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
        frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types harald
        """

    /// The fields of all responses.
    private static let fixed: HTTPFields = [
        .xContentTypeOptions: "nosniff",
        // Not `no-referrer`: with it a browser sends `Origin: null` for a form.
        .referrerPolicy: "same-origin",
        .crossOriginOpenerPolicy: "same-origin",
        .crossOriginResourcePolicy: "same-origin",
        .permissionsPolicy: "camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=()",
    ]

    /// The fields of responses that do not have their own.
    private static let usual: HTTPFields = [.contentSecurityPolicy: policy, .cacheControl: "no-store"]

    /// Adds the fields, which replace those of the same names.
    static func add(to response: inout Response) {
        // Fields are appended, because setting each one searches for it.
        var fields = fixed
        for field in response.headers where !fixed.contains(field.name) { fields.append(field) }
        for field in usual where !response.headers.contains(field.name) { fields.append(field) }
        response.headers = fields
    }
}

extension HTTPField.Name {
    private static func known(_ name: String) -> HTTPField.Name {
        // Proof: the names are the constants below, all of them tokens of RFC 9110.
        guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is not a valid HTTP field name") }
        return field
    }

    static let referrerPolicy = known("Referrer-Policy")
    static let permissionsPolicy = known("Permissions-Policy")
    static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
    /// The relation of the sender's site to this server (Fetch Metadata).
    static let secFetchSite = known("Sec-Fetch-Site")
    /// The mode of a browser's request (Fetch Metadata).
    static let secFetchMode = known("Sec-Fetch-Mode")
    /// The identifier of the last event that a client has received.
    static let lastEventID = known("Last-Event-ID")
    /// The viewer of a request.
    static let viewer = known("Harald-Viewer")
}
