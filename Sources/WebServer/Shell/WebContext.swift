import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The permissions that the application gives to a sender.
package struct WebGrant: Hashable, Sendable {
    /// The role.
    package var role: String
    /// A restriction in a form of the application; nil for none.
    package var scope: String?

    /// Creates a grant.
    package init(role: String, scope: String? = nil) { (self.role, self.scope) = (role, scope) }
}

/// The sender of a request, after its cookie or token was checked.
package enum WebIdentity: Hashable, Sendable {
    /// A browser that logged in; the identifier of its session.
    case session(String)
    /// A browser that logged in with an account; the identifier of its session, and the account's name and grant.
    case account(session: String, name: String, grant: WebGrant)
    /// A program with the bearer token.
    case bearer
    /// A program with a named token of the application, and the grant of that token.
    case token(name: String, grant: WebGrant)

    /// True for a browser that has logged in.
    var isBrowser: Bool {
        switch self {
        case .session, .account: true
        case .bearer, .token: false
        }
    }

    /// The identifier of the session, the same for all of its requests.
    package var sessionID: String {
        switch self {
        case .session(let id): id
        case .account(let id, _, _): id
        case .bearer: "bearer"
        case .token(let name, _): "token \(name)"
        }
    }
}

/// The connection of a request.
package struct RequestOrigin: RequestContextSource {
    package let logger: Logger
    /// The IP address of the sender.
    let address: String?
    /// The problem of data that is no request.
    let refusal: Problem?
}

/// The properties of a request that its handler receives.
package struct WebContext: RequestContext {
    package typealias Source = RequestOrigin

    package var coreContext: CoreRequestContextStorage
    /// The sender. Only handlers of open routes get requests without one.
    package internal(set) var identity: WebIdentity?
    /// The form of responses to problems (``WebServerConfiguration/problemResponse``).
    var problemResponse: (@Sendable (_ problem: Problem, _ path: String) -> Response?)?
    /// See ``WebServerConfiguration/language``.
    package internal(set) var language: @Sendable (HTTPFields) -> any PageLanguage = { _ in EnglishPages() }
    /// The IP address of the sender.
    package let remoteAddress: String?
    /// The problem of data that is no request.
    let refusal: Problem?

    package init(source: RequestOrigin) {
        coreContext = .init(source: source)
        (remoteAddress, refusal) = (source.address, source.refusal)
    }

    /// Returns the part of the path for `{name}`, percent-decoded.
    ///
    /// - Throws: ``Problem`` 400 if the encoding is invalid.
    package func parameter(_ name: String) throws -> String {
        let raw = try parameters.require(name)
        guard let text = raw.removingPercentEncoding else {
            throw Problem.badRequest("`\(raw)` in the path is not valid percent encoding.")
        }
        return text
    }

    /// The session of the sender, to which requests without a viewer belong.
    package var sessionID: String { identity?.sessionID ?? "" }
}
