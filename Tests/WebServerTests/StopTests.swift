import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import WebServer

/// The end of a server does not depend on its clients.
@Suite(.timeLimit(.minutes(5))) struct StopTests {
    /// A client's connection that stays open until the server closes it.
    private func connect(_ running: RunningServer) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: running.listening.address.port).get()
    }

    private func send(_ path: String, _ running: RunningServer, on channel: any Channel) async throws {
        let text = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(try running.token)\r\n\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Stops the server in a moment that differs each time, while connections are idle, busy or new.
    @Test func stoppingClosesOpenConnections() async throws {
        let store = try TemporaryDirectory()
        for _ in 0..<10 {
            let hub = EventHub()
            let clock = ContinuousClock()
            let begin = try await RunningServer.with(store: store.path, hub: hub) { running in
                for path in ["/api/v1/things/1", "/api/v1/events?viewer=a", "/health", "/api/v1/nothing"] {
                    try await send(path, running, on: connect(running))
                }
                _ = try await connect(running)
                _ = try await running.send("/health")
                return clock.now
            }
            // The idle timeout is 75 s, which is how long a stop could take.
            #expect(clock.now - begin < .seconds(40))
        }
    }

    @Test func aConnectionDuringTheStopIsClosed() async throws {
        let limits = WebServerConfiguration.Limits()
        let connections = OpenConnections(limits)
        connections.end()
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path) { running in
            let channel = try await connect(running)
            connections.add(channel, ClientDeadline(limits, channel.eventLoop).waiting)
            try await channel.closeFuture.get()
        }
    }
}
