import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// A file of a site that is part of the executable.
package struct StaticResource: Sendable {
    /// The path relative to the site, without a leading slash: `scripts/app.js`.
    package let path: String
    /// The content.
    package let bytes: ByteBuffer

    /// Creates a resource.
    package init(path: String, bytes: some Sequence<UInt8>) {
        self.path = path
        self.bytes = ByteBuffer(bytes: bytes)
    }

    /// Returns the media type for a file name extension.
    static func mediaType(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}

/// The files of a site, and the paths of its pages.
///
/// One HTML file serves all pages; its script evaluates the address. Every other file has the address
/// `/assets/VERSION/PATH`, where VERSION is a digest of all files: browsers cache them permanently, and a new version
/// of the program has new addresses. In the HTML file, `{{assets}}` stands for `/assets/VERSION`.
package struct WebSite: Sendable {
    /// The files except the page.
    package var resources: [StaticResource]
    /// The HTML file of all pages.
    package var page: String
    /// The paths of pages, as in ``WebRoutes``: `/`, `/devices/{id}`, `/health-log/**`.
    package var paths: [String]

    /// Creates a site.
    package init(resources: [StaticResource], page: String, paths: [String]) {
        self.resources = resources
        self.page = page
        self.paths = paths
    }

    /// A site without pages.
    package static let empty = WebSite(resources: [], page: "", paths: [])
}

/// The prepared files of a ``WebSite``.
struct ResourceCatalog: Sendable {
    private struct File: Sendable {
        let body: ByteBuffer
        let type: String
        let tag: String
        let caching: String
    }

    private let files: [String: File]
    /// The HTML file with `{{language}}`.
    private let page: String
    private let pages: WebRouteTable
    /// The prefix of the files' addresses.
    let prefix: String

    init(_ site: WebSite) {
        var hash = SHA256()
        for resource in site.resources {
            hash.update(data: Data(resource.path.utf8))
            hash.update(data: Data(resource.bytes.readableBytesView))
        }
        let prefix =
            "/assets/" + hash.finalize().prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var files: [String: File] = [:]
        for resource in site.resources {
            files["\(prefix)/\(resource.path)"] = File(
                body: resource.bytes, type: StaticResource.mediaType(of: resource.path), tag: Self.tag(resource.bytes),
                caching: "private, max-age=31536000, immutable")
        }
        page = site.page.replacing("{{assets}}", with: prefix)
        var routes = WebRoutes()
        for path in site.paths { routes.get(path) { _, _ in Response(status: .ok) } }
        pages = routes.table()
        self.prefix = prefix
        self.files = files
    }

    /// Returns the response if the path is a page or a file of the site.
    ///
    /// - Throws: ``Problem`` 405.
    func response(to request: Request, _ language: any PageLanguage) throws -> Response? {
        let path = request.uri.path
        let file = files[path] ?? (pages.route(at: path) == nil ? nil : page(in: language))
        guard let file else { return nil }
        guard request.method == .get || request.method == .head else {
            throw Problem.methodNotAllowed(request.method, allowed: [.get, .head])
        }
        let headers: HTTPFields = [.contentType: file.type, .eTag: file.tag, .cacheControl: file.caching]
        let known = (request.headers[.ifNoneMatch] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        if known.contains(file.tag) || known.contains("W/" + file.tag) {
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.body))
    }

    private func page(in language: any PageLanguage) -> File {
        let text = ByteBuffer(string: page.replacing("{{language}}", with: language.code))
        return File(body: text, type: "text/html; charset=utf-8", tag: Self.tag(text), caching: "private, no-cache")
    }

    private static func tag(_ bytes: ByteBuffer) -> String {
        "\"" + RandomToken.base64URL(SHA256.hash(data: Data(bytes.readableBytesView)).prefix(12)) + "\""
    }
}
