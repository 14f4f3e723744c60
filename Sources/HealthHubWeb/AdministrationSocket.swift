import AsyncHTTPClient
import Foundation
import HealthHub
import Hummingbird
import NIOCore

/// The socket next to a store, through which `harald hub` commands reach the hub that has the store open. Only the user
/// who runs the hub can open it.
package enum AdministrationSocket {
    /// Returns the path of the socket for a store.
    static func path(of store: String) -> String { directory(of: store) + "/administration" }

    /// Returns the directory of the socket, next to the store; only its user can access it.
    static func directory(of store: String) -> String { store + ".web" }

    /// Runs a command: on the database, or on the file if no process has it open, else through the hub.
    /// - Parameter path: the path of a file, or the address of a PostgreSQL database.
    /// - Throws: ``HubProblem`` if neither is possible.
    package static func perform(_ command: HubCommand, store path: String) async throws -> HubAnswer {
        if let address = try PostgresAddress(path) {
            let store = try HubStore(address, assessor: Assessor())
            defer { try? store.close() }
            return try await store.perform { Self.cleanAndPerform(command, $0) }
        }
        guard command.mayCreateStore || FileManager.default.fileExists(atPath: path) else {
            if case .listRules = command { return try HubAnswer(rulesOf: Assessor()) }
            throw HubProblem(.notFound, "there is no store at \(path); give its path with --store")
        }
        if let lock = try StoreLock(path: path) {
            return try withExtendedLifetime(lock) {
                let store = try HubStore(path: path, assessor: Assessor())
                defer { try? store.close() }
                return Self.cleanAndPerform(command, store)
            }
        }
        let body = try JSONEncoder().encode(command)
        guard let url = URL(httpURLWithSocketPath: Self.path(of: path), uri: "/administration") else {
            throw HubProblem(.unavailable, "\(path) has no valid path for the administration socket")
        }
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = .POST
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let response = try await HTTPClient.shared.execute(
                request, timeout: .seconds(command.timeLimit.components.seconds))
            let bytes = try await response.body.collect(upTo: 256 << 20)
            return try JSONDecoder().decode(HubAnswer.self, from: Data(bytes.readableBytesView))
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            throw HubProblem(
                .unavailable,
                "the hub that has \(path) open has not finished the command in \(command.timeLimit); it may still do so"
            )
        } catch {
            throw HubProblem(
                .unavailable, "another program has \(path) open and does not respond at \(Self.path(of: path))")
        }
    }

    /// Runs a command, after the cleaning that an earlier deletion could not complete.
    private static func cleanAndPerform(_ command: HubCommand, _ store: HubStore) -> HubAnswer {
        _ = try? store.eraseDeleted()
        return store.perform(command)
    }

    /// Serves the socket until the task is cancelled.
    ///
    /// - Throws: an error of the system, if the server cannot listen.
    static func serve(_ store: HubStore, path: String, onCommand: @escaping @Sendable () -> Void) async throws {
        let router = Router()
        router.post("/administration") { request, _ -> Response in
            let body = try await request.body.collect(upTo: 1 << 20)
            let command = try JSONDecoder().decode(HubCommand.self, from: Data(body.readableBytesView))
            let answer = try JSONEncoder().encode(try await store.perform { $0.perform(command) })
            onCommand()
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer)))
        }
        try await StoppableServer.run(
            router.buildResponder(), at: .unixDomainSocket(path: Self.path(of: path)), label: "harald.hub")
    }
}
