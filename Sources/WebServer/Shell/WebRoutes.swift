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
    private var routes: [String: WebRoute] = [:]

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
        let key = WebRouteTable.path(WebRouteTable.segments(path))
        var route = routes[key] ?? WebRoute(path: path)
        route.methods.insert(method)
        route.isOpen = route.isOpen || withoutLogin
        route.isLocal = route.isLocal || withoutLocalLogin
        route.handlers[method] = handler
        router.on(RouterPath(path), method: method) { try await handler($0, $1) }
        if method == .get {
            route.methods.insert(.head)
            router.on(RouterPath(path), method: .head) { try await handler($0, $1) }
        }
        routes[key] = route
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

    /// The methods in lower case and the paths, without HEAD. `isOpen` is true for those that some programs use without
    /// a login.
    package var operations: [(method: String, path: String, isOpen: Bool)] {
        routes.values.flatMap { route in
            route.methods.subtracting([.head]).map { method in
                (method.rawValue.lowercased(), route.path, route.isOpen || route.isLocal)
            }
        }
    }

    /// The routes in the form for the server.
    func table() -> WebRouteTable { WebRouteTable(responder: router.buildResponder(), routes: routes) }
}

/// The methods of a path, and its access.
struct WebRoute: Sendable {
    /// The path as it was added; for several routes, of the first.
    var path = ""
    fileprivate(set) var methods: Set<HTTPRequest.Method> = []
    /// True if the path requires no login.
    fileprivate(set) var isOpen = false
    /// True if the path requires no login from programs on this machine.
    fileprivate(set) var isLocal = false
    /// The handlers of a path without parameters, which need no search.
    fileprivate var handlers: [HTTPRequest.Method: WebRoutes.Handler] = [:]
}

/// The prepared ``WebRoutes``.
struct WebRouteTable: Sendable {
    private let responder: RouterResponder<WebContext>
    private let exact: [String: WebRoute]
    /// The routes with parameters.
    private let templates: [(segments: [Substring], route: WebRoute)]

    fileprivate init(responder: RouterResponder<WebContext>, routes: [String: WebRoute]) {
        var exact: [String: WebRoute] = [:]
        var templates: [(segments: [Substring], route: WebRoute)] = []
        for (path, route) in routes {
            let segments = Self.segments(path)
            if segments.contains(where: { $0.hasPrefix("{") || $0.hasPrefix("*") }) {
                templates.append((segments, route))
            } else {
                exact[path] = route
            }
        }
        (self.responder, self.exact, self.templates) = (responder, exact, templates)
    }

    /// The route of a path, with the methods of all templates that match; nil if there is none.
    func route(at path: String) -> WebRoute? {
        if let route = exact[path] { return route }
        let segments = Self.segments(path)
        if let route = exact[Self.path(segments)] { return route }
        var methods: Set<HTTPRequest.Method> = []
        for (template, route) in templates where Self.matches(segments, template) {
            methods.formUnion(route.methods)
        }
        return methods.isEmpty ? nil : WebRoute(methods: methods)
    }

    func respond(to request: Request, _ route: WebRoute, _ context: WebContext) async throws -> Response {
        if let handler = route.handlers[request.method] { return try await handler(request, context) }
        return try await responder.respond(to: request, context: context)
    }

    fileprivate static func segments(_ path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }

    /// The path without empty segments.
    fileprivate static func path(_ segments: [Substring]) -> String { "/" + segments.joined(separator: "/") }

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
