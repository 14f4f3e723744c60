#if Programs
import AsyncHTTPClient
import Foundation
import HealthHub
import NIOCore
import NIOSSL

/// The result of an attempt to deliver a message.
enum Delivery: Sendable, Equatable {
    case delivered
    /// The receiver refused the message permanently.
    case refused(String)
    /// The receiver may accept the message later; `after` is the time it requested.
    case failed(String, after: Duration?)
}

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

/// Delivers to an HTTP server.
struct HTTPReceiver: ReceiverClient {
    private let receiver: Receiver
    private let client: HTTPClient
    private let limit: Duration

    /// - Parameter limit: the time limit for a request with its whole response; shorter than ``HubStore/leaseTime``.
    init(_ receiver: Receiver, limit: Duration = .seconds(45)) {
        (self.receiver, self.limit) = (receiver, limit)
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
        var request = HTTPClientRequest(url: receiver.url)
        request.method = .POST
        request.headers.add(name: "user-agent", value: "harald-hub")
        if let token = receiver.options.token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        var sent = 0
        switch receiver.kind {
        case .fhir:
            // Readings without a FHIR code, such as the context of a glucose value, are skipped.
            guard let bundle = message.fhir else { return .delivered }
            sent = bundle["entry"]?.elements.count ?? 0
            request.headers.add(name: "content-type", value: "application/fhir+json")
            request.headers.add(name: "accept", value: "application/fhir+json")
            request.body = .bytes(ByteBuffer(string: bundle.encoded))
        case .webhook, .mqtt:
            let body = message.webhook.encoded
            let time = Int64(Date().timeIntervalSince1970)
            request.headers.add(name: "content-type", value: "application/json")
            request.headers.add(name: "webhook-id", value: message.id)
            request.headers.add(name: "webhook-timestamp", value: String(time))
            request.headers.add(
                name: "webhook-signature",
                value: WebhookSignature.sign(
                    id: message.id, timestamp: time, body: body, secret: receiver.secret ?? ""))
            request.body = .bytes(ByteBuffer(string: body))
        }
        do {
            let (response, body) = try await client.exchange(request, within: limit, upTo: 4 << 20)
            return result(
                Int(response.status.code), body, entries: sent,
                after: ReadingSender.retryAfter(response.headers.first(name: "retry-after")))
        } catch is NIOTooManyBytesError {
            return .failed("the response is larger than 4 MiB", after: nil)
        } catch {
            return .failed("the receiver cannot be reached: \(ConnectionProblem.text(of: error))", after: nil)
        }
    }

    private func result(_ status: Int, _ body: Data, entries sent: Int, after: Duration?) -> Delivery {
        switch status {
        case 200..<300: return receiver.kind == .fhir ? Self.transaction(body, entries: sent) : .delivered
        case 408, 429: return .failed("responded with status \(status)", after: after)
        case 400..<500: return .refused("responded with status \(status)" + Self.reason(body))
        default: return .failed("responded with status \(status)" + Self.reason(body), after: after)
        }
    }

    /// Checks the response to a transaction. FHIR R4 requires a Bundle with one entry for each entry of the request
    /// (RESTful API, batch and transaction). Servers that respond with less are accepted; a page, for example of a
    /// portal that requires a login, and an OperationOutcome with an error are not. A repeated conditional create is
    /// harmless.
    private static func transaction(_ body: Data, entries sent: Int) -> Delivery {
        if body.isEmpty { return .delivered }
        let problem = Delivery.failed("did not respond like a FHIR server" + reason(body), after: nil)
        guard let resource = try? JSONText(Array(body)), case .object = resource else { return problem }
        let severities = (resource["issue"]?.elements ?? []).compactMap { $0["severity"]?.string }
        if severities.contains(where: ["error", "fatal"].contains) { return problem }
        let entries = resource["entry"]?.elements ?? []
        guard entries.isEmpty || entries.count == sent else { return problem }
        let codes = entries.compactMap { $0["response"]?["status"]?.string.flatMap { Int($0.prefix(3)) } }
        // A server that answers a transaction with 200 may still report a failed entry.
        if let code = codes.first(where: { [408, 429].contains($0) || $0 >= 500 }) {
            return .failed("an entry has the status \(code)", after: nil)
        }
        if let code = codes.first(where: { $0 >= 400 }) { return .refused("an entry has the status \(code)") }
        return .delivered
    }

    private static func reason(_ body: Data) -> String {
        guard let text = try? JSONText(Array(body.prefix(1 << 16))) else { return "" }
        let reason =
            text["issue"]?.elements.first?["diagnostics"]?.string ?? text["detail"]?.string
            ?? text["error"]?.string
        return reason.map { ": \($0.prefix(200))" } ?? ""
    }
}
#endif
