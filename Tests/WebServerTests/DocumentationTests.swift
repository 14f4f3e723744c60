import Foundation
import Testing

@testable import WebServer

/// The pages under `/docs/`.
@Suite struct DocumentationTests {
    private static let page = """
        <!doctype html><title>Guides</title><script src="app.js"></script><script>let a = 1</script>
        <script type="module">let b = 2</script>
        """

    private func withSite(
        _ body: @escaping @Sendable (RunningServer, _ folder: URL) async throws -> Void
    ) async throws {
        let store = try TemporaryDirectory()
        let place = URL(fileURLWithPath: store.path)
        let folder = place.appendingPathComponent("site")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("HowTo"), withIntermediateDirectories: true)
        try Data(Self.page.utf8).write(to: folder.appendingPathComponent("index.html"))
        try Data("<p>How</p>".utf8).write(to: folder.appendingPathComponent("HowTo/index.html"))
        try Data("let c = 3".utf8).write(to: folder.appendingPathComponent("app.js"))
        try Data("hidden words".utf8).write(to: place.appendingPathComponent("secret.txt"))
        try await RunningServer.with(store: place.path, change: { $0.documentation = folder.path }) {
            try await body($0, folder)
        }
    }

    @Test func pagesAllowTheirOwnScriptsOnly() async throws {
        try await withSite { server, _ in
            let answer = try await server.authorized("/docs/")
            #expect(answer.status == 200)
            #expect(answer.body == Self.page)
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            let policy = answer.headers["content-security-policy"] ?? ""
            // echo -n 'let a = 1' | openssl dgst -sha256 -binary | base64, and of the other one
            #expect(
                policy.contains(
                    """
                    script-src 'self' 'sha256-LAfYd7pbFUgwfQu8b4q135PeTG2z+/coPEUYCd74eCQ=' \
                    'sha256-hw6SF70TgtO+azcigl1qlSK/03SKqmHr++X+jfL8cto=';
                    """))
            let script = try await server.authorized("/docs/app.js")
            #expect(script.body == "let c = 3")
            #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
            #expect(script.headers["content-security-policy"]?.contains("sha256") == false)
        }
    }

    @Test func foldersHaveTheirPage() async throws {
        try await withSite { server, _ in
            try await #expect(server.authorized("/docs").headers["location"] == "/docs/")
            try await #expect(server.authorized("/docs/HowTo").headers["location"] == "/docs/HowTo/")
            try await #expect(server.authorized("/docs/HowTo/").body == "<p>How</p>")
        }
    }

    @Test(arguments: [
        "/docs/../secret.txt", "/docs/%2e%2e/secret.txt", "/docs/..%2fsecret.txt", "/docs/%252e%252e/secret.txt",
        "/docs/HowTo/../../secret.txt", "/docs/HowTo%00.html", "/docs/%ff", "/docs/.hidden", "/docs/nothing/",
    ])
    func nothingElseIsShown(_ path: String) async throws {
        try await withSite { server, _ in
            let answer = try await server.authorized(path)
            #expect(answer.status == 404)
            #expect(!answer.body.contains("words"))
        }
    }

    @Test func aLoginIsRequired() async throws {
        try await withSite { server, _ in try await #expect(server.send("/docs/").status == 401) }
    }

    @Test func aMissingDocumentationSaysWhatToInstall() async throws {
        try await withSite { server, folder in
            try FileManager.default.removeItem(at: folder)
            let answer = try await server.authorized("/docs/")
            #expect(answer.status == 404)
            #expect((answer.problem["advice"] as? String)?.contains("harald-doc") == true)
        }
    }
}
