#if Programs
import CWebPages
import Foundation
import HealthHub
import Hummingbird
import WebServer

/// The server of the health hub: the API for gateways and readers, and the administration socket.
package final class HubServer: Sendable {
    private let lock: StoreLock
    private let store: HubStore
    private let path: String
    private let server: WebServer
    private let forwarder: Forwarder

    /// Opens the store at `path` and holds its ``StoreLock``.
    /// - Throws: ``HubProblem``, also if another hub has the store open; `DatabaseError`; an error of creating the
    ///   directory.
    package init(
        path: String, listen: ListenAddress, configure: (inout WebServerConfiguration) -> Void = { _ in }
    ) throws {
        let directory = AdministrationSocket.directory(of: path)
        // The path of a Unix socket has at most 108 octets on Linux (unix(7)) and 104 on Apple's systems.
        guard AdministrationSocket.path(of: path).utf8.count < 104 else {
            throw HubProblem(
                .invalid, "\(path) is too long for the path of the administration socket; use a shorter path")
        }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard let lock = try StoreLock(path: path) else {
            throw HubProblem(.conflict, "another hub has \(path) open")
        }
        self.lock = lock
        let store = try HubStore(path: path, assessor: Assessor())
        self.store = store
        self.path = path
        var configuration = WebServerConfiguration(
            listen: listen, name: "harald-hub", title: "Harald health hub", store: directory)
        configuration.limits.body = HubRoutes.bodyLimit
        configuration.namedToken = { text in
            guard let token = try? store.token(String(text)) else { return nil }
            return .token(name: token.name, role: token.role.rawValue)
        }
        configuration.accounts = HubAccounts(store: store)
        configure(&configuration)
        let forwarder = Forwarder(store: store) { receiver -> any ReceiverClient in
            if receiver.kind == .mqtt { return MQTTReceiver(receiver, store: store) }
            return HTTPReceiver(receiver)
        }
        self.forwarder = forwarder
        let routes = HubRoutes(store: store, queue: ReadingQueue(store: store), forwarder: forwarder).routes()
        let site = WebSite(
            files: web_hub_file_list(),
            paths: [
                "/", "/people", "/people/{id}", "/people/{id}/readings", "/people/{id}/report", "/devices",
                "/gateways", "/unassigned", "/outboxes", "/rules",
            ])
        server = WebServer(configuration: configuration, routes: routes, site: site)
    }

    /// Serves until ``stop()`` is called or the task is cancelled, then closes the store.
    /// - Throws: ``WebServerError``.
    package func run(onListening: @escaping @Sendable (WebServer.Listening) async -> Void) async throws {
        defer {
            try? store.close()
            unlink(AdministrationSocket.path(of: path))
        }
        // Removes the socket of a hub that was killed.
        unlink(AdministrationSocket.path(of: path))
        let administration = Task { [store, path, forwarder] in
            try await AdministrationSocket.application(store, path: path) { forwarder.wake() }.run()
        }
        defer { administration.cancel() }
        let forwarding = Task { [forwarder] in await forwarder.run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await server.run(onListening: onListening))
        } catch {
            result = .failure(error)
        }
        // The store is closed after its last user has ended.
        forwarding.cancel()
        await forwarding.value
        try result.get()
    }

    /// Creates a URL that logs a browser in, once; nil until the server listens.
    package func makeLoginURL() -> String? { server.makeLoginURL() }

    /// Makes ``run(onListening:)`` return.
    package func stop() { server.stop() }
}

/// The accounts in the store.
private struct HubAccounts: WebAccounts {
    let store: HubStore

    func passwordHash(of name: String) -> String? { (try? store.user(name))?.hash }
    func role(of name: String) -> String? { (try? store.user(name))?.role.rawValue }
    func noteLogin(of name: String, isRight: Bool, from address: String) {
        store.audit(name, isRight ? "login from \(address)" : "wrong password from \(address)")
    }
}
#endif
