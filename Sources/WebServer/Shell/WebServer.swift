#if Programs
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import Synchronization

/// A web server on a personal machine: pages, an API and event streams, for users with a login and for programs with a
/// token.
///
/// ``WebResponder`` describes the checks of each request. Sessions and keys are in the store's directory.
package final class WebServer: Sendable {
    /// The properties of a listening server.
    package struct Listening: Sendable {
        /// The URL of the server, without a token: `http://127.0.0.1:8080`.
        package let base: String
        /// The address to which the system bound the socket.
        package let address: ListenAddress
        /// The SHA-256 digest of the certificate, `AB:CD:...`. `nil` without TLS.
        package let fingerprint: String?
        /// The path of the bearer token's file.
        package let tokenFile: String
    }

    private struct Running {
        var task: Task<Void, any Error>?
        var listener: (any Channel)?
    }

    private let configuration: WebServerConfiguration
    private let routes: WebRouteTable
    private let resources: ResourceCatalog
    private let hub: EventHub?
    private let links = LoginLinks()
    private let state = ServerState()
    private let connections = OpenConnections()
    private let running = Mutex(Running())
    private let listening = Mutex<Listening?>(nil)

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - hub: the hub whose streams end when the server stops.
    package init(
        configuration: WebServerConfiguration, routes: WebRoutes, site: WebSite = .empty, hub: EventHub? = nil
    ) {
        self.configuration = configuration
        self.routes = routes.table()
        resources = ResourceCatalog(site)
        self.hub = hub
    }

    /// Creates a URL that logs a browser in, once, within five minutes. `nil` while the server does not listen.
    package func makeLoginURL() -> String? {
        listening.withLock { $0 }.map { "\($0.base)/?token=\(links.make())" }
    }

    /// Listens and serves until ``stop()`` is called or the task is cancelled.
    ///
    /// - Parameter onListening: called once, when the server is ready for requests.
    /// - Throws: ``WebServerError``, or an error of the shared state.
    package func run(onListening: @escaping @Sendable (Listening) async -> Void) async throws {
        let application = try await prepare(onListening)
        let task = Task { try await application.run() }
        running.withLock { $0.task = task }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                stop()
            }
        } catch {
            if state.isStopping { return }
            throw Self.error(error, configuration.listen)
        }
    }

    /// Ends streams and connections. ``run(onListening:)`` returns within about two seconds, or
    /// after the requests in progress and the time limit for them.
    package func stop() {
        state.stop()
        hub?.close()
        let (hub, connections, ending) = (hub, connections, configuration.limits.ending)
        let (task, listener) = running.withLock { ($0.task, $0.listener) }
        Task {
            // Streams end after their last octet; a client that does not read is not waited for.
            await Self.wait(atMost: .seconds(1)) { await hub?.waitUntilIdle() }
            // Accepting stops first: NIO traps if a connection is set up while the listener closes.
            try? await listener?.setOption(ChannelOptions.autoRead, value: false).get()
            try? await Task.sleep(for: .milliseconds(100))
            try? await listener?.close()
            connections.end()
            await Self.wait(atMost: ending) { await connections.waitUntilNone() }
            connections.close()
            // Requests that still run have no client any more.
            try? await Task.sleep(for: .milliseconds(500))
            task?.cancel()
        }
    }

    /// Runs the body, but waits at most for the limit.
    private static func wait(atMost limit: Duration, _ body: @escaping @Sendable () async -> Void) async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let bodies = [
            Task {
                await body()
                end.yield()
            },
            Task {
                try? await Task.sleep(for: limit)
                end.yield()
            },
        ]
        for await _ in ends { break }
        for body in bodies { body.cancel() }
    }

    private func prepare(
        _ onListening: @escaping @Sendable (Listening) async -> Void
    ) async throws -> Application<DeferredResponder> {
        let listen = configuration.listen
        guard listen.isLoopback || configuration.passwordFile != nil else {
            throw WebServerError.passwordRequired(listen)
        }
        try SecretFile.makeDirectory(configuration.store)
        let prefix = "\(configuration.store)/\(configuration.name)"
        let shared = configuration.shared
        let key: [UInt8]
        if let shared {
            key = try await shared.secret("session-key", first: RandomToken.bytes(32))
        } else {
            key = try SecretFile.readOrMake(prefix + "-session-key") { RandomToken.bytes(32) }
        }
        guard key.count >= 32 else {
            throw WebServerError.unusableFile(
                path: prefix + "-session-key", reason: "the key is too short; delete the file to create a new one")
        }
        let password = try configuration.passwordFile.map { path throws(WebServerError) in try Password(file: path) }
        let sessions = try Sessions(
            key: key, secret: password?.hash ?? "", endedFile: shared == nil ? prefix + "-ended-sessions" : nil)
        let tokenFile = configuration.tokenFile ?? prefix + "-token"
        if let shared, configuration.tokenFile == nil {
            let text = try await shared.secret("token", first: Array((RandomToken.make() + "\n").utf8))
            try SecretFile.write(text, to: tokenFile)
        }
        let bearer = try BearerToken(file: tokenFile)
        let certificate = try self.certificate()
        let isEncrypted = certificate != nil
        let tries = PasswordTries(limit: configuration.limits.passwordTries, shared: shared)
        let deferred = DeferredResponder()
        var server = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [
                    RequestDeadline(self.configuration.limits, connections: self.connections)
                ],
                idleTimeout: TimeAmount(configuration.limits.idle),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 100)))
        if let certificate {
            do { server = try .tls(server, tlsConfiguration: certificate.configuration) } catch {
                throw WebServerError.cannotListen(listen, reason: "\(error)")
            }
        }
        var quiet = configuration.logger
        // Hummingbird logs the cancellation that stops it as an error.
        quiet.logLevel = .critical
        var settings = ApplicationConfiguration(address: .hostname(listen.host, port: listen.port))
        settings.availableConnectionsDelegate = MaximumAvailableConnections(
            configuration.limits.connections, logger: quiet)
        return Application(
            responder: deferred, server: server, configuration: settings,
            onServerRunning: { [self] channel in
                running.withLock { $0.listener = channel }
                // Accepts all waiting connections at once. NIO's default of four per turn of the event loop, which also
                // serves connections, would serve the first of a burst several times before the last.
                try? await channel.setOption(ChannelOptions.maxMessagesPerRead, value: 256).get()
                if state.isStopping { stop() }
                let bound = ListenAddress(
                    host: channel.localAddress?.ipAddress ?? listen.host,
                    port: channel.localAddress?.port ?? listen.port)
                // Servers on other ports of the same machine have other cookies, unless they share their sessions.
                let port = shared == nil ? "-\(bound.port)" : ""
                let cookie = (isEncrypted ? "__Host-" : "") + configuration.name + port
                let access = AccessControl(
                    name: configuration.name, cookieName: cookie, isEncrypted: isEncrypted, sessions: sessions,
                    shared: shared,
                    bearer: bearer, namedToken: configuration.namedToken, links: links, password: password,
                    tries: tries, accounts: configuration.accounts,
                    page: LoginPage(title: configuration.title, takesName: configuration.accounts != nil))
                deferred.set(
                    WebResponder(
                        hosts: HostNames(listen: listen, bound: [bound.host], named: configuration.hostNames),
                        access: access, routes: routes, resources: resources, bodyLimit: configuration.limits.body,
                        isEncrypted: isEncrypted, state: state, observe: configuration.observe,
                        problemResponse: configuration.problemResponse, logger: configuration.logger,
                        rates: configuration.limits.tokenRate.map { TokenRates($0) }))
                let facts = Listening(
                    base: "\(isEncrypted ? "https" : "http")://\(visibleHost(bound))", address: bound,
                    fingerprint: certificate?.fingerprint, tokenFile: tokenFile)
                listening.withLock { $0 = facts }
                await onListening(facts)
            }, logger: quiet)
    }

    /// The host and port for a URL that also works from other machines, if the server is reachable from them.
    private func visibleHost(_ bound: ListenAddress) -> String {
        let listen = configuration.listen
        guard listen.isAny else { return "\(ListenAddress.bracketed(listen.host)):\(bound.port)" }
        if let name = configuration.hostNames.first, let (host, port) = HostNames.parts(name) {
            return "\(ListenAddress.bracketed(host)):\(port ?? bound.port)"
        }
        let outside = HostNames.interfaceAddresses().first { !ListenAddress(host: $0, port: 0).isLoopback }
        return "\(ListenAddress.bracketed(outside ?? "127.0.0.1")):\(bound.port)"
    }

    private func certificate() throws(WebServerError) -> ServerCertificate? {
        let listen = configuration.listen
        switch configuration.encryption {
        case .automatic where listen.isLoopback: return nil
        case .files(let certificate, let key): return try ServerCertificate(certificate: certificate, key: key)
        case .automatic, .selfSigned:
            var hosts = ["localhost", "127.0.0.1", "::1", ProcessInfo.processInfo.hostName]
            hosts += configuration.hostNames.compactMap { HostNames.parts($0)?.host }
            hosts += listen.isAny ? [] : [listen.host]
            var seen: Set<String> = []
            return try ServerCertificate(
                store: configuration.store, name: configuration.name,
                hosts: hosts.filter { !$0.isEmpty && seen.insert($0).inserted })
        }
    }

    private static func error(_ error: any Error, _ address: ListenAddress) -> any Error {
        guard let failure = error as? IOError else {
            return error is WebServerError ? error : WebServerError.cannotListen(address, reason: "\(error)")
        }
        if failure.errnoCode == EADDRINUSE { return WebServerError.addressInUse(address) }
        return WebServerError.cannotListen(address, reason: String(cString: strerror(failure.errnoCode)))
    }
}

/// Defers to a responder that is created when the address is known, on which the checks depend.
final class DeferredResponder: HTTPResponder {
    typealias Context = WebContext

    private let responder = Mutex<WebResponder?>(nil)

    func set(_ responder: WebResponder) { self.responder.withLock { $0 = responder } }

    func respond(to request: Request, context: WebContext) async throws -> Response {
        guard let responder = responder.withLock({ $0 }) else {
            return Problem.unavailable("The server is starting.").response()
        }
        return try await responder.respond(to: request, context: context)
    }
}
#endif
