import AsyncHTTPClient
import Foundation
import NIOCore
import Testing

@testable import WebServer

/// Limits of connections and streams, and encryption.
@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
    private func ask(_ channel: any Channel) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    }

    @Test func connectionsBeyondTheLimitDisplaceTheOneThatWaitedLongest() async throws {
        let store = try TemporaryDirectory()
        let limits = { (configuration: inout WebServerConfiguration) in
            (configuration.limits.connections, configuration.limits.patience) = (3, .milliseconds(10))
            configuration.limits.idle = .seconds(3600)
        }
        try await RunningServer.with(store: store.path, change: limits) { running in
            // No data, a part of a request, and a response that was not followed by the end of the connection.
            let (_, silent) = try await RawClient.connect(running)
            let (second, partial) = try await RawClient.connect(running)
            try await second.writeAndFlush(ByteBuffer(string: "GET /health HTTP/1.1\r\nHost: "))
            for _ in 0..<20 {
                let (channel, client) = try await RawClient.connect(running)
                try await ask(channel)
                #expect(await client.hears("200 OK"))
            }
            #expect(await silent.whole() == "")
            #expect(await partial.whole() == "")
        }
    }

    @Test func connectionsWithARequestAreNotDisplaced() async throws {
        let store = try TemporaryDirectory()
        let hub = EventHub()
        let limits = { (configuration: inout WebServerConfiguration) in
            (configuration.limits.connections, configuration.limits.patience) = (2, .seconds(3600))
        }
        try await RunningServer.with(store: store.path, hub: hub, change: limits) { running in
            let stream =
                "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(try running.token)\r\n\r\n"
            let (first, one) = try await RawClient.connect(running)
            try await first.writeAndFlush(ByteBuffer(string: stream))
            #expect(await one.hears("event: hello"))
            let (second, two) = try await RawClient.connect(running)
            try await second.writeAndFlush(ByteBuffer(string: stream))
            #expect(await two.hears("event: hello"))
            let (third, three) = try await RawClient.connect(running)
            try await ask(third)
            hub.publish("news", data: "1")
            #expect(await one.hears("event: news"))
            #expect(three.text.withLock { $0 } == "")
            try await second.close()
            #expect(await three.hears("200 OK"))
        }
    }

    @Test func theLimitLeavesDescriptors() {
        #expect(OpenConnections.maximum(512, descriptors: 1 << 20) == 512)
        #expect(OpenConnections.maximum(512, descriptors: 64) == 32)
        #expect(OpenConnections.maximum(512, descriptors: 1) == 1)
        #expect(OpenConnections.maximum(512, descriptors: -1) == 512)
    }

    @Test(arguments: [
        "", "GET /health HTTP/1.1\r\nHost: ",
        "POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /health HTTP/1.1\r\nHost: ",
    ])
    func aClientThatSendsSingleOctetsLosesItsConnection(_ beginning: String) async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path, change: { $0.limits.idle = .milliseconds(300) }) { running in
            let (channel, client) = try await RawClient.connect(running)
            // On a busy machine the connection may end first.
            try? await channel.writeAndFlush(ByteBuffer(string: beginning))
            let sending = Task {
                while channel.isActive, !beginning.isEmpty {
                    try await channel.writeAndFlush(ByteBuffer(string: "x"))
                    // The pace of the client; the test waits for the end of the connection.
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            #expect(await client.hears("never sent") == false)
            sending.cancel()
        }
    }

    @Test func aBodyThatArrivesSteadilyMayTakeLonger() async throws {
        let store = try TemporaryDirectory()
        let limits = { (configuration: inout WebServerConfiguration) in
            (configuration.limits.idle, configuration.limits.progress) = (.seconds(10), 1)
        }
        try await RunningServer.with(store: store.path, change: limits) { running in
            let (channel, client) = try await RawClient.connect(running)
            let fields =
                "Host: localhost\r\nAuthorization: Bearer \(try running.token)\r\nContent-Type: application/json\r\n"
            let head = ByteBuffer(
                string: "POST /api/v1/things HTTP/1.1\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n")
            // The pace is that of the client's event loop, which busy tasks do not delay. The test waits for the
            // response.
            channel.eventLoop.execute {
                let end = NIODeadline.now() + .seconds(12)
                channel.writeAndFlush(head, promise: nil)
                channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(50)) { task in
                    let isLast = NIODeadline.now() > end
                    let piece = isLast ? "10\r\n{\"name\":\"slow\"} \r\n0\r\n\r\n" : "1\r\n \r\n"
                    channel.writeAndFlush(ByteBuffer(string: piece), promise: nil)
                    if isLast { task.cancel() }
                }
            }
            #expect(await client.hears("{\"name\":\"slow\"}"), "\(client.text.withLock { $0 })")
        }
    }

    @Test func aStopDoesNotWaitForTheRestOfABody() async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path, change: { $0.limits.ending = .seconds(600) }) { running in
            let (channel, client) = try await RawClient.connect(running)
            let fields =
                "Host: localhost\r\nAuthorization: Bearer \(try running.token)\r\nContent-Type: application/json\r\n"
            try await channel.writeAndFlush(
                ByteBuffer(string: "POST /api/v1/things HTTP/1.1\r\n\(fields)Content-Length: 30000000\r\n\r\n"))
            // More than the buffers of the sockets hold: the request is reading its body, which is too large.
            for _ in 0..<16 { try await channel.writeAndFlush(ByteBuffer(repeating: 0x20, count: 1 << 20)) }
            running.server.stop()
            #expect(await client.hears("503 Service Unavailable"), "\(client.text.withLock { $0 })")
            #expect(await client.whole().contains("The server is stopping."))
        }
    }

    private static func held(_ token: String) -> ByteBuffer {
        ByteBuffer(
            string: "POST /api/v1/held HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n")
    }

    @Test("The request of a client that leaves is cancelled", arguments: [false, true])
    func departedClient(resets: Bool) async throws {
        let store = try TemporaryDirectory()
        let held = HeldRequest()
        try await RunningServer.with(store: store.path, held: held) { running in
            let (channel, _) = try await RawClient.connect(running)
            // A connection with linger 0 is reset.
            if resets {
                let socket = try #require(channel as? any SocketOptionProvider)
                try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            }
            try await channel.writeAndFlush(Self.held(try running.token))
            await held.hasBegun()
            try await channel.close()
            #expect(await held.wasCancelled())
        }
    }

    @Test("A client that ended its output, and is there, gets the response of a long request")
    func halfClosedClient() async throws {
        let store = try TemporaryDirectory()
        let held = HeldRequest()
        try await RunningServer.with(store: store.path, held: held) { running in
            let (channel, client) = try await RawClient.connect(running)
            try await channel.setOption(ChannelOptions.allowRemoteHalfClosure, value: true).get()
            try await channel.writeAndFlush(Self.held(try running.token))
            await held.hasBegun()
            try await channel.close(mode: .output).get()
            #expect(await client.hears("HTTP/1.1 102 Processing\r\n\r\n"))
            held.release()
            #expect(await client.whole().contains("HTTP/1.1 200"))
        }
    }

    @Test("Requests that wait for a response before theirs are answered in their order")
    func waitingRequests() async throws {
        let store = try TemporaryDirectory()
        let held = HeldRequest()
        try await RunningServer.with(store: store.path, held: held) { running in
            let (channel, client) = try await RawClient.connect(running)
            try await channel.writeAndFlush(Self.held(try running.token))
            await held.hasBegun()
            let get = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            // The server does not read all of them yet.
            channel.writeAndFlush(ByteBuffer(string: String(repeating: get, count: 2000)), promise: nil)
            held.release()
            #expect(
                await client.hears { $0.utf8.count > 100_000 && $0.components(separatedBy: "\"ok\"").count == 2001 })
            let parts = client.text.withLock { $0.components(separatedBy: "HTTP/1.1 200") }
            #expect(parts.dropFirst().first?.hasSuffix("\"held\"") == true)
        }
    }

    @Test func streamsBeyondTheLimitAreRefused() async throws {
        let hub = EventHub()
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path, hub: hub, streamLimit: 3) { running in
            // A place is taken before the stream opens.
            let places = (0..<3).map { _ in hub.takePlace(limit: 3) }
            let refused = try await running.authorized("/api/v1/events")
            #expect(refused.status == 503)
            #expect(refused.problem["advice"] as? String != nil)
            withExtendedLifetime(places) {}
        }
        #expect(hub.takePlace(limit: 1) != nil)
    }

    @Test func theGivenCertificateIsUsed() async throws {
        let store = try TemporaryDirectory()
        let made = try await RunningServer.with(store: store.path, change: { $0.encryption = .selfSigned }) {
            $0.listening.fingerprint
        }
        let path = "\(store.path)/test-certificate"
        let files = WebServerConfiguration.Encryption.files(
            certificate: path + ".pem", key: path + "-key.pem")
        let other = try TemporaryDirectory()
        try await RunningServer.with(store: other.path, change: { $0.encryption = files }) { running in
            #expect(running.listening.fingerprint == made)
            #expect(try await running.send("/health").status == 200)
            // A client that does not encrypt gets no answer, and its connection ends.
            let (plain, client) = try await RawClient.connect(running)
            try await ask(plain)
            #expect(await client.hears("HTTP/1.1") == false)
        }
        #expect(!FileManager.default.fileExists(atPath: other.path + "/test-certificate-key.pem"))
    }

    @Test func anUnreadableCertificateIsAnErrorWithItsPath() async throws {
        let store = try TemporaryDirectory()
        let path = store.path + "/certificate.pem"
        try Data("no certificate".utf8).write(to: URL(fileURLWithPath: path))
        let error = await #expect(throws: WebServerError.self) {
            try await RunningServer.with(
                store: store.path, change: { $0.encryption = .files(certificate: path, key: path) }
            ) { _ in }
        }
        #expect("\(try #require(error))".contains(path))
    }
}
