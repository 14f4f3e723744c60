import AsyncHTTPClient
import Foundation
import HealthHub
import Hummingbird
import JSON
import NIOCore

/// The socket next to a store, through which `harald hub` commands reach the hub that has the store open. Only the user
/// who runs the hub can open it.
package enum AdministrationSocket {
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
        let handover = try command.target.map { try Handover(to: $0, in: directory(of: path)) }
        let body = try JSONEncoder().encode(handover.map { command.writing(to: $0.path) } ?? command)
        guard let url = URL(httpURLWithSocketPath: Self.path(of: path), uri: "/administration") else {
            throw HubProblem(.unavailable, "\(path) has no valid path for the administration socket")
        }
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = .POST
        request.body = .bytes(ByteBuffer(bytes: body))
        let answer: HubAnswer
        do {
            let response = try await HTTPClient.shared.execute(
                request, timeout: .seconds(command.timeLimit.components.seconds))
            let bytes = try await response.body.collect(upTo: 256 << 20)
            answer = try JSONDecoder().decode(HubAnswer.self, from: Data(bytes.readableBytesView))
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            throw HubProblem(
                .unavailable,
                "the hub that has \(path) open has not finished the command in \(command.timeLimit); it may still do so"
            )
        } catch {
            throw HubProblem(
                .unavailable, "another program has \(path) open and does not respond at \(Self.path(of: path))")
        }
        return try handover?.finish(answer) ?? answer
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
            let body = try await request.body.collect(upTo: 64 << 20)
            let command = try JSONDecoder().decode(HubCommand.self, from: Data(body.readableBytesView))
            let answer = try JSONEncoder().encode(try await store.perform { $0.perform(command) })
            onCommand()
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer)))
        }
        try await StoppableServer.run(
            router.buildResponder(), at: .unixDomainSocket(path: Self.path(of: path)), label: "harald.hub")
    }
}

/// A file that the hub writes beside its store, and the command copies to the target: a hub that runs as a service has
/// a `/tmp` of its own, and may write nowhere else.
final class Handover {
    let path: String
    private let target: String
    private let file: NewFile
    private var isComplete = false

    /// Creates the target, which is empty until ``finish(_:)``.
    /// - Throws: ``HubProblem`` if it exists or cannot be created.
    init(to target: String, in directory: String) throws(HubProblem) {
        file = try NewFile(target)
        (self.target, path) = (target, directory + "/handover-\(UUID().uuidString)")
    }

    deinit {
        unlink(path)
        if !isComplete { file.discard() }
    }

    /// Copies the file that the hub has written, and returns the answer of the hub with the path of the target.
    /// - Throws: ``HubProblem``; the target is then removed.
    func finish(_ answer: HubAnswer) throws(HubProblem) -> HubAnswer {
        var answer = answer
        answer.problem = answer.problem?.replacing(path, with: target)
        guard answer.code == nil else { return answer }
        try file.append(path)
        try file.close()
        isComplete = true
        let quoted = (JSONValue.string(path).text, JSONValue.string(target).text)
        answer.items = answer.items.map { item in
            .init(json: item.json.replacing(quoted.0, with: quoted.1), text: item.text.replacing(path, with: target))
        }
        return answer
    }

    /// Removes the files of commands that were killed.
    static func removeLeftovers(in directory: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        where name.hasPrefix("handover-") {
            unlink(directory + "/" + name)
        }
    }
}
