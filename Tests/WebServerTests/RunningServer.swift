import AsyncHTTPClient
import Foundation
import Hummingbird
import NIOCore
import NIOSSL
import Testing

@testable import WebServer

/// A server in this process and a client that follows no redirection.
struct RunningServer {
    let server: WebServer
    let listening: WebServer.Listening
    let client: HTTPClient

    struct Answer {
        let status: Int
        let headers: [String: String]
        let body: String

        var problem: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]) ?? [:]
        }
        var cookie: String? { headers["set-cookie"]?.split(separator: ";").first.map(String.init) }
    }

    /// Runs a server while `body` runs.
    static func with<Result: Sendable>(
        store: String, port: Int = 0, hub: EventHub? = nil, streamLimit: Int = 256, held: HeldRequest? = nil,
        site: WebSite = .empty,
        change: (inout WebServerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (RunningServer) async throws -> Result
    ) async throws -> Result {
        var configuration = WebServerConfiguration(
            listen: WebAddress(host: "127.0.0.1", port: port), name: "test", title: "Test", store: store)
        configuration.logger.logLevel = .critical
        change(&configuration)
        var routes = routes(hub, streamLimit)
        if let held { routes.post("/api/v1/held") { _, _ in await held.response() } }
        let server = WebServer(configuration: configuration, routes: routes, site: site, hub: hub)
        var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
        settings.tlsConfiguration = .makeClientConfiguration()
        settings.tlsConfiguration?.certificateVerification = .none
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
        let (ready, continuation) = AsyncStream<WebServer.Listening>.makeStream()
        do {
            let result = try await withThrowingTaskGroup(of: Result?.self) { group in
                group.addTask {
                    defer { continuation.finish() }
                    try await server.run { continuation.yield($0) }
                    return nil
                }
                group.addTask {
                    defer { server.stop() }
                    var iterator = ready.makeAsyncIterator()
                    guard let listening = await iterator.next() else { return nil }
                    return try await body(RunningServer(server: server, listening: listening, client: client))
                }
                var result: Result?
                for try await one in group { result = one ?? result }
                return try #require(result)
            }
            try await client.shutdown()
            return result
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    private static func routes(_ hub: EventHub?, _ streamLimit: Int) -> WebRoutes {
        var routes = WebRoutes()
        routes.on(.get, "/health", withoutLogin: true) { _, _ in .json("{\"status\":\"ok\"}") }
        routes.get("/api/v1/things/{id}") { _, context in
            try .json(["id": context.parameter("id"), "session": context.sessionID])
        }
        routes.post("/api/v1/things") { request, _ in
            struct Thing: Codable { let name: String }
            return try .json(await request.json(Thing.self))
        }
        routes.post("/api/v1/fail") { _, _ in throw CancellationError() }
        routes.get("/api/v1/events") { request, context in
            guard let hub else { throw Problem.notFound("no hub") }
            let viewer = context.sessionID + "/" + (request.uri.queryParameters["viewer"].map(String.init) ?? "")
            return try hub.response(to: request, viewer: viewer, limit: streamLimit) { ("hello", "{\"viewer\":1}") }
        }
        return routes
    }

    var token: String {
        get throws {
            try String(contentsOfFile: listening.tokenFile, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
        }
    }

    func request(_ path: String, method: String = "GET", headers: [String: String], body: String? = nil)
        -> HTTPClientRequest
    {
        var request = HTTPClientRequest(url: path.hasPrefix("http") ? path : listening.base + path)
        request.method = .RAW(value: method)
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        return request
    }

    func send(
        _ path: String, method: String = "GET", headers: [String: String] = [:], body: String? = nil
    ) async throws -> Answer {
        let response = try await client.execute(
            request(path, method: method, headers: headers, body: body), timeout: .seconds(60))
        var fields: [String: String] = [:]
        for (name, value) in response.headers { fields[name.lowercased()] = value }
        let bytes = try await response.body.collect(upTo: 1 << 22)
        return Answer(status: Int(response.status.code), headers: fields, body: String(buffer: bytes))
    }

    func authorized(
        _ path: String, method: String = "GET", headers: [String: String] = [:], body: String? = nil
    ) async throws -> Answer {
        var headers = headers
        headers["Authorization"] = "Bearer \(try token)"
        return try await send(path, method: method, headers: headers, body: body)
    }

    /// Logs in with a new link and returns the cookie.
    func logIn() async throws -> String {
        let url = try #require(server.makeLoginURL())
        return try #require(try await send(url).cookie)
    }
}

/// A request whose response the test holds back.
final class HeldRequest: Sendable {
    private let begins = AsyncStream<Void>.makeStream()
    private let releases = AsyncStream<Void>.makeStream()
    private let ends = AsyncStream<Bool>.makeStream()

    fileprivate func response() async -> Response {
        begins.continuation.finish()
        for await _ in releases.stream {}
        ends.continuation.yield(Task.isCancelled)
        return .json("\"held\"")
    }

    func hasBegun() async { for await _ in begins.stream {} }
    func release() { releases.continuation.finish() }

    /// Waits for the end of the request.
    func wasCancelled() async -> Bool {
        for await isCancelled in ends.stream { return isCancelled }
        return false
    }
}

/// A directory that is removed with the object.
final class TemporaryDirectory: Sendable {
    let path = NSTemporaryDirectory() + "web-server-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }
}
