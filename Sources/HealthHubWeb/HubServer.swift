import CWebPages
import Forwarding
import Foundation
import HealthHub
import Hummingbird
import Logging
import WebServer

/// The server of the health hub: the API for gateways and readers, and the administration socket of a store in a file.
package final class HubServer: Sendable {
    /// The lock and the path of a store in a file; nil for a database, which hubs share.
    private let file: (lock: StoreLock, path: String)?
    private let store: HubStore
    /// The directory of keys and tokens.
    private let keys: String
    private let server: WebServer
    private let forwarder: Forwarder
    private let notices: NotificationSender
    private let logger: Logger

    /// The risk of the connections to the database's server, for the operator of the hub; nil if there is none.
    package var warning: String? { store.warning }

    /// The average number of requests per second that a token may send by default.
    package static let requestsPerSecond = 1000.0
    /// The time between two attempts to clean the files after a deletion.
    private static let cleaningInterval = Duration.seconds(600)

    /// Opens a store, and holds the ``StoreLock`` of a file.
    /// - Parameters:
    ///   - text: the path of a file, or the address of a PostgreSQL database.
    ///   - directory: the directory of the keys of a hub whose store is in a database.
    /// - Throws: ``HubProblem``, also if another hub has the file open; `DatabaseError`; an error of creating the
    ///   directory.
    package init(
        store text: String, directory: String? = nil, listen: WebAddress, monitor: (any HubMonitoring)? = nil,
        configure: (inout WebServerConfiguration) -> Void = { _ in }
    ) throws {
        let keys = directory ?? AdministrationSocket.directory(of: text)
        let store: HubStore
        if let address = try PostgresAddress(text) {
            file = nil
            // The server may be restarting.
            store = try HubStore(address, assessor: Assessor(), patience: .seconds(10))
        } else {
            // The path of a Unix socket has at most 108 octets on Linux (unix(7)) and 104 on Apple's systems.
            guard AdministrationSocket.path(of: text).utf8.count < 104 else {
                throw HubProblem(
                    .invalid, "\(text) is too long for the path of the administration socket; use a shorter path")
            }
            try FileManager.default.createDirectory(
                atPath: keys, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            guard let lock = try StoreLock(path: text) else {
                throw HubProblem(.conflict, "another hub has \(text) open; stop it, or name another --store")
            }
            file = (lock, text)
            Handover.removeLeftovers(in: keys)
            store = try HubStore(path: text, assessor: Assessor())
        }
        self.store = store
        self.keys = keys
        var configuration = WebServerConfiguration(
            listen: listen, name: "harald-hub", title: "Harald health hub", store: keys)
        configuration.limits.body = HubRoutes.bodyLimit
        configuration.namedToken = { text in
            let text = String(text)
            let token: TokenRecord?
            do { token = try await store.token(text) } catch { throw Problem(HubProblem(error)) }
            return token.map { token in
                .token(name: token.name, grant: WebGrant(role: token.role.rawValue, scope: token.scope?.text))
            }
        }
        configuration.limits.tokenRate = RequestRate(perSecond: Self.requestsPerSecond)
        configuration.limits.ending = .seconds(5)
        let metrics = HubMetrics()
        configuration.observe = { metrics.observe(method: $0, status: $1, duration: $2) }
        configuration.problemResponse = { problem, path in
            HubRoutes.isFHIR(path) ? .operationOutcome(problem) : nil
        }
        configuration.language = { Language.preferred($0) }
        if store.isShared { configuration.shared = SharedHubState(store: store) }
        configure(&configuration)
        configuration.accounts = HubAccounts(store: store, logger: configuration.logger)
        let forwarder = Forwarder(store: store) { $0.client(store: store) }
        self.forwarder = forwarder
        let notices = NotificationSender(store: store)
        self.notices = notices
        let routes = HubRoutes(
            store: store, queue: ReadingQueue(store: store) { forwarder.wake() }, forwarder: forwarder,
            notices: notices, metrics: metrics, isEncrypted: configuration.isEncrypted, monitor: monitor
        ).routes()
        var site = WebSite(
            files: web_hub_file_list(),
            paths: [
                "/", "/people", "/people/{id}", "/people/{id}/readings", "/people/{id}/report",
                "/people/{id}/edit", "/people/{id}/start", "/devices", "/gateways", "/unassigned", "/outboxes",
                "/rules",
            ])
        site.resources += Language.resources
        logger = configuration.logger
        server = WebServer(configuration: configuration, routes: routes, site: site)
    }

    /// Serves until ``stop()`` is called or the task is cancelled, then closes the store.
    package func run(onListening: @escaping @Sendable (WebServer.Listening) async -> Void) async throws {
        defer {
            try? store.close()
            if let file { unlink(AdministrationSocket.path(of: file.path)) }
        }
        let administration = file.map { file in
            // Removes the socket of a hub that was killed.
            unlink(AdministrationSocket.path(of: file.path))
            return Task { [store, forwarder, notices, logger] in
                do {
                    try await AdministrationSocket.serve(store, path: file.path) {
                        forwarder.wake()
                        notices.wake()
                    }
                } catch {
                    logger.error(
                        "'harald hub' commands cannot reach this hub",
                        metadata: ["socket": "\(AdministrationSocket.path(of: file.path))", "error": "\(error)"])
                }
            }
        }
        let forwarding = Task { [forwarder] in await forwarder.run() }
        let notifying = Task { [notices] in await notices.run() }
        let cleaning = Task { [store] in await Self.clean(store) }
        try await ending {
            try await server.run(onListening: onListening)
        } with: {
            // The store is closed after its last user has ended.
            let tasks = [forwarding, notifying, cleaning] + [administration].compactMap { $0 }
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
            await store.finishAccessLog()
        }
    }

    /// Repeats the cleaning of the files that a deletion could not complete, at the start and then regularly.
    private static func clean(_ store: HubStore) async {
        repeat {
            _ = try? await store.perform { try $0.eraseDeleted() }
            try? await Task.sleep(for: cleaningInterval)
        } while !Task.isCancelled
    }

    /// Runs a command on the store.
    package func perform(_ command: HubCommand) async throws -> HubAnswer {
        let answer = try await store.perform { $0.perform(command) }
        forwarder.wake()
        return answer
    }

    /// Returns the latest readings of a person in sentences.
    package func sentences(of person: Int64) async throws -> [String] {
        try await store.perform { try $0.state(of: person)?.latest ?? [] }.map { reading in
            switch reading.judgement {
            case .judged(_, let sentence): sentence.description
            case .notJudged(let reason): "\(reading.text): not assessed: \(reason)"
            }
        }
    }

    /// Returns the file with the token of the monitor in this process, and the directory of its queue.
    /// - Throws: ``HubProblem``, or an error of writing the file.
    package func monitorFiles() async throws -> (token: String, queue: String) {
        let file = keys + "/monitor-token"
        let known = try? SecretText.token(in: file)
        if let known, try await store.token(known) != nil { return (file, keys + "/monitor-queue") }
        let name = "monitor of \(ProcessInfo.processInfo.hostName.prefix(100))"
        let token = try await store.perform { store in
            try? store.revokeToken(name: name)
            return try store.addToken(name: name, role: .gateway, by: "hub")
        }
        unlink(file)
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(token.utf8), attributes: [.posixPermissions: 0o600])
        else { throw HubProblem(.unavailable, "cannot write \(file)") }
        return (file, keys + "/monitor-queue")
    }

    /// Creates a URL that logs a browser in, once; nil until the server listens.
    package func makeLoginURL() -> String? { server.makeLoginURL() }

    /// Makes ``run(onListening:)`` return.
    package func stop() { server.stop() }
}

private struct HubAccounts: WebAccounts {
    let store: HubStore
    let logger: Logger

    func passwordHash(of name: String) async throws -> String? {
        try await store.answering { try $0.user(name)?.hash }
    }

    func grant(of name: String) async throws -> WebGrant? {
        try await store.answering { try $0.user(name).map { WebGrant(role: $0.role.rawValue, scope: $0.scope) } }
    }

    func noteLogin(of name: String, isRight: Bool, from address: String) async {
        let action = isRight ? "login from \(address)" : "wrong password from \(address)"
        do {
            try await store.perform { try $0.audit(name, action) }
        } catch {
            // Readings must stay accessible when the disk is full.
            logger.error(
                "the audit log lacks a login",
                metadata: ["who": "\(name)", "action": "\(action)", "error": "\(error)"])
        }
    }
}

/// The sessions and the credits for passwords of hubs that share a store.
private struct SharedHubState: SharedWebState {
    let store: HubStore

    func secret(_ name: String, first: [UInt8]) async throws -> [UInt8] {
        try await store.perform { try $0.webSecret(name, first: first) }
    }

    func isEnded(_ session: String) async throws -> Bool {
        try await store.answering { try $0.isSessionEnded(session) }
    }

    func end(_ session: String, expires: Int) async throws {
        try await store.answering { try $0.endSession(session, expires: expires) }
    }

    func takeTry(of network: String, limit: Double, secondsPerTry: Double) async throws -> Double? {
        try await store.answering { try $0.takePasswordTry(of: network, limit: limit, restoredIn: secondsPerTry) }
    }

    func returnTry(of network: String) async throws {
        try await store.answering { try $0.returnPasswordTry(of: network) }
    }
}
