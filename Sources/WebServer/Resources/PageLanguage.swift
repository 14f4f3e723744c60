/// A language of the pages and the problems of a server.
package protocol PageLanguage: Sendable {
    /// The tag: "de".
    var code: String { get }
    /// Returns a text of this server, which is given in English.
    func text(_ english: String) -> String
    /// Returns a problem in the language.
    func translated(_ problem: Problem) -> Problem
}

extension PageLanguage {
    package func translated(_ problem: Problem) -> Problem {
        var problem = problem
        (problem.title, problem.detail) = (text(problem.title), text(problem.detail))
        problem.advice = text(problem.advice)
        return problem
    }
}

/// The language of a server with one.
struct EnglishPages: PageLanguage {
    let code = "en"
    func text(_ english: String) -> String { english }
}
