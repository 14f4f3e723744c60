import Explorer
import Foundation
import HTTPTypes
import Harald
import Hummingbird
import VirtualDevices
import WebServer

/// Checks requests against the declared operations before a handler runs.
struct APIChecks: Sendable {
    let isReadOnly: Bool
    let viewers: ViewerDirectory

    /// Checks a request.
    /// - Throws: ``Problem`` if the request violates the declaration of the operation, or the server is read-only.
    func call(_ operation: APIOperation, _ request: Request, _ context: WebContext) async throws -> APICall {
        if operation.isProtected, isReadOnly {
            throw Problem(
                status: .forbidden, type: "read-only", title: "Read-only server",
                detail: "This server was started with --read-only; it allows only connecting, reading and subscribing.",
                advice: "Start the server without --read-only.")
        }
        let query = try query(operation, request)
        let viewer = try viewer(operation, request, context)
        return APICall(
            request: request, context: context, viewer: viewer, query: query, body: try await body(operation, request))
    }

    private func query(_ operation: APIOperation, _ request: Request) throws -> [String: [String]] {
        var values: [String: [String]] = [:]
        for (name, text) in try Self.pairs(request.uri.query ?? "") {
            guard let parameter = operation.query.first(where: { $0.name == name }) else {
                throw Problem.badRequest("The operation has no parameter '\(name)'.")
            }
            if let problem = parameter.schema.problem(Self.typed(text, parameter.schema), at: "'\(name)'") {
                throw Problem.badRequest(problem + ".")
            }
            values[name, default: []].append(text)
            if values[name]?.count ?? 0 > 1, !parameter.isList {
                throw Problem.badRequest("The parameter '\(name)' is repeated.")
            }
        }
        return values
    }

    /// Parses the parameters of a query in form encoding: a plus sign is a space.
    private static func pairs(_ query: String) throws -> [(name: String, text: String)] {
        try query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = decoded[0], let text = decoded.count > 1 ? decoded[1] : "" else {
                throw Problem.badRequest("'\(pair)' in the query is not valid percent encoding.")
            }
            return (name, text)
        }
    }

    /// Converts the text of a parameter to the type of its schema.
    private static func typed(_ text: String, _ schema: APISchema) -> JSONValue {
        switch schema.json["type"]?.string {
        case "integer": Int(text).map { .int($0) } ?? .string(text)
        case "number": Double(text).map { .number($0) } ?? .string(text)
        case "boolean": text == "true" ? true : text == "false" ? false : .string(text)
        default: .string(text)
        }
    }

    private func viewer(
        _ operation: APIOperation, _ request: Request, _ context: WebContext
    ) throws -> ViewerID {
        guard operation.hasViewer, let name = request.viewer else { return ViewerID(rawValue: context.sessionID) }
        guard ViewerDirectory.isName(name) else {
            throw Problem.badRequest("Harald-Viewer must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -.")
        }
        let key = ViewerDirectory.key(context.sessionID, name)
        guard viewers.isKnown(key) else {
            throw Problem(
                status: .conflict, type: "no-such-viewer", title: "No such viewer",
                detail: "This session has no event stream of the viewer '\(name)'.",
                advice: "Open /api/v1/events?viewer=\(name) first, or omit the field Harald-Viewer.")
        }
        return ViewerID(rawValue: key)
    }

    private func body(_ operation: APIOperation, _ request: Request) async throws -> JSONValue {
        guard let schema = operation.body else { return .object([:]) }
        let bytes = try await request.bodyBytes(limit: 1 << 20)
        if bytes.isEmpty {
            guard !operation.needsBody else { throw Problem.badRequest("The request requires a JSON body.") }
            return .object([:])
        }
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes) } catch {
            throw Problem.badRequest("The body is not JSON: \(error).")
        }
        if let problem = schema.problem(value) { throw Problem.badRequest(problem + ".") }
        return value
    }
}

extension Problem {
    /// Creates the problem for an error of the model. An operation that is not possible now is a conflict.
    init(model error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as BluetoothError:
            let kind = Self.kind(of: error.code)
            let operation = error.operation.isEmpty ? "" : error.operation + ": "
            self.init(
                status: error.code == .notFound ? .notFound : .conflict, type: kind.type, title: kind.title,
                detail: operation + error.reason, advice: error.advice)
        case let error as DeviceFileError:
            self.init(
                status: .conflict, type: "device-file", title: "Invalid device file", detail: error.message,
                advice: "Documentation/DeviceFiles.md describes the format.",
                extra: ["line": error.line, "column": error.column])
        case let error as InputError:
            self.init(
                status: .conflict, type: "wrong-value", title: "Invalid value", detail: error.message,
                advice: "GET /api/v1/openapi.json describes the operations.")
        default:
            self.init(status: .conflict, type: "failed", title: "Failed", detail: "\(error)")
        }
    }

    private static func kind(of code: BluetoothError.Code) -> (type: String, title: String) {
        switch code {
        case .plain(.cancelled): ("cancelled", "Cancelled")
        case .plain(.timeout): ("timeout", "No answer in time")
        case .disconnected: ("disconnected", "The link ended")
        case .plain(.notConnected): ("not-connected", "Not connected")
        case .radio: ("radio", "The adapter is not ready")
        case .att: ("refused", "The device refused")
        case .controller: ("adapter-refused", "The adapter refused")
        case .plain(.notFound): ("not-found", "Not found")
        case .plain(.unsupported): ("unsupported", "Not supported")
        case .plain(.invalidArgument): ("wrong-value", "Invalid value")
        case .plain(.invalidResponse): ("protocol", "The device violated the protocol")
        case .plain(.limitReached): ("limit", "A limit is reached")
        case .channelRefused: ("refused", "The device refused")
        case .plain(.pairingRefused): ("pairing-refused", "Pairing was refused")
        case .plain(.pairingFailed): ("pairing-failed", "Pairing failed")
        case .plain(.wrongPasskey): ("wrong-passkey", "Wrong passkey")
        case .plain(.bondLost): ("bond-lost", "The device no longer has its keys")
        case .plain(.security): ("security", "Insufficient security")
        }
    }

    static func noDevice(_ id: String) -> Problem {
        .notFound("There is no device '\(id)'.", advice: "GET /api/v1/devices lists the devices.")
    }
}
