import Foundation
import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(5))) struct RequestCheckTests {
    @Test func hostMustBeAnAddressOfTheServer() async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path, change: { $0.hostNames = ["pi.local", "proxy.example:443"] }) {
            running in
            let port = running.listening.address.port
            for host in [
                "127.0.0.1:\(port)", "localhost:\(port)", "LOCALHOST.:\(port)", "localhost", "pi.local:9",
                "proxy.example",
            ] {
                #expect(try await running.send("/health", headers: ["Host": host]).status == 200, "\(host)")
            }
            for host in [
                "evil.example:\(port)", "127.0.0.1.evil.example", "10.0.0.1:\(port)", "localhost:x", "proxy.example:8",
                "a b",
            ] {
                let answer = try await running.send("/health", headers: ["Host": host])
                #expect(answer.status == 421, "\(host)")
                #expect(answer.headers["content-type"] == "application/problem+json")
                #expect(Set(answer.problem.keys) == ["type", "title", "status", "detail", "advice"])
            }
        }
    }

    @Test func foreignOriginsAreRefusedWithAValidCookie() async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path) { running in
            let cookie = try await running.logIn()
            let port = running.listening.address.port
            func post(_ headers: [String: String]) async throws -> Int {
                var headers = headers
                headers["Cookie"] = cookie
                headers["Content-Type"] = "application/json"
                return try await running.send(
                    "/api/v1/things", method: "POST", headers: headers, body: "{\"name\":\"a\"}"
                ).status
            }
            #expect(try await post([:]) == 200)
            #expect(try await post(["Origin": running.listening.base]) == 200)
            #expect(try await post(["Sec-Fetch-Site": "same-origin"]) == 200)
            for origin in [
                "http://evil.example", "http://127.0.0.1:\(port == 1 ? 2 : 1)", "null", "https://127.0.0.1:\(port)",
            ] {
                #expect(try await post(["Origin": origin]) == 403, "\(origin)")
            }
            #expect(try await post(["Sec-Fetch-Site": "cross-site"]) == 403)
            #expect(try await post(["Sec-Fetch-Site": "same-site"]) == 403)
            // A page of another port must not even open a stream.
            let read = try await running.send(
                "/api/v1/things/1",
                headers: ["Cookie": cookie, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"])
            #expect(read.status == 403)
        }
    }

    /// Cookies do not separate ports (RFC 6265, 8.5).
    @Test func aCookieWithTheHostOfAnotherPortIsRefused() async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path, change: { $0.hostNames = ["pi.local"] }) { running in
            let cookie = try await running.logIn()
            let port = running.listening.address.port
            func status(_ host: String) async throws -> Int {
                try await running.send(
                    "/api/v1/things/1", headers: ["Cookie": cookie, "Host": host, "Origin": "http://\(host)"]
                ).status
            }
            #expect(try await status("127.0.0.1:\(port)") == 200)
            #expect(try await status("127.0.0.1:\(port == 1 ? 2 : 1)") == 421)
            #expect(try await status("localhost:9") == 421)
            // The port of a proxy is not known.
            #expect(try await status("pi.local:9") == 200)
        }
    }

    @Test func onlyHealthAnswersWithoutLogin() async throws {
        let store = try TemporaryDirectory()
        let site = WebSite(
            resources: [StaticResource(path: "app.js", bytes: "1".utf8)], page: "<p>{{assets}}</p>", paths: ["/"])
        try await RunningServer.with(store: store.path, site: site) { running in
            #expect(try await running.send("/health").status == 200)
            for path in ["/", "/api/v1/things/1", "/nothing", "/login", "/health/x", "/health/", "//health"] {
                let answer = try await running.send(path)
                #expect(answer.status == 401, "\(path)")
                #expect(answer.headers["content-type"] == "application/problem+json")
            }
            let page = try await running.send("/", headers: ["Accept": "text/html"])
            #expect(page.status == 401)
            #expect(page.body.contains("<form"))
            #expect(page.headers["content-security-policy"]?.contains("unsafe-inline") == false)
        }
    }

    @Test func problemsArePagesForBrowsers() async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path) { running in
            let page = try await running.authorized("/nothing%3Cb%3E", headers: ["Accept": "text/html,*/*"])
            #expect(page.status == 404 && page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.body.contains("Not found") && !page.body.contains("<b>"))
            #expect(page.headers["content-security-policy"]?.contains("unsafe-inline") == false)
            for (path, accept) in [("/nothing", "*/*"), ("/api/v1/nothing", "text/html")] {
                let answer = try await running.authorized(path, headers: ["Accept": accept])
                #expect(answer.status == 404 && answer.headers["content-type"] == "application/problem+json", "\(path)")
            }
        }
    }

    @Test func methodsPathsAndBodiesAreValidated() async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path, change: { $0.limits.body = 4096 }) { running in
            let method = try await running.authorized("/api/v1/things/1", method: "PUT")
            #expect(method.status == 405)
            #expect(method.headers["allow"] == "GET, HEAD")
            #expect(try await running.authorized("/api/v1/things", method: "QUERY").status == 405)
            #expect(try await running.authorized("/api/v1/other").status == 404)
            let json = ["Content-Type": "application/json"]
            func post(_ body: String, _ headers: [String: String]) async throws -> Int {
                try await running.authorized("/api/v1/things", method: "POST", headers: headers, body: body).status
            }
            #expect(try await post("{\"name\":\"\(String(repeating: "x", count: 5000))\"}", json) == 413)
            // A client that sends the whole body before it reads the response.
            let closing = json.merging(["Connection": "close"]) { $1 }
            #expect(try await post(String(repeating: " ", count: 16 << 20), closing) == 413)
            #expect(try await post("{\"name\":1}", json) == 400)
            #expect(try await post("{", json) == 400)
            #expect(try await post("{\"name\":\"x\"}", ["Content-Type": "text/plain"]) == 415)
            #expect(try await post("{\"name\":\"x\"}", json) == 200)
            #expect(try await running.authorized("/api/v1/fail", method: "POST").status == 500)
        }
    }

    @Test func filesAreCachedByTheirDigest() async throws {
        let store = try TemporaryDirectory()
        let site = WebSite(
            resources: [
                StaticResource(path: "app.js", bytes: "let a".utf8), StaticResource(path: "a.css", bytes: "p{}".utf8),
            ],
            page: "<script src=\"{{assets}}/app.js\"></script>", paths: ["/", "/devices/{id}"])
        try await RunningServer.with(store: store.path, site: site) { running in
            let page = try await running.authorized("/devices/x")
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.headers["cache-control"] == "private, no-cache")
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy.contains("script-src 'self'") && !policy.contains("unsafe"))
            let script = try #require(page.body.split(separator: "\"").dropFirst().first.map(String.init))
            let file = try await running.authorized(script)
            #expect(file.body == "let a")
            #expect(file.headers["content-type"] == "text/javascript; charset=utf-8")
            #expect(file.headers["cache-control"]?.contains("immutable") == true)
            let tag = try #require(file.headers["etag"])
            let again = try await running.authorized(script, headers: ["If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(try await running.authorized(script, method: "POST").status == 405)
        }
    }

    @Test func aPortInUseIsATypedError() async throws {
        let store = try TemporaryDirectory()
        _ = try await RunningServer.with(store: store.path) { running in
            let address = running.listening.address
            await #expect(throws: WebServerError.addressInUse(address)) {
                try await RunningServer.with(store: store.path, port: address.port) { _ in }
            }
        }
    }

    @Test func listenAddresses() {
        #expect(WebAddress("127.0.0.1:0")?.isLoopback == true)
        #expect(WebAddress("[::1]:80") == WebAddress(host: "::1", port: 80))
        #expect(WebAddress("0.0.0.0:80")?.isLoopback == false)
        #expect(WebAddress("127.0.0.1.example:80")?.isLoopback == false)
        for text in ["127.1:0", "127.0.1:0", "[::ffff:127.0.0.1]:0", "localhost:0", "0x7f000001:0"] {
            #expect(WebAddress(text)?.isLoopback == true, "\(text)")
        }
        for text in ["*:0", "0:0", "0.0:0", "[::]:0", "[0:0::0]:0"] {
            #expect(WebAddress(text)?.isAny == true && WebAddress(text)?.isLoopback == false, "\(text)")
        }
        for text in ["", "80", ":80", "::1:80", "a:70000", "a:-1", "a:"] {
            #expect(WebAddress(text) == nil, "\(text)")
        }
    }
}
