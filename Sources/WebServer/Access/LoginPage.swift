#if Programs
import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The form for the password or the token. It refers to no other file, because nothing else is served without login.
struct LoginPage: Sendable {
    let title: String
    /// True to show a field for an account name.
    var takesName = false

    private static let style = """
        :root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}\
        body{max-width:26rem;margin:12vh auto;padding:0 16px}h1{font-size:1.4rem}\
        label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}\
        input{margin:4px 0 16px;padding:8px}button{padding:10px}\
        [role=alert]{border-left:4px solid;padding-left:12px}
        """
    private static let styleHash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()

    private static let policy =
        "default-src 'none'; style-src 'sha256-\(styleHash)'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// The page, with status 401.
    func response(error: String?, takesPassword: Bool) -> Response {
        let label =
            takesName || takesPassword ? "Password, or the content of the token file" : "Content of the token file"
        let name =
            takesName
            ? "<label for=\"name\">Name of your account, if you have one</label>"
                + "<input id=\"name\" name=\"name\" autocomplete=\"username\">" : ""
        let alert = error.map { "<p role=\"alert\">\(Self.escaped($0))</p>" } ?? ""
        let text = """
            <!doctype html><html lang="en"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width,initial-scale=1">\
            <title>\(Self.escaped(title)): log in</title><style>\(Self.style)</style></head><body><main>\
            <h1>\(Self.escaped(title))</h1>\(alert)\
            <p>Open the URL that the server printed when it started. It is valid once, for five minutes. \
            Or enter a secret of this server:</p>\
            <form method="post" action="/login">\(name)<label for="secret">\(label)</label>\
            <input id="secret" name="secret" type="password" autocomplete="current-password" required autofocus>\
            <button>Log in</button></form></main></body></html>
            """
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .wwwAuthenticate: "Bearer",
            .contentSecurityPolicy: Self.policy,
        ]
        return Response(
            status: .unauthorized, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
#endif
