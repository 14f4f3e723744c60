import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// A page without scripts and other files, for browsers without login and for problems.
enum PlainPage {
    private static let style = """
        :root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}\
        body{max-width:26rem;margin:12vh auto;padding:0 16px;overflow-wrap:anywhere}h1{font-size:1.4rem}\
        label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}\
        input{margin:4px 0 16px;padding:8px}button{padding:10px}\
        [role=alert]{border-left:4px solid;padding-left:12px}
        """
    private static let styleHash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()

    private static let policy =
        "default-src 'none'; style-src 'sha256-\(styleHash)'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'"

    /// Returns the response with the page.
    /// - Parameters:
    ///   - title: text.
    ///   - content: markup.
    static func response(
        status: HTTPResponse.Status, title: String, content: String, language: any PageLanguage,
        headers: HTTPFields = [:]
    ) -> Response {
        let text = """
            <!doctype html><html lang="\(language.code)"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width,initial-scale=1">\
            <title>\(escaped(title))</title><style>\(style)</style></head><body><main>\(content)</main></body></html>
            """
        var headers = headers
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.cacheControl] = "no-store"
        headers[.contentSecurityPolicy] = policy
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Returns text as markup, also for attributes.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

extension Problem {
    /// Returns the page with the problem for a person at a browser; nil for a program, and for paths of an API.
    func page(for request: Request, _ language: any PageLanguage) -> Response? {
        guard (request.headers[.accept] ?? "").contains("text/html"), !request.uri.path.hasPrefix("/api/") else {
            return nil
        }
        let text =
            "<h1>\(PlainPage.escaped(title))</h1><p>\(PlainPage.escaped(detail))</p>"
            + "<p>\(PlainPage.escaped(advice))</p><p><a href=\"/\">\(language.text("To the first page"))</a></p>"
        return PlainPage.response(status: status, title: title, content: text, language: language, headers: headers)
    }
}
