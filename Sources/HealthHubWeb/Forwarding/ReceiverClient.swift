import AsyncHTTPClient
import Foundation
import HealthHub
import NIOCore
import NIOSSL

/// Delivers messages to a receiver.
protocol ReceiverClient: Sendable {
    /// Woken when the receiver is connected, so that the data of deleted people is removed at once.
    var connections: Wakes { get }
    func deliver(_ message: OutboxMessage) async -> Delivery
    /// Removes the data of deleted people from the receiver.
    /// - Parameter busy: the people for whom messages are delivered meanwhile. Their data is not removed.
    func clean(except busy: Set<Int64>) async
    func close() async
    /// Removes all data of this hub from the receiver, because the receiver was removed, and closes.
    func retire() async
}

extension ReceiverClient {
    var connections: Wakes { Wakes() }
    func clean(except busy: Set<Int64>) async {}
    func retire() async { await close() }
}

extension Receiver {
    /// Creates the client that delivers to the receiver.
    /// - Parameter limit: the time limit for a request with its whole response; shorter than ``HubStore/leaseTime``.
    func client(store: HubStore, limit: Duration = .seconds(45)) -> any ReceiverClient {
        switch kind.form.transport {
        case .http(let kind): HTTPReceiver(self, kind, limit: limit)
        case .mqtt: MQTTReceiver(self, store: store)
        }
    }
}

/// Delivers to an HTTP server.
struct HTTPReceiver: ReceiverClient {
    private let receiver: Receiver
    private let kind: any HTTPReceiverKind
    private let client: HTTPClient
    private let limit: Duration

    init(_ receiver: Receiver, _ kind: any HTTPReceiverKind, limit: Duration) {
        (self.receiver, self.kind, self.limit) = (receiver, kind, limit)
        var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
        settings.timeout = .init(connect: .seconds(5), read: .seconds(30))
        // Failed deliveries are retried from the outbox.
        settings.connectionPool.retryConnectionEstablishment = false
        if let certificates = receiver.options.certificates {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(certificates)
            settings.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: settings)
    }

    func close() async { await client.end() }

    func deliver(_ message: OutboxMessage) async -> Delivery {
        guard let form = kind.request(for: message, to: receiver) else { return .delivered }
        var request = HTTPClientRequest(url: receiver.url)
        request.method = .POST
        request.headers.add(name: "user-agent", value: "harald-hub")
        if let token = receiver.options.token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        for (name, value) in form.headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(string: form.body.text))
        do {
            let (response, answer) = try await client.exchange(request, within: limit, upTo: 4 << 20)
            let status = Int(response.status.code)
            if (200..<300).contains(status) { return kind.result(of: form, answer: answer) }
            return .failure(
                status: status, answer: answer,
                after: ReadingSender.retryAfter(response.headers.first(name: "retry-after")))
        } catch is NIOTooManyBytesError {
            return .failed("the response is larger than 4 MiB", after: nil)
        } catch {
            return .failed("the receiver cannot be reached: \(ConnectionProblem.text(of: error))", after: nil)
        }
    }
}
