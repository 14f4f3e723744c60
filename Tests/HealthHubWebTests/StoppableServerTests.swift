import AsyncHTTPClient
import NIOCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct StoppableServerTests {
    /// A connection that is accepted and not taken ends the process.
    @Test func connectionsArriveWhileAServerEnds() async throws {
        for _ in 0..<20 {
            let stub = HubStub { _, _ in HubStub.Answer(status: 200) }
            let clients = Locked<[Task<Void, Never>]>([])
            try await stub.run { url in
                let started = (0..<8).map { _ in
                    Task {
                        while !Task.isCancelled {
                            var request = HTTPClientRequest(url: url)
                            request.method = .POST
                            request.headers.add(name: "Connection", value: "close")
                            _ = try? await HTTPClient.shared.execute(request, timeout: .seconds(5))
                        }
                    }
                }
                clients.with { $0 = started }
                while stub.received.count < 20 { try await Task.pause() }
            }
            for client in clients.value { client.cancel() }
            for client in clients.value { await client.value }
        }
    }
}
