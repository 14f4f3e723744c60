import AsyncHTTPClient
import Foundation
import HealthHub
import JSON
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
            request.body = .bytes(ByteBuffer(string: bundle.text))
        case .webhook, .mqtt:
            let body = message.webhook.text
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
        if (200..<300).contains(status) {
            return receiver.kind == .fhir ? Self.transaction(body, entries: sent) : .delivered
        }
        let text = "responded with status \(status)" + Self.reason(body)
        return Self.isPermanent(status) ? .refused(text) : .failed(text, after: after)
    }

    /// Returns true for the status of a message that the receiver will never accept.
    private static func isPermanent(_ status: Int) -> Bool {
        (400..<500).contains(status) && status != 408 && status != 429
    }

    /// Checks the response to a transaction. FHIR R4 requires a Bundle with one entry for each entry of the request
    /// (RESTful API, batch and transaction). Servers that respond with nothing, with a Bundle without entries or with
    /// an OperationOutcome without an error are accepted. Anything else, for example of a portal that requires a login,
    /// is no delivery: a repeated conditional create is harmless.
    private static func transaction(_ body: Data, entries sent: Int) -> Delivery {
        if body.isEmpty { return .delivered }
        let problem = Delivery.failed("did not respond like a FHIR server" + reason(body), after: nil)
        guard let resource = try? JSONValue(parsing: Array(body)) else { return problem }
        switch resource["resourceType"]?.string {
        case "OperationOutcome":
            let severities = (resource["issue"]?.elements ?? []).compactMap { $0["severity"]?.string }
            return severities.contains(where: ["error", "fatal"].contains) ? problem : .delivered
        case "Bundle" where ["transaction-response", "batch-response"].contains(resource["type"]?.string): break
        default: return problem
        }
        let entries = resource["entry"]?.elements ?? []
        guard entries.isEmpty || entries.count == sent else { return problem }
        // A server that answers a transaction with 200 may still report a failed entry.
        let statuses = entries.map { entry -> String in
            let status = entry["response"]?["status"]
            return status?.string ?? status?.digits ?? ""
        }
        let failures = statuses.filter { !(200..<300).contains(code($0)) }
        if let status = failures.first(where: { !isPermanent(code($0)) }) {
            let reason = status.isEmpty ? "an entry has no status" : "an entry has the status \(status.prefix(32))"
            return .failed(reason, after: nil)
        }
        if let status = failures.first { return .refused("an entry has the status \(status.prefix(32))") }
        return .delivered
    }

    /// Returns the number in the status of an entry, such as 201 in `201 Created`; 0 if it has none.
    private static func code(_ status: String) -> Int { Int(status.prefix(3)) ?? 0 }

    private static func reason(_ body: Data) -> String {
        guard let text = try? JSONValue(parsing: Array(body.prefix(1 << 16))) else { return "" }
        let reason =
            text["issue"]?.elements.first?["diagnostics"]?.string ?? text["detail"]?.string
            ?? text["error"]?.string
        return reason.map { ": \($0.prefix(200))" } ?? ""
    }
}
