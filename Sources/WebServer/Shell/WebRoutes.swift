#if Programs
import HTTPTypes
import Hummingbird

/// The routes of a server: method, path and handler.
///
/// Add all routes before the server starts. A path consists of segments of text and of `{name}`, whose value
/// ``WebContext/parameter(_:)`` returns.
package struct WebRoutes {
    /// A handler of requests.
    package typealias Handler = @Sendable (Request, WebContext) async throws -> Response

    private let router = Router(context: WebContext.self)
    private var handlers: [[Substring]: [HTTPRequest.Method: Handler]] = [:]
    private var methods: [[Substring]: Set<HTTPRequest.Method>] = [:]
    private var open: Set<[Substring]> = []
    private var local: Set<[Substring]> = []

    /// Creates an empty list of routes.
    package init() {}

    /// Adds a route. GET also answers HEAD.
    ///
    /// - Parameter withoutLogin: true for a route that requires neither session nor token, such as `/health`.
    /// - Parameter withoutLocalLogin: true for a route that requires neither from programs on this machine.
    package mutating func on(
        _ method: HTTPRequest.Method, _ path: String, withoutLogin: Bool = false, withoutLocalLogin: Bool = false,
        _ handler: @escaping Handler
    ) {
        let segments = Self.segments(path)
        methods[segments, default: []].insert(method)
        if withoutLogin { open.insert(segments) }
        if withoutLocalLogin { local.insert(segments) }
        handlers[segments, default: [:]][method] = handler
        router.on(RouterPath(path), method: method) { try await handler($0, $1) }
        if method == .get {
            methods[segments, default: []].insert(.head)
            router.on(RouterPath(path), method: .head) { try await handler($0, $1) }
        }
    }

    /// Adds a route for GET.
    package mutating func get(_ path: String, _ handler: @escaping Handler) { on(.get, path, handler) }
    /// Adds a route for POST.
    package mutating func post(_ path: String, _ handler: @escaping Handler) { on(.post, path, handler) }
    /// Adds a route for PUT.
    package mutating func put(_ path: String, _ handler: @escaping Handler) { on(.put, path, handler) }
    /// Adds a route for PATCH.
    package mutating func patch(_ path: String, _ handler: @escaping Handler) { on(.patch, path, handler) }
    /// Adds a route for DELETE.
    package mutating func delete(_ path: String, _ handler: @escaping Handler) { on(.delete, path, handler) }

    static func segments(_ path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }

    /// The routes in the form for the server.
    func table() -> WebRouteTable {
        WebRouteTable(
            responder: router.buildResponder(),
            handlers: handlers.filter { $0.key.allSatisfy { !$0.hasPrefix("{") && !$0.hasPrefix("*") } },
            methods: methods, open: open, local: local)
    }
}

/// The prepared ``WebRoutes``.
struct WebRouteTable: Sendable {
    private let responder: RouterResponder<WebContext>
    /// The handlers of paths without parameters, which need no search.
    private let handlers: [[Substring]: [HTTPRequest.Method: WebRoutes.Handler]]
    let methods: [[Substring]: Set<HTTPRequest.Method>]
    let open: Set<[Substring]>
    let local: Set<[Substring]>

    /// The methods of the path; empty if no route matches.
    func methods(at segments: [Substring]) -> Set<HTTPRequest.Method> {
        if let exact = methods[segments] { return exact }
        var found: Set<HTTPRequest.Method> = []
        for (template, names) in methods where Self.matches(segments, template) { found.formUnion(names) }
        return found
    }

    init(
        responder: RouterResponder<WebContext>, handlers: [[Substring]: [HTTPRequest.Method: WebRoutes.Handler]],
        methods: [[Substring]: Set<HTTPRequest.Method>], open: Set<[Substring]>, local: Set<[Substring]>
    ) {
        (self.responder, self.handlers, self.methods, self.open, self.local) = (
            responder, handlers, methods, open, local
        )
    }

    func respond(to request: Request, at segments: [Substring], _ context: WebContext) async throws -> Response {
        if let handler = handlers[segments]?[request.method] { return try await handler(request, context) }
        return try await responder.respond(to: request, context: context)
    }

    /// Returns true if the path requires no login.
    func isOpen(_ segments: [Substring]) -> Bool { open.contains(segments) }

    /// Returns true if the path requires no login from programs on this machine.
    func isLocal(_ segments: [Substring]) -> Bool { local.contains(segments) }

    private static func matches(_ segments: [Substring], _ template: [Substring]) -> Bool {
        if template.last == "**" {
            return segments.count >= template.count - 1 && zip(segments, template.dropLast()).allSatisfy(matches)
        }
        return segments.count == template.count && zip(segments, template).allSatisfy(matches)
    }

    private static func matches(_ segment: Substring, _ template: Substring) -> Bool {
        template == "*" || template.hasPrefix("{") || segment == template
    }
}
#endif
