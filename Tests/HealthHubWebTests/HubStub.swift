import Foundation
import HTTPTypes
import HealthHubWeb
import Hummingbird
import NIOCore
import Synchronization

/// A server that answers requests as a test specifies, and records them.
final class HubStub: Sendable {
    /// A request.
    struct Received: Sendable {
        var path: String
        var headers: [String: String]
        var body: Data
    }

    /// An answer.
    struct Answer: Sendable {
        var status: Int
        var headers: [String: String] = [:]
        var body = ""
        /// True if octets follow without end, one at a time.
        var isEndless = false
    }

    private let requests = Mutex<[Received]>([])
    private let answer: @Sendable (Received, Int) async -> Answer

    /// - Parameter answer: answer to a request with its number, from 0.
    init(answer: @escaping @Sendable (Received, Int) async -> Answer) { self.answer = answer }

    /// The requests so far.
    var received: [Received] { requests.withLock { $0 } }

    private static let endless = ResponseBody { writer in
        while !Task.isCancelled {
            try await writer.write(ByteBuffer(string: " "))
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Runs the server while `body` runs.
    func run(_ body: @Sendable (_ url: String) async throws -> Void) async throws {
        let (ports, port) = AsyncStream<Int>.makeStream()
        let router = Router()
        for path in ["/", "**"] {
            router.on(RouterPath(path), method: .post) { request, _ -> Response in
                let body = Data(try await request.body.collect(upTo: 16 << 20).readableBytesView)
                var headers: [String: String] = [:]
                for field in request.headers { headers[field.name.canonicalName] = field.value }
                let received = Received(
                    path: request.uri.path + (request.uri.query.map { "?" + $0 } ?? ""), headers: headers, body: body)
                let number = self.requests.withLock { requests in
                    requests.append(received)
                    return requests.count - 1
                }
                let answer = await self.answer(received, number)
                var response = Response(
                    status: .init(code: answer.status),
                    body: answer.isEndless ? Self.endless : ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
                for (name, value) in answer.headers {
                    if let name = HTTPField.Name(name) { response.headers[name] = value }
                }
                return response
            }
        }
        let responder = router.buildResponder()
        let running = Task {
            try await StoppableServer.run(responder, at: .hostname("127.0.0.1", port: 0), label: "stub") { channel in
                port.yield(channel.localAddress?.port ?? 0)
                port.finish()
            }
        }
        var found: Int?
        for await number in ports { found = number }
        let result: Result<Void, any Error>
        do {
            try await body("http://127.0.0.1:\(found ?? 0)")
            result = .success(())
        } catch {
            result = .failure(error)
        }
        running.cancel()
        _ = await running.result
        try result.get()
    }
}
