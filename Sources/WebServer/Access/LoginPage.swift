import HTTPTypes
import Hummingbird

/// The form for the password or the token. It refers to no other file, because nothing else is served without login.
struct LoginPage: Sendable {
    let title: String
    /// True to show a field for an account name.
    var takesName = false

    /// The page, with status 401.
    /// - Parameters:
    ///   - error: the reason why a login failed.
    ///   - name: the account name that was sent.
    ///   - destination: the address of the page after the login.
    func response(
        error: String?, takesPassword: Bool, name: String = "", destination: String = LoginPage.start,
        _ language: any PageLanguage
    ) -> Response {
        let escaped = { (english: String) in PlainPage.escaped(language.text(english)) }
        let label = escaped(
            takesName || takesPassword ? "Password, or the content of the token file" : "Content of the token file")
        // The first field that is empty has the focus.
        let isNameFirst = takesName && name.isEmpty
        let field =
            takesName
            ? "<label for=\"name\">\(escaped("Name of your account, if you have one"))</label>"
                + "<input id=\"name\" name=\"name\" value=\"\(PlainPage.escaped(name))\" autocomplete=\"username\""
                + (isNameFirst ? " autofocus>" : ">") : ""
        let alert = error.map { "<p role=\"alert\">\(escaped($0))</p>" } ?? ""
        let content = """
            <h1>\(escaped(title))</h1>\(alert)\
            <p>\(escaped(Self.advice))</p>\
            <form method="post" action="/login">\
            <input type="hidden" name="page" value="\(PlainPage.escaped(destination))">\
            \(field)<label for="secret">\(label)</label>\
            <input id="secret" name="secret" type="password" autocomplete="current-password" required\
            \(isNameFirst ? "" : " autofocus")>\
            <button>\(escaped("Log in"))</button></form>
            """
        return PlainPage.response(
            status: .unauthorized, title: "\(language.text(title)): \(language.text("Log in"))", content: content,
            language: language, headers: [.wwwAuthenticate: "Bearer"])
    }

    private static let advice =
        "Log in with your account. Or open the link that the server printed when it started: it is valid once, for "
        + "five minutes."

    /// The address of the first page.
    static let start = "/"

    /// Returns the address of the page to which a login leads, or the first page for an address that is no path of this
    /// server: `//example.org` and `/\example.org` name another host.
    static func destination(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let isPath =
            bytes.first == UInt8(ascii: "/") && bytes.count <= 2000
            && bytes.dropFirst().first != UInt8(ascii: "/")
            && bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        let isPage = !["/api/", "/login", "/logout"].contains { text.hasPrefix($0) }
        return isPath && isPage ? text : start
    }

    /// Returns the address of the page that a request asked for.
    static func destination(of request: Request) -> String {
        destination(request.uri.path + (request.uri.query.map { "?" + $0 } ?? ""))
    }
}
