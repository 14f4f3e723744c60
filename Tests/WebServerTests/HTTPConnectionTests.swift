import Foundation
import NIOCore
import Testing

@testable import WebServer

/// Requests and responses on one connection, octet by octet.
@Suite(.timeLimit(.minutes(5))) struct HTTPConnectionTests {
    private static let get = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private func run(
        change: @escaping (inout WebServerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (RunningServer, any Channel, RawClient) async throws -> Void
    ) async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path, change: change) { running in
            let (channel, client) = try await RawClient.connect(running)
            try await body(running, channel, client)
        }
    }

    private static func post(_ token: String, _ rest: String) -> String {
        "POST /api/v1/things HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
            + "Content-Type: application/json\r\n" + rest
    }

    private func count(_ words: String, in text: String) -> Int { text.components(separatedBy: words).count - 1 }

    @Test("Requests that arrive together are answered in their order")
    func pipelined() async throws {
        try await run { running, channel, client in
            let token = try running.token
            let posts = (0..<5).map { number in
                Self.post(token, "Content-Length: 12\r\n\r\n{\"name\":\"\(number)\"}")
            }
            try await channel.writeAndFlush(ByteBuffer(string: posts.joined() + Self.get))
            #expect(await client.hears("\"ok\""))
            let text = client.text.withLock { $0 }
            let places = (0..<5).map { text.range(of: "{\"name\":\"\($0)\"}")?.lowerBound }
            #expect(places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted())
        }
    }

    @Test("A request is answered whatever the pieces are in which it arrives", arguments: [1, 7, 200])
    func pieces(size: Int) async throws {
        try await run { running, channel, client in
            let body = "{\"name\":\"chunked\"}"
            let request = Self.post(
                try running.token,
                "Transfer-Encoding: chunked\r\n\r\n5\r\n\(body.prefix(5))\r\n"
                    + "\(String(body.count - 5, radix: 16))\r\n\(body.dropFirst(5))\r\n0\r\n\r\n")
            var octets = ByteBuffer(string: request)
            while let part = octets.readSlice(length: min(size, octets.readableBytes)), part.readableBytes > 0 {
                try await channel.writeAndFlush(part)
            }
            try await channel.writeAndFlush(ByteBuffer(string: Self.get))
            #expect(await client.hears("\"ok\""))
            #expect(client.text.withLock { $0.contains(body) })
        }
    }

    @Test("A large body is read as fast as it is used, and the next request follows it")
    func largeBody() async throws {
        try await run(change: { $0.limits.body = 1 << 20 }) { running, channel, client in
            let body = "{\"name\":\"" + String(repeating: "x", count: 50_000) + "\"}"
            let large = String(repeating: "x", count: 4 << 20)
            let token = try running.token
            for body in [body, large] {
                try await channel.writeAndFlush(
                    ByteBuffer(string: Self.post(token, "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")))
            }
            try await channel.writeAndFlush(ByteBuffer(string: Self.get))
            #expect(await client.hears("\"ok\""))
            let text = client.text.withLock { $0 }
            #expect(text.contains(body) && count("HTTP/1.1 413", in: text) == 1)
        }
    }

    @Test("A request is answered before its body arrives, and the body then ignored")
    func refusedBeforeBody() async throws {
        try await run { _, channel, client in
            try await channel.writeAndFlush(
                ByteBuffer(string: "POST /api/v1/things HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"))
            #expect(await client.hears("HTTP/1.1 401"))
            try await channel.writeAndFlush(ByteBuffer(string: "abcd" + Self.get))
            #expect(await client.hears("HTTP/1.1 200"))
        }
    }

    @Test("A body that ends early is not used")
    func truncated() async throws {
        try await run { running, channel, client in
            let body = "{\"name\":\"whole\"}"
            let request = Self.post(try running.token, "Content-Length: \(body.utf8.count + 1)\r\n\r\n\(body)")
            try await channel.setOption(ChannelOptions.allowRemoteHalfClosure, value: true).get()
            try await channel.writeAndFlush(ByteBuffer(string: request))
            try await channel.close(mode: .output).get()
            #expect(await client.whole().hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test(
        "The connection ends after its response",
        arguments: [
            (get.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n"), "HTTP/1.1 200"),
            (get.replacing("\r\n\r\n", with: "\r\nConnection: Close\r\n\r\n") + get, "HTTP/1.1 200"),
            (get.replacing("\r\n\r\n", with: "\r\nConnection: TE, close\r\n\r\n"), "HTTP/1.1 200"),
            (get.replacing("\r\n\r\n", with: "\r\nConnection: TE\r\nConnection: close\r\n\r\n"), "HTTP/1.1 200"),
            (get.replacing("/1.1", with: "/1.0"), "HTTP/1.0 200"),
            (
                get.replacing("GET", with: "POST").replacing("/1.1", with: "/1.0").replacing(
                    "\r\n\r\n", with: "\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                "HTTP/1.0 405"
            ),
            ("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 401"),
            // what is no valid request
            ("GET / HTTP/1.1\r\n:\r\n\r\n", "HTTP/1.1 400"), ("GET /health\r\n\r\n", "HTTP/1.1 505"),
            ("GET /health HTTP/1.1\r\n\r\n", "HTTP/1.1 400"),
            (get.replacing("\r\n\r\n", with: "\r\nHost: evil.example\r\n\r\n"), "HTTP/1.1 400"),
            (
                get.replacing("\r\n\r\n", with: "\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
                "HTTP/1.1 501"
            ),
            ("UNKNOWN / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 501"),
            (get.replacing("/1.1", with: "/2.0"), "HTTP/1.1 505"),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 505"),
            ("GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 414"),
            ("\r\nGET /\(String(repeating: "x", count: 200_000))", "HTTP/1.1 414"),
            (
                "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n",
                "HTTP/1.1 431"
            ),
            (
                "GET / HTTP/1.1\r\nHost: localhost\r\n\(String(repeating: "X: x\r\n", count: 100))\r\n",
                "HTTP/1.1 431"
            ),
        ])
    func ends(request: String, response: String) async throws {
        // The idle timeout would end the connection too.
        try await run(change: { $0.limits.idle = .seconds(3600) }) { _, channel, client in
            try await channel.writeAndFlush(ByteBuffer(string: request))
            let text = await client.whole()
            #expect(text.hasPrefix(response) && count("\r\nDate: ", in: text) == 1, "\(text)")
            #expect(text.contains("\r\nConnection: close\r\n"), "\(text)")
        }
    }

    @Test("A client that ended its output gets all responses")
    func halfClosed() async throws {
        try await run { _, channel, client in
            try await channel.setOption(ChannelOptions.allowRemoteHalfClosure, value: true).get()
            try await channel.writeAndFlush(ByteBuffer(string: Self.get + Self.get + Self.get))
            try await channel.close(mode: .output).get()
            #expect(count("HTTP/1.1 200", in: await client.whole()) == 3)
        }
    }

    @Test(
        "A request for another protocol is answered in HTTP/1.1, and ends the connection (RFC 9110, 7.8)",
        arguments: [
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
            "Connection: upgrade\r\nUpgrade: x", "Connection: keep-alive\r\nConnection:  ,UPGRADE ,\r\nupgrade: a, b",
            "Connection: x, upgrade\r\nUpgrade: ", "Connection: \tupgrade\r\nUpgrade: x",
            "Connection: upgrade \r\nUpgrade: x", "Connection: upgrade\t\r\nUpgrade: x",
            "Connection: upgrade ,\tx\r\nUpgrade: \tx", "Connection: upgrade x\r\nUpgrade: x", "Upgrade: x",
            "Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 4\r\n\r\nbody",
        ])
    func asksForSwitch(fields: String) async throws {
        try await run(change: { $0.limits.idle = .seconds(3600) }) { _, channel, client in
            let end = fields.hasSuffix("body") ? "" : "\r\n\r\n"
            let first = "GET /health HTTP/1.1\r\nHost: localhost\r\n\(fields)\(end)"
            // The requests before are answered, and those after it are not.
            try await channel.writeAndFlush(ByteBuffer(string: Self.get + first + Self.get))
            let text = await client.whole()
            #expect(count("HTTP/1.1 200", in: text) == 2 && count("\r\nConnection: close\r\n", in: text) == 1)
            #expect(text.hasSuffix("{\"status\":\"ok\"}"))
        }
    }

    @Test("Connection: upgrade without a protocol keeps the connection")
    func upgradesToNothing() async throws {
        try await run { _, channel, client in
            let fields = "\r\nConnection: upgrade\r\n\r\n"
            let first = Self.get.replacing("\r\n\r\n", with: fields)
            try await channel.writeAndFlush(ByteBuffer(string: first + Self.get))
            #expect(await client.hears { count("HTTP/1.1 200", in: $0) == 2 })
        }
    }

    @Test(
        "Data after the last request is read and not kept, also while its response is a stream",
        arguments: ["Connection: upgrade\r\nUpgrade: x", "Connection: close"], ["/health", "/api/v1/events"])
    func dataAfterLast(fields: String, path: String) async throws {
        let store = try TemporaryDirectory()
        let hub = EventHub()
        try await RunningServer.with(store: store.path, hub: hub, change: { $0.limits.idle = .seconds(3600) }) {
            running in
            let (channel, client) = try await RawClient.connect(running)
            try await channel.setOption(ChannelOptions.allowRemoteHalfClosure, value: true).get()
            let head = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(try running.token)\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: head + fields + "\r\n\r\n"))
            #expect(await client.hears("HTTP/1.1 200"))
            // More than the buffers of the sockets hold: the server reads it.
            for _ in 0..<16 {
                try await channel.writeAndFlush(ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20))
            }
            hub.close()
            try await channel.close(mode: .output).get()
            let text = await client.whole()
            #expect(count("HTTP/1.1 ", in: text) == 1 && text.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test(
        "The response to HEAD has no body, whatever its status (RFC 9110, 9.3.2)",
        arguments: [
            ("/health", "localhost", 200), ("/api/v1/other", "localhost", 404), ("/api/v1/things", "localhost", 405),
            ("/api/v1/things/1", "localhost", 401), ("/health", "evil.example", 421),
        ])
    func head(path: String, host: String, status: Int) async throws {
        try await run { running, channel, client in
            let token = status == 401 ? "" : "Authorization: Bearer \(try running.token)\r\n"
            let request = "HEAD \(path) HTTP/1.1\r\nHost: \(host)\r\n\(token)\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: request + Self.get))
            #expect(await client.hears("\"ok\""))
            let parts = client.text.withLock { $0 }.components(separatedBy: "\r\n\r\n")
            #expect(parts.count == 3 && parts[0].hasPrefix("HTTP/1.1 \(status)") && parts[1].hasPrefix("HTTP/1.1 200"))
            #expect(parts[0].contains("Content-Length: ") && !parts[0].contains("Content-Length: 0"))
        }
    }

    @Test("The response to HEAD of a stream has the fields of GET, and opens no stream")
    func headOfStream() async throws {
        let store = try TemporaryDirectory()
        let hub = EventHub()
        try await RunningServer.with(store: store.path, hub: hub) { running in
            let (channel, client) = try await RawClient.connect(running)
            let request =
                "HEAD /api/v1/events HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(try running.token)\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: request + Self.get))
            #expect(await client.hears("\"ok\""))
            let parts = client.text.withLock { $0 }.components(separatedBy: "\r\n\r\n")
            #expect(parts.count == 3 && parts[0].contains("text/event-stream"))
            #expect(!parts[0].contains("Content-Length") && hub.streamCount == 0)
        }
    }

    @Test("A stream to a client of HTTP/1.0 is not chunked")
    func streamInOldVersion() async throws {
        let store = try TemporaryDirectory()
        let hub = EventHub()
        try await RunningServer.with(store: store.path, hub: hub) { running in
            let (channel, client) = try await RawClient.connect(running)
            let request =
                "GET /api/v1/events HTTP/1.0\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(try running.token)\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: request))
            #expect(await client.hears("\r\n\r\nid: "))
            #expect(client.text.withLock { $0.hasPrefix("HTTP/1.0 200") && !$0.contains("Transfer-Encoding") })
            hub.close()
            #expect(await client.whole().hasSuffix("\n\n"))
        }
    }

    @Test(
        "The host of a target in absolute form counts (RFC 9112, 3.2.2)",
        arguments: [
            ("http://localhost/health", "evil.example", 200), ("http://evil.example/health", "localhost", 421),
            ("HTTP://[::1/health", "localhost", 400), ("http://localhost:x/health", "localhost", 400),
            ("http:///health", "localhost", 421), ("//evil/health", "localhost", 401),
        ])
    func absoluteForm(target: String, host: String, status: Int) async throws {
        try await run { _, channel, client in
            try await channel.writeAndFlush(ByteBuffer(string: "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n"))
            #expect(await client.hears("HTTP/1.1 \(status)"), "\(client.text.withLock { $0 })")
        }
    }

    @Test(
        "A request that was answered gets no second response",
        arguments: ["Content-Length: 100\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"])
    func brokenAfterResponse(rest: String) async throws {
        try await run(change: { $0.limits.idle = .seconds(3600) }) { _, channel, client in
            try await channel.writeAndFlush(
                ByteBuffer(string: "POST /api/v1/things HTTP/1.1\r\nHost: localhost\r\n" + rest))
            #expect(await client.hears("}"))
            if rest.hasPrefix("Transfer") {
                try await channel.writeAndFlush(ByteBuffer(string: "no chunk\r\n"))
            } else {
                try await channel.setOption(ChannelOptions.allowRemoteHalfClosure, value: true).get()
                try await channel.close(mode: .output).get()
            }
            let text = await client.whole()
            #expect(text.hasPrefix("HTTP/1.1 401") && count("\r\nDate: ", in: text) == 1)
        }
    }

    @Test("What is no HTTP is answered after the requests before it", arguments: [1, 7, 10_000])
    func brokenAfterRequests(size: Int) async throws {
        try await run(change: { $0.limits.idle = .seconds(3600) }) { _, channel, client in
            let text = Self.get + Self.get + Self.get + "POST /health HTTP/1.1\r\n:\r\n\r\n" + Self.get + Self.get
            var octets = ByteBuffer(string: text)
            while let part = octets.readSlice(length: min(size, octets.readableBytes)), part.readableBytes > 0 {
                // The connection may end before the last part.
                try? await channel.writeAndFlush(part)
            }
            let answers = await client.whole().components(separatedBy: "HTTP/1.1 ").map { $0.prefix(3) }
            #expect(answers == ["", "200", "200", "200", "400"])
        }
    }

    @Test("A client that waits before it sends the body is told to send it (RFC 9110, 10.1.1)")
    func expectsContinue() async throws {
        try await run { running, channel, client in
            let request = Self.post(try running.token, "Content-Length: 12\r\nExpect: 100-Continue\r\n\r\n")
            try await channel.writeAndFlush(ByteBuffer(string: request))
            #expect(await client.hears("HTTP/1.1 100 Continue\r\n\r\n"))
            try await channel.writeAndFlush(ByteBuffer(string: "{\"name\":\"x\"}" + Self.get))
            #expect(await client.hears("\"ok\""))
            // A client that does not wait, one of HTTP/1.0, and one with another expectation get no interim response.
            let rest = "{\"name\":\"x\"}" + request.replacing("/1.1", with: "/1.0")
            try await channel.writeAndFlush(ByteBuffer(string: request + rest))
            #expect(await client.hears { count("HTTP/1.1 200", in: $0) == 3 })
            try await channel.writeAndFlush(ByteBuffer(string: "{\"name\":\"x\"}"))
            let text = await client.whole()
            #expect(count("HTTP/1.0 200", in: text) == 1 && count(" 100 Continue", in: text) == 1)
        }
    }

    @Test("A body of exactly the limit is used, and one octet more is refused", arguments: [false, true])
    func limitOfHandler(isChunked: Bool) async throws {
        // The limit of `Request.json`
        for (size, status) in [(1 << 16, 200), ((1 << 16) + 1, 413)] {
            try await run { running, channel, client in
                let body = "{\"name\":\"" + String(repeating: "x", count: size - 11) + "\"}"
                let rest =
                    isChunked
                    ? "Transfer-Encoding: chunked\r\n\r\n\(String(size, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
                    : "Content-Length: \(size)\r\n\r\n\(body)"
                let request = Self.post(try running.token, rest) + Self.get
                try await channel.writeAndFlush(ByteBuffer(string: request))
                #expect(await client.hears("\"ok\""))
                let text = client.text.withLock { $0 }
                #expect(text.hasPrefix("HTTP/1.1 \(status)") && text.contains(body) == (status == 200))
            }
        }
    }

    @Test("A body that arrives with the head is used up to the limit of the server", arguments: [16, 15])
    func limitOfServer(limit: Int) async throws {
        try await run(change: { $0.limits.body = limit }) { running, channel, client in
            let request = Self.post(try running.token, "Content-Length: 16\r\n\r\n{\"name\":\"12345\"}")
            try await channel.writeAndFlush(ByteBuffer(string: request + Self.get))
            #expect(await client.hears("\"ok\""))
            #expect(client.text.withLock { $0.hasPrefix("HTTP/1.1 \(limit == 16 ? 200 : 413)") })
        }
    }
}
