import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The documentation of the program, a static site in a folder, under `/docs/`.
///
/// Its pages contain scripts, which their policy allows by digest; the policy of all other pages allows none.
package struct DocumentationFolder: Sendable {
    /// The folder of the Debian package `harald-doc`.
    package static let installed = "/usr/share/doc/harald-doc/html"

    private let folder: String
    private let files = FileIO()

    /// - Parameter folder: the folder that `make site` or the package `harald-doc` made.
    package init(_ folder: String) { self.folder = folder }

    /// True if the folder has a site.
    package var exists: Bool { FileManager.default.fileExists(atPath: folder + "/index.html") }

    func addRoutes(to routes: inout WebRoutes) {
        for path in ["/docs", "/docs/**"] {
            routes.get(path) { request, context in try await response(to: request, context) }
        }
    }

    /// - Throws: ``Problem`` 404.
    private func response(to request: Request, _ context: WebContext) async throws -> Response {
        guard exists else {
            throw Problem.notFound(
                "The documentation is not installed on this machine.",
                advice: "Install the package harald-doc; or build it with `make site`, and start with `--docs FOLDER`.")
        }
        let path = request.uri.path
        guard let names = Self.names(of: path) else { throw Problem.notFound("There is no page \(path).") }
        var file = ([folder] + names).joined(separator: "/")
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else {
            throw Problem.notFound("The documentation has no page \(path).", advice: "Search from /docs/.")
        }
        if isFolder.boolValue {
            // Without the slash, the page's relative links would lead to other folders.
            guard path.hasSuffix("/") else {
                return Response(status: .movedPermanently, headers: [.location: path + "/"])
            }
            file += "/index.html"
        }
        let type = StaticResource.mediaType(of: file)
        let headers: HTTPFields = [.contentType: type, .cacheControl: "private, max-age=60"]
        guard type.hasPrefix("text/html") else {
            return Response(
                status: .ok, headers: headers, body: try await files.loadFile(path: file, context: context))
        }
        guard let page = FileManager.default.contents(atPath: file) else {
            throw Problem.notFound("The documentation has no page \(path).", advice: "Search from /docs/.")
        }
        var response = Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: page)))
        response.headers[.contentSecurityPolicy] = Self.policy(of: String(decoding: page, as: UTF8.self))
        return response
    }

    /// Returns the names below the folder that a path has; nil if one of them could lead out of it.
    static func names(of path: String) -> [String]? {
        let names = path.dropFirst("/docs".count).split(separator: "/").map { $0.removingPercentEncoding ?? ".." }
        return names.contains { $0.hasPrefix(".") || $0.contains("/") || $0.contains("\0") } ? nil : names
    }

    /// Returns the policy of a page: no content of other sites, and no other scripts than those that it has.
    static func policy(of page: String) -> String {
        let scripts = page.matches(of: #/<script(?:\s[^>]*)?>(.*?)</script>/#.dotMatchesNewlines()).map(\.output.1)
        let digests = scripts.filter { !$0.isEmpty }.map {
            "'sha256-" + Data(SHA256.hash(data: Data($0.utf8))).base64EncodedString() + "'"
        }
        return """
            default-src 'none'; script-src 'self'\(Set(digests).sorted().map { " " + $0 }.joined()); \
            style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; \
            worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
    }
}
