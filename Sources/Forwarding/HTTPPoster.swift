import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL

/// Sends POST requests to one address.
package struct HTTPPoster: Sendable {
    private let url: String
    private let token: String?
    private let agent: String
    private let limit: Duration
    private let client: HTTPClient

    /// Creates a client, which connects with the first request.
    /// - Parameters:
    ///   - token: the bearer token; nil for none.
    ///   - certificates: the file of trusted certificates in PEM, instead of the system's.
    ///   - agent: the name of the program in `User-Agent`.
    ///   - limit: the time limit for a request with its whole response.
    package init(url: String, token: String?, certificates: String?, agent: String, limit: Duration) {
        (self.url, self.token, self.agent, self.limit) = (url, token, agent, limit)
        var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
        settings.timeout = .init(connect: .seconds(5), read: .seconds(30))
        // Failed deliveries are retried from the outbox.
        settings.connectionPool.retryConnectionEstablishment = false
        if let certificates {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(certificates)
            settings.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: settings)
    }

    /// Sends a request.
    /// - Returns: the result, and the answer if it is `delivered`: the status was one of success.
    package func post(
        _ body: String, headers: [(name: String, value: String)]
    ) async -> (delivery: Delivery, answer: Data) {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "user-agent", value: agent)
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(string: body))
        do {
            let (response, answer) = try await client.exchange(request, within: limit, upTo: 4 << 20)
            let status = Int(response.status.code)
            if (200..<300).contains(status) { return (.delivered, answer) }
            let after = Self.retryAfter(response.headers.first(name: "retry-after"))
            return (.failure(status: status, answer: answer, after: after), answer)
        } catch is NIOTooManyBytesError {
            return (.failed("the response is larger than 4 MiB", after: nil), Data())
        } catch {
            return (
                .failed("the receiver cannot be reached: \(ConnectionProblem.text(of: error))", after: nil), Data()
            )
        }
    }

    /// Closes the connections.
    package func close() async { await client.end() }

    /// Parses the time of `Retry-After`: seconds or a date (RFC 9110, 10.2.3); at most an hour.
    package static func retryAfter(_ text: String?, now: Date = Date()) -> Duration? {
        guard let text = text?.trimmingCharacters(in: .whitespaces) else { return nil }
        // A number of any length is a number of seconds.
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int(text) ?? .max, 3600))
        }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text).map { .seconds(min(max($0.timeIntervalSince(now), 0), 3600)) }
    }
}
