import Foundation
import HTTPTypes
import Hummingbird

/// Identifies the sender of a request, and logs browsers in and out.
struct AccessControl: Sendable {
    let name: String
    let cookieName: String
    let isEncrypted: Bool
    let sessions: Sessions
    let shared: (any SharedWebState)?
    let bearer: BearerToken
    let namedToken: (@Sendable (Substring) async throws -> WebIdentity?)?
    let links: LoginLinks
    let password: Password?
    let tries: PasswordTries
    let accounts: (any WebAccounts)?
    /// Called with the identifier of a session that has ended.
    let loggedOut: @Sendable (String) -> Void
    let page: LoginPage
    let language: @Sendable (HTTPFields) -> any PageLanguage

    /// The sender of a request. `nil` if it has not logged in.
    ///
    /// - Throws: an error of the accounts, tokens or shared state, whose answer is not known then.
    func identity(of request: Request) async throws -> WebIdentity? {
        if let field = request.headers[.authorization] {
            guard let space = field.firstIndex(of: " "), field[..<space].lowercased() == "bearer" else { return nil }
            let token = field[space...].dropFirst()
            return bearer.matches(token) ? .bearer : try await namedToken?(token)
        }
        guard let value = cookie(of: request) else { return nil }
        guard let id = sessions.identifier(value, cookie: cookieName) else { return nil }
        if let shared, try await shared.isEnded(id) { return nil }
        guard let account = WebPassword.name(in: id) else { return .session(id) }
        // An account that was removed or has a new password is logged out at once.
        guard let hash = try await accounts?.passwordHash(of: account), id.hasSuffix(WebPassword.mark(account, hash)),
            let grant = try await accounts?.grant(of: account)
        else { return nil }
        return .account(session: id, name: account, grant: grant)
    }

    /// The response to a GET of the printed URL: a session, and the page without the token in its address.
    ///
    /// A GET may log in because the token is secret, is valid once, and gives its sender only a session of its own. A
    /// page of another site cannot know a token.
    ///
    /// - Throws: an error of ``identity(of:)``.
    func openLink(token: String, request: Request, address: String) async throws -> Response {
        if let sender = sender(of: token) {
            await accounts?.noteLogin(of: sender, isRight: true, from: address)
            return welcome(request, cookie: newCookie(), at: LoginPage.start)
        }
        if try await identity(of: request)?.isBrowser == true {
            return welcome(request, cookie: nil, at: LoginPage.start)
        }
        return page.response(
            error: "This link was already used, or is older than five minutes.", takesPassword: password != nil,
            language(request.headers))
    }

    /// The response to the login form.
    ///
    /// - Parameter page: the address of the page after the login.
    /// - Throws: ``Problem`` 429 or 503 if too many passwords are checked.
    func submit(
        _ secret: String, name: String, page destination: String, request: Request, address: String
    ) async throws -> Response {
        var secret = secret
        let destination = LoginPage.destination(destination)
        while secret.last?.isNewline == true { secret.removeLast() }
        if let accounts, !name.isEmpty {
            let known = try await accounts.passwordHash(of: name)
            let hash = known ?? WebPassword.nobody
            guard let password = Password(hash: hash) else { throw Problem.fault }
            let isRight = try await tries.check(secret, against: password, of: name, from: address) && known != nil
            await accounts.noteLogin(of: name, isRight: isRight, from: address)
            guard isRight else {
                return page.response(
                    error: "The name or the password is wrong.", takesPassword: true, name: name,
                    destination: destination, language(request.headers))
            }
            let cookie = sessions.make(cookie: cookieName, mark: WebPassword.mark(name, hash))
            return welcome(request, cookie: cookieField(cookie, maxAge: Sessions.lifetime), at: destination)
        }
        if let sender = sender(of: secret) {
            await accounts?.noteLogin(of: sender, isRight: true, from: address)
            return welcome(request, cookie: newCookie(), at: destination)
        }
        if let password {
            let isRight = try await tries.check(secret, against: password, from: address)
            await accounts?.noteLogin(of: "a browser with the password", isRight: isRight, from: address)
            if isRight { return welcome(request, cookie: newCookie(), at: destination) }
        }
        let error = accounts == nil ? "The secret is wrong." : "The name or the password is wrong."
        return page.response(
            error: error, takesPassword: password != nil, destination: destination, language(request.headers))
    }

    /// Ends the session of a browser.
    ///
    /// - Throws: an error of storing the end.
    func logOut(_ request: Request) async throws -> Response {
        if let value = cookie(of: request), let (id, expires) = sessions.session(value, cookie: cookieName) {
            try sessions.end(id, expires: expires)
            try await shared?.end(id, expires: expires)
            loggedOut(id)
        }
        return Response(
            status: .seeOther,
            headers: [.location: "/", .cacheControl: "no-store", .setCookie: cookieField("", maxAge: 0)])
    }

    /// The response to a request without login: the form for a person.
    /// - Throws: ``Problem`` for a program.
    func refusal(of request: Request) throws -> Response {
        let isPage = request.method == .get && (request.headers[.accept] ?? "").contains("text/html")
        guard isPage else { throw Problem.unauthorized(name: name) }
        return page.response(
            error: nil, takesPassword: password != nil, destination: LoginPage.destination(of: request),
            language(request.headers))
    }

    /// Returns the name under which a login with the printed URL or the token is recorded; nil for another secret.
    private func sender(of secret: String) -> String? {
        if links.redeem(secret) { return "a browser with the login URL" }
        return !secret.isEmpty && bearer.matches(secret) ? "a browser with the token" : nil
    }

    func cookie(of request: Request) -> String? { request.cookies[cookieName]?.value }

    private func newCookie() -> String { cookieField(sessions.make(cookie: cookieName), maxAge: Sessions.lifetime) }

    private func cookieField(_ value: String, maxAge: Int) -> String {
        "\(cookieName)=\(value); Path=/; Max-Age=\(maxAge); HttpOnly; SameSite=Strict" + (isEncrypted ? "; Secure" : "")
    }

    /// The response after a login: a redirection to `page`, a path of this server.
    private func welcome(_ request: Request, cookie: String?, at page: String) -> Response {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if let cookie { headers[.setCookie] = cookie }
        // After a link in a page of another site, the browser would follow a redirection without the new
        // SameSite=Strict cookie.
        if request.headers[.secFetchSite] == "cross-site" {
            headers[.contentType] = "text/html; charset=utf-8"
            let text = """
                <!doctype html><html lang="en"><meta http-equiv="refresh" content="0;url=\(PlainPage.escaped(page))">\
                <title>Logged in</title><a href="\(PlainPage.escaped(page))">Continue</a></html>
                """
            return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
        }
        headers[.location] = page
        return Response(status: .seeOther, headers: headers)
    }
}
