import Foundation
import HTTPTypes
import HealthHub
import Hummingbird
import WebServer

extension Language: PageLanguage {
    /// The name of the cookie with the language that a person has chosen on a page.
    static let cookie = "harald-language"

    /// Returns the language for a request with these header fields.
    static func preferred(_ headers: HTTPFields) -> Language {
        let cookies = headers[values: .cookie].flatMap { $0.split(separator: ";") }
        let chosen = cookies.lazy.map { $0.trimmingCharacters(in: .whitespaces) }
            .first { $0.hasPrefix(cookie + "=") }?.dropFirst(cookie.count + 1)
        return preferred(chosen: chosen.map(String.init), accepted: headers[.acceptLanguage] ?? "")
    }

    package func text(_ english: String) -> String { HubText(english).text(in: self) }

    package func translated(_ problem: Problem) -> Problem {
        var translated = problem
        (translated.title, translated.advice) = (text(problem.title), text(problem.advice))
        translated.detail = (problem.source as? HubProblem)?.text.text(in: self) ?? text(problem.detail)
        return translated
    }

    /// The files that the pages load.
    static let resources = all.map { StaticResource(path: "hub/\($0.code).json", bytes: $0.file) }
}

extension Request {
    /// The language of the texts in the response.
    var language: Language { .preferred(headers) }
}

extension Response {
    /// Creates a response with a JSON body whose texts are in a language.
    /// - Throws: an error of encoding the value.
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, in language: Language
    ) throws -> Response {
        try json(value, status: status, userInfo: Language.key.map { [$0: language] } ?? [:])
    }
}
