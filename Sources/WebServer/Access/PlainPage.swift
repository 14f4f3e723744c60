import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// A page without scripts and other files, for browsers without login and for problems.
enum PlainPage {
    private static let style = """
        :root{color-scheme:light dark;font:16px/1.5 Inter,system-ui,sans-serif}\
        body{margin:0;min-height:100dvh;display:grid;place-items:center;background:light-dark(#f3f5f9,#0e1117);\
        color:light-dark(#131a26,#e8ecf3);overflow-wrap:anywhere}\
        main{box-sizing:border-box;width:min(27rem,calc(100% - 32px));margin:16px 0;padding:32px;border-radius:16px;\
        background:light-dark(#fff,#161b23);border:1px solid light-dark(#dbe1ea,#2a323e)}\
        h1{font-size:22px;line-height:28px;margin:16px 0 8px}p{margin:8px 0;color:light-dark(#4f5a6b,#a4afbf)}\
        a{color:light-dark(#1d55c8,#8ab4ff)}\
        label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}label{margin-top:16px;font-weight:600}\
        input{margin:4px 0 0;padding:8px 12px;min-height:44px;border-radius:8px;color:inherit;background:none;\
        border:1px solid light-dark(#7d8797,#6f7b8c)}\
        button{margin-top:24px;min-height:44px;border:0;border-radius:8px;font-weight:600;cursor:pointer;\
        background:light-dark(#1d55c8,#8ab4ff);color:light-dark(#fff,#0a1730)}\
        :focus-visible{outline:2px solid light-dark(#1d55c8,#8ab4ff);outline-offset:2px}\
        [role=alert]{border-left:4px solid;padding:8px 12px;border-radius:6px;color:light-dark(#ab2418,#ff9f93);\
        background:light-dark(#fde5e1,#431a14)}
        """
    private static let styleHash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()

    /// The icon of the pages, as a part of the page.
    private static let icon = """
        <svg width="40" height="40" viewBox="0 0 32 32" aria-hidden="true" fill="none" stroke="#fff" \
        stroke-linecap="round" stroke-linejoin="round"><rect width="32" height="32" rx="8" fill="#1d55c8" stroke="none"/>\
        <path d="M10 8v16M22 8v16" stroke-width="3.5"/><path d="M10 16h3l1.5-3.5 3 7L19 16h3" stroke-width="2.25"/></svg>
        """

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
            <title>\(escaped(title))</title><style>\(style)</style></head><body><main>\(icon)\(content)</main></body></html>
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
