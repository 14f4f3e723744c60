import Explorer
import HTTPTypes
import Hummingbird
import WebServer

/// A query parameter or header field of an operation.
struct APIParameter: Sendable {
    var name: String
    var text: String
    var schema: APISchema
    /// True if the parameter may be repeated.
    var isList = false
}

/// The kind of response of an operation.
enum APIAnswer: Sendable {
    /// A JSON value.
    case json(APISchema, status: HTTPResponse.Status = .ok)
    /// Another kind of document.
    case document(type: String)
    /// A stream of server-sent events.
    case events
}

/// An operation of the API: its path, parameters, response and handler.
///
/// The OpenAPI document is generated from these values, and requests are checked against them.
struct APIOperation: Sendable {
    typealias Handler = @Sendable (APICall) async throws -> Response

    var method: HTTPRequest.Method
    /// The path, with `{name}` for path parameters.
    var path: String
    /// The operation identifier in the OpenAPI document, for generated clients.
    var name: String
    /// A summary in one sentence.
    var summary: String
    var tag: String
    var query: [APIParameter] = []
    var body: APISchema?
    var needsBody = false
    var answer: APIAnswer
    /// True if a read-only server refuses the operation.
    var isProtected = false
    /// True if the operation belongs to a viewer.
    var hasViewer = false
    /// True if the operation is available without a token.
    var isOpen = false
    var handler: Handler
}

/// Returns the operations, marked as refused by a read-only server.
func protected(_ operations: [APIOperation]) -> [APIOperation] {
    operations.map { operation in
        var operation = operation
        operation.isProtected = true
        return operation
    }
}

/// A checked request.
struct APICall: Sendable {
    let request: Request
    let context: WebContext
    let viewer: ViewerID
    /// The query parameters, each with its values.
    let query: [String: [String]]
    /// The body; an empty object if there is none.
    let body: JSONValue

    /// Returns the first value of a query parameter.
    func value(_ name: String) -> String? { query[name]?.first }
}
