import Foundation
import HummingbirdCore
import NIOCore
import NIOPosix
import NIOSSL
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
        package let address: WebAddress
        /// The SHA-256 digest of the certificate, `AB:CD:...`. `nil` without TLS.
        package let fingerprint: String?
        /// The path of the bearer token's file.
        package let tokenFile: String

        /// True if other machines may reach ``base``.
        package var isReachable: Bool {
            base.split(separator: "/").last.flatMap { WebAddress(String($0)) }.map { !$0.isLoopback } ?? false
        }
    }

    private let configuration: WebServerConfiguration
    private let routes: WebRouteTable
    private let resources: ResourceCatalog
    private let hub: EventHub?
    private let links = LoginLinks()
    private let state = ServerState()
    private let connections: OpenConnections
    /// Exists from the time at which the address is known, on which the checks depend.
    private let responder = Mutex<WebResponder?>(nil)
    private let listener = Mutex<(any Channel)?>(nil)
    private let listening = Mutex<Listening?>(nil)

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - hub: the hub whose streams end when the server stops.
    package init(
        configuration: WebServerConfiguration, routes: WebRoutes, site: WebSite = .empty, hub: EventHub? = nil
    ) {
        self.configuration = configuration
        connections = OpenConnections(configuration.limits)
        var routes = routes
        DocumentationFolder(configuration.documentation).addRoutes(to: &routes)
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
        try await withTaskCancellationHandler {
            let server = try await makeServer(onListening)
            // The cancelled task of a server takes no connection any more, not even one that was accepted.
            do { try await Task { try await server.run() }.value } catch {
                if !state.isStopping { throw Self.error(error, configuration.listen) }
            }
        } onCancel: {
            stop()
        }
    }

    /// Ends streams and connections. ``run(onListening:)`` returns soon after the requests in progress, or after the
    /// time limit for them.
    package func stop() {
        state.stop()
        hub?.close()
        let (connections, ending) = (connections, configuration.limits.ending)
        let listener = listener.withLock { $0 }
        Task {
            try? await listener?.close()
            connections.end()
            try? await Task.sleep(for: ending)
            connections.close()
        }
    }

    private func makeServer(
        _ onListening: @escaping @Sendable (Listening) async -> Void
    ) async throws -> Server<GuardedChannel> {
        let parts = try await prepare()
        let (listen, logger) = (configuration.listen, configuration.logger)
        var quiet = logger
        quiet.logLevel = .critical
        let guarded = GuardedChannel(
            limits: configuration.limits, connections: connections, encryption: parts.encryption
        ) { [self] request, address, refusal in
            guard let responder = responder.withLock({ $0 }) else { return Problem.fault.response() }
            let origin = RequestOrigin(logger: logger, address: address, refusal: refusal)
            return await responder.respond(to: request, context: WebContext(source: origin))
        }
        return Server(
            childChannelSetup: guarded,
            configuration: ServerConfiguration(
                address: .hostname(listen.host, port: listen.port), availableConnectionsDelegate: connections),
            onServerRunning: { [self] channel in
                try? await channel.eventLoop.submit {
                    // Waits for a second after an error, such as no free descriptor.
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false), position: .first)
                }.get()
                // NIO's default of four per turn of the event loop, which also serves connections, would serve the
                // first of a burst several times before the last.
                try? await channel.setOption(.maxMessagesPerRead, value: UInt(connections.turn)).get()
                listener.withLock { $0 = channel }
                if state.isStopping { stop() }
                await onListening(serve(channel, parts))
            }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet)
    }

    /// The parts of a server that do not depend on its address.
    private struct Parts {
        let sessions: Sessions
        let password: Password?
        let bearer: BearerToken
        let tokenFile: String
        let certificate: ServerCertificate?
        let encryption: NIOSSLContext?
    }

    private func prepare() async throws -> Parts {
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
        let password = try configuration.passwordFile.map { path throws(WebServerError) in
            try Password(file: path, logger: configuration.logger)
        }
        let sessions = try Sessions(
            key: key, secret: password?.hash ?? "", endedFile: shared == nil ? prefix + "-ended-sessions" : nil)
        let tokenFile = configuration.tokenFile ?? prefix + "-token"
        if let shared, configuration.tokenFile == nil {
            let text = try await shared.secret("token", first: Array((RandomToken.make() + "\n").utf8))
            try SecretFile.write(text, to: tokenFile)
        }
        let bearer = try BearerToken(file: tokenFile)
        let certificate = try self.certificate()
        var encryption: NIOSSLContext?
        do { encryption = try certificate.map { try NIOSSLContext(configuration: $0.configuration) } } catch {
            throw WebServerError.cannotListen(listen, reason: "\(error)")
        }
        return Parts(
            sessions: sessions, password: password, bearer: bearer, tokenFile: tokenFile, certificate: certificate,
            encryption: encryption)
    }

    /// Answers requests from now on.
    private func serve(_ channel: any Channel, _ parts: Parts) -> Listening {
        let (listen, shared) = (configuration.listen, configuration.shared)
        let isEncrypted = parts.certificate != nil
        let bound = WebAddress(
            host: channel.localAddress?.ipAddress ?? listen.host, port: channel.localAddress?.port ?? listen.port)
        // Servers on other ports of the same machine have other cookies, unless they share their sessions.
        let port = shared == nil ? "-\(bound.port)" : ""
        let access = AccessControl(
            name: configuration.name, cookieName: (isEncrypted ? "__Host-" : "") + configuration.name + port,
            isEncrypted: isEncrypted, sessions: parts.sessions, shared: shared, bearer: parts.bearer,
            namedToken: configuration.namedToken, links: links, password: parts.password,
            tries: PasswordTries(limit: configuration.limits.passwordTries, shared: shared),
            accounts: configuration.accounts, loggedOut: { [hub] in hub?.endSession($0) },
            page: LoginPage(title: configuration.title, takesName: configuration.accounts != nil),
            language: configuration.language)
        let made = WebResponder(
            hosts: HostNames(listen: listen, bound: bound, named: configuration.hostNames),
            access: access, routes: routes, resources: resources, bodyLimit: configuration.limits.body,
            isEncrypted: isEncrypted, state: state, observe: configuration.observe,
            problemResponse: configuration.problemResponse, language: configuration.language,
            logger: configuration.logger,
            rates: configuration.limits.tokenRate.map { TokenRates($0) })
        responder.withLock { $0 = made }
        let facts = Listening(
            base: "\(isEncrypted ? "https" : "http")://\(visibleHost(bound))", address: bound,
            fingerprint: parts.certificate?.fingerprint, tokenFile: parts.tokenFile)
        listening.withLock { $0 = facts }
        return facts
    }

    /// The host and port for a URL that also works from other machines, if the server is reachable from them.
    private func visibleHost(_ bound: WebAddress) -> String {
        let listen = configuration.listen
        guard listen.isAny else {
            return "\(WebAddress.bracketed(listen.isNumeric ? bound.host : listen.host)):\(bound.port)"
        }
        if let name = configuration.hostNames.first, let (host, port) = HostNames.parts(name) {
            return "\(WebAddress.bracketed(host)):\(port ?? bound.port)"
        }
        let outside = HostNames.interfaceAddresses().first { !WebAddress(host: $0, port: 0).isLoopback }
        return "\(WebAddress.bracketed(outside ?? "127.0.0.1")):\(bound.port)"
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

    private static func error(_ error: any Error, _ address: WebAddress) -> any Error {
        guard let failure = error as? IOError else {
            return error is WebServerError ? error : WebServerError.cannotListen(address, reason: "\(error)")
        }
        if failure.errnoCode == EADDRINUSE { return WebServerError.addressInUse(address) }
        return WebServerError.cannotListen(address, reason: String(cString: strerror(failure.errnoCode)))
    }
}
