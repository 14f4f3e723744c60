#if Programs
import Explorer
import HTTPTypes
import Hummingbird
import WebServer

/// A parameter of an operation in the query, or a field of the header.
struct APIParameter: Sendable {
    var name: String
    var text: String
    var schema: APISchema
    /// Whether it may be given several times.
    var isList = false
}

/// What an operation answers with.
enum APIAnswer: Sendable {
    /// A JSON value.
    case json(APISchema, status: HTTPResponse.Status = .ok)
    /// Another kind of document.
    case document(type: String)
    /// Server-sent events.
    case events
}

/// An operation of the API: how it is called, what it takes and answers, and what does it.
///
/// The OpenAPI document is made of these values, and requests are checked against them.
struct APIOperation: Sendable {
    typealias Handler = @Sendable (APICall) async throws -> Response

    var method: HTTPRequest.Method
    /// The path, with `{name}` for its parameters.
    var path: String
    /// Names the operation in programs that are generated from the document.
    var name: String
    /// What it does, in a sentence.
    var summary: String
    var tag: String
    var query: [APIParameter] = []
    var body: APISchema?
    var needsBody = false
    var answer: APIAnswer
    /// Whether it changes what `--read-only` protects.
    var isProtected = false
    /// Whether it belongs to a viewer.
    var hasViewer = false
    /// Whether it answers without a token.
    var isOpen = false
    var handler: Handler
}

/// The same operations, refused by a server that is read-only.
func protected(_ operations: [APIOperation]) -> [APIOperation] {
    operations.map { operation in
        var operation = operation
        operation.isProtected = true
        return operation
    }
}

/// A request that was checked.
struct APICall: Sendable {
    let request: Request
    let context: WebContext
    let viewer: ViewerID
    /// The parameters of the query, each with its values.
    let query: [String: [String]]
    /// The body; an empty object where there is none.
    let body: JSONValue

    /// The only value of a parameter of the query.
    func value(_ name: String) -> String? { query[name]?.first }
}
#endif
