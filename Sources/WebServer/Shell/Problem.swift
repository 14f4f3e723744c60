import Foundation
import HTTPTypes
import Hummingbird

/// An error response: `application/problem+json` (RFC 9457) with an additional member, `advice`.
///
/// Route handlers throw it; the server writes it.
package struct Problem: Error, Sendable, HTTPResponseError, CustomStringConvertible {
    /// The status of the response.
    package var status: HTTPResponse.Status
    /// The kind of problem in kebab case, such as `not-connected`. In the response it is a URI reference,
    /// `/problems/not-connected`.
    package var type: String
    /// The kind of problem in words.
    package var title: String
    /// The details of this occurrence.
    package var detail: String
    /// Advice for the user.
    package var advice: String
    /// Additional members, encoded as JSON beside the five members of every problem.
    package var extra: [String: any Encodable & Sendable]
    /// Additional header fields of the response.
    package var headers: HTTPFields
    /// The error that the problem describes, for a language with a translation of it.
    package var source: (any Error)?

    /// Creates a problem.
    package init(
        status: HTTPResponse.Status, type: String, title: String, detail: String, advice: String = "",
        extra: [String: any Encodable & Sendable] = [:], headers: HTTPFields = [:]
    ) {
        self.status = status
        self.type = type
        self.extra = extra
        self.title = title
        self.detail = detail
        self.advice = advice
        self.headers = headers
    }

    /// A text for the log.
    package var description: String { "\(status.code) \(title): \(detail)" }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Body: Encodable {
        let problem: Problem

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Name.self)
            for (name, value) in problem.extra { try container.encode(value, forKey: Name(name)) }
            try container.encode("/problems/" + problem.type, forKey: Name("type"))
            try container.encode(problem.title, forKey: Name("title"))
            try container.encode(problem.status.code, forKey: Name("status"))
            try container.encode(problem.detail, forKey: Name("detail"))
            try container.encode(problem.advice, forKey: Name("advice"))
        }
    }

    /// Returns the response with the problem.
    package func response() -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var fields = headers
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = "no-store"
        let bytes = (try? encoder.encode(Body(problem: self))) ?? Data("{}".utf8)
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Returns the response with the problem, in the form that clients of the path expect.
    package func response(from request: Request, context: some RequestContext) -> Response {
        let context = context as? WebContext
        if let response = context?.problemResponse?(self, request.uri.path) { return response }
        let language = context?.language(request.headers) ?? EnglishPages()
        let problem = language.translated(self)
        return problem.page(for: request, language) ?? problem.response()
    }
}
