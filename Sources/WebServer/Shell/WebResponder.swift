import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Synchronization

/// Answers every request: performs the checks in this order, then returns the page, the file or the response of the
/// route.
///
/// `Host` (421), `Origin` (403), login (401), rate of the token (429), method (405), size of the body (413).
struct WebResponder: Sendable {
    let hosts: HostNames
    let access: AccessControl
    let routes: WebRouteTable
    let resources: ResourceCatalog
    let bodyLimit: Int
    let isEncrypted: Bool
    let state: ServerState
    let observe: (@Sendable (_ method: String, _ status: Int, _ duration: Duration) -> Void)?
    let problemResponse: (@Sendable (_ problem: Problem, _ path: String) -> Response?)?
    let language: @Sendable (HTTPFields) -> any PageLanguage
    let logger: Logger
    /// The limits of named tokens; nil if there are none.
    let rates: TokenRates?

    func respond(to request: Request, context: WebContext) async -> Response {
        let start = ContinuousClock.now
        var context = context
        context.problemResponse = problemResponse
        context.language = language
        var response: Response
        do {
            response = try await answer(request, context)
        } catch let problem as Problem {
            response = problem.response(from: request, context: context)
        } catch {
            if let problem = Problem.describing(error, bodyLimit: bodyLimit) {
                response = problem.response(from: request, context: context)
            } else {
                // The client of a cancelled request is gone.
                if !Task.isCancelled {
                    logger.error(
                        "request failed", metadata: ["path": "\(request.uri.path)", "error": "\(error)"])
                }
                response = Problem.fault.response(from: request, context: context)
            }
        }
        SecurityHeaders.add(to: &response)
        observe?(context.refusal == nil ? request.method.rawValue : "", response.status.code, .now - start)
        return response
    }

    private func answer(_ request: Request, _ context: WebContext) async throws -> Response {
        if let refusal = context.refusal { throw refusal }
        let path = request.uri.path
        guard let host = request.head.authority, hosts.contains(host) else {
            throw Problem.foreignHost(request.head.authority ?? "")
        }
        try Origin.check(request, isEncrypted: isEncrypted)
        guard !state.isStopping else { throw Problem.unavailable("The server is stopping.") }
        if access.cookie(of: request) != nil, !hosts.hasOwnPort(host) { throw Problem.foreignHost(host) }
        let route = routes.route(at: path)
        if let route, route.isOpen && route.path == path || route.isLocal && Self.isLocal(request, context) {
            return try await respond(to: request, route, context)
        }
        if let response = try await login(request, context) { return response }
        var context = context
        context.identity = try await access.identity(of: request)
        guard let identity = context.identity else { return try access.refusal(of: request) }
        guard let rates, case .token(let name, _) = identity else {
            return try await identified(request, route, context)
        }
        try rates.begin(name)
        defer { rates.end(name) }
        return try await identified(request, route, context)
    }

    /// Answers a request whose sender is known.
    private func identified(_ request: Request, _ route: WebRoute?, _ context: WebContext) async throws -> Response {
        let path = request.uri.path
        if path == "/logout" {
            guard request.method == .post else { throw Problem.methodNotAllowed(request.method, allowed: [.post]) }
            return try await access.logOut(request)
        }
        if let route { return try await respond(to: request, route, context) }
        if let response = try resources.response(to: request, context.language(request.headers)) { return response }
        throw Problem.notFound("There is nothing at \(path).")
    }

    /// Returns true for a program on this machine, but not for a proxy that forwards requests of others.
    private static func isLocal(_ request: Request, _ context: WebContext) -> Bool {
        let isForwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].contains { name in
            HTTPField.Name(name).map { request.headers[$0] != nil } ?? false
        }
        return !isForwarded && WebAddress(host: context.remoteAddress ?? "", port: 0).isLoopback
    }

    /// The printed URL, and the login form.
    private func login(_ request: Request, _ context: WebContext) async throws -> Response? {
        if request.uri.path == "/", request.method == .get, let token = request.uri.queryParameters["token"] {
            return try await access.openLink(
                token: String(token), request: request, address: context.remoteAddress ?? "")
        }
        guard request.uri.path == "/login", request.method == .post else { return nil }
        let body = try await request.bodyBytes(limit: 8192)
        let form = URI("/?" + String(decoding: body, as: UTF8.self).replacing("+", with: "%20"))
        let secret = form.queryParameters["secret"].map(String.init) ?? ""
        let name = form.queryParameters["name"].map(String.init) ?? ""
        let page = form.queryParameters["page"].map(String.init) ?? ""
        return try await access.submit(
            secret, name: name, page: page, request: request, address: context.remoteAddress ?? "")
    }

    private func respond(to request: Request, _ route: WebRoute, _ context: WebContext) async throws -> Response {
        guard route.methods.contains(request.method) else {
            let allowed = route.methods.sorted { $0.rawValue < $1.rawValue }
            throw Problem.methodNotAllowed(request.method, allowed: allowed)
        }
        try await request.refuseBody(above: bodyLimit)
        return try await routes.respond(to: request, route, context)
    }
}

extension Request {
    /// Returns the whole body.
    ///
    /// - Throws: ``Problem`` 413 if the body is larger than `limit` octets, and 415 if it is compressed.
    package func bodyBytes(limit: Int = 1 << 20) async throws -> [UInt8] {
        if let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" {
            throw Problem(
                status: .unsupportedMediaType, type: "media-type", title: "Unsupported media type",
                detail: "The body has the encoding `\(encoding.prefix(64))`.", advice: "Send it without compression.")
        }
        try await refuseBody(above: limit)
        var bytes: [UInt8] = []
        var discarded = 0
        for try await chunk in body {
            if discarded == 0, bytes.count + chunk.readableBytes <= limit {
                bytes += chunk.readableBytesView
            } else {
                discarded += chunk.readableBytes
                if discarded > Self.discardLimit { break }
            }
        }
        if discarded > 0 { throw Problem.tooLarge(limit: limit) }
        return bytes
    }

    /// Refuses a body whose declared length exceeds the limit.
    ///
    /// The body is read to its end first, if it is not much too large: many clients do not read a response before they
    /// have sent their request, and would wait for the server to read it.
    ///
    /// - Throws: ``Problem`` 413 if the body is larger than `limit` octets.
    fileprivate func refuseBody(above limit: Int) async throws {
        guard let field = headers[.contentLength], let length = Int(field), length > limit else { return }
        if length - limit <= Self.discardLimit { for try await _ in body {} }
        throw Problem.tooLarge(limit: limit)
    }

    /// The number of octets beyond the limit of a body that are read and discarded.
    private static var discardLimit: Int { 64 << 20 }

    /// Decodes the body from JSON. An empty body counts as `{}`.
    ///
    /// - Throws: ``Problem`` 413, 415 or 400.
    package func json<Value: Decodable>(_ type: Value.Type = Value.self, limit: Int = 1 << 16) async throws -> Value {
        try await json(limit: limit) { bytes in
            do {
                return try JSONDecoder().decode(type, from: bytes.isEmpty ? Data("{}".utf8) : Data(bytes))
            } catch let error as DecodingError {
                throw BodyProblem(description: error.reason)
            }
        }
    }

    private struct BodyProblem: Error, CustomStringConvertible { let description: String }

    /// Parses the body, which is JSON.
    ///
    /// - Throws: ``Problem`` 413, 415, or 400 with the error of `parse`.
    package func json<Value>(limit: Int, parse: ([UInt8]) throws -> Value) async throws -> Value {
        let bytes = try await bodyBytes(limit: limit)
        let media = mediaType
        guard bytes.isEmpty || media == "application/json" || media.hasSuffix("+json") else {
            throw Problem(
                status: .unsupportedMediaType, type: "media-type", title: "Unsupported media type",
                detail: "The body is `\(media)`.", advice: "Send JSON with `Content-Type: application/json`.")
        }
        do { return try parse(bytes) } catch {
            throw Problem.badRequest("The body is not the JSON that this path expects: \(error)")
        }
    }

    /// The media type of the body in lower case, without parameters; empty if it was not sent.
    package var mediaType: String { (headers[.contentType] ?? "").prefix { $0 != ";" }.lowercased() }

    /// The viewer that the request names. `nil` if the session is the viewer.
    package var viewer: String? { headers[.viewer] }
}

extension Response {
    /// Creates a response with a JSON body.
    package static func json(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        json(ByteBuffer(string: text), status: status)
    }

    /// Creates a response with a JSON body in UTF-8.
    package static func json(octets: [UInt8]) -> Response { json(ByteBuffer(bytes: octets), status: .ok) }

    private static func json(_ body: ByteBuffer, status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: body))
    }

    /// Creates a response with a JSON body.
    ///
    /// - Throws: an error of encoding the value.
    package static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Response {
        json(try jsonText(of: value, userInfo: userInfo), status: status)
    }

    /// Encodes a value as JSON, in the form of all responses.
    ///
    /// - Throws: an error of encoding the value.
    package static func jsonText(
        of value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.userInfo = userInfo
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Creates a response with a file to save.
    package static func file(_ bytes: [UInt8], type: String, name: String? = nil) -> Response {
        var response = Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        if let name {
            let safe = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
            response.headers[.contentDisposition] = "attachment; filename=\"\(safe)\""
        }
        return response
    }
}

extension DecodingError {
    /// The reason and its position, without the names of Swift types.
    fileprivate var reason: String {
        func place(_ context: Context) -> String { context.codingPath.map(\.stringValue).joined(separator: ".") }
        return switch self {
        case .keyNotFound(let key, _): "`\(key.stringValue)` is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            place(context).isEmpty ? "it is not an object." : "`\(place(context))` has another type."
        case .dataCorrupted(let context):
            place(context).isEmpty ? "it is not valid JSON." : "`\(place(context))`: \(context.debugDescription)"
        @unknown default: "it cannot be read."
        }
    }
}
