import Foundation
import HTTPTypes
import HealthHub
import Hummingbird
import JSON
import WebServer

extension Request {
    /// True unless the content type names another version of FHIR than R4.
    var isFHIR4: Bool {
        (headers[.contentType] ?? "").lowercased().split(separator: ";").dropFirst().allSatisfy { parameter in
            let text = parameter.filter { !" \t\"".contains($0) }
            return !text.hasPrefix("fhirversion=") || text == "fhirversion=4.0"
        }
    }
}

extension Response {
    static func fhir(_ resource: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        var response = Response.json(resource.text, status: status)
        response.headers[.contentType] = "application/fhir+json; fhirVersion=4.0"
        return response
    }

    /// Creates a response to a problem in the form that FHIR clients expect.
    static func operationOutcome(_ problem: Problem) -> Response {
        // Codes of the system issue-type.
        let code =
            switch problem.status.code {
            case 401: "login"
            case 403: "forbidden"
            case 404: "not-found"
            case 405, 415: "not-supported"
            case 409: "conflict"
            case 413: "too-long"
            case 429: "throttled"
            case 503: "transient"
            case 507: "no-store"
            case 500...: "exception"
            default: "processing"
            }
        let issue = FHIRIssue(code: code, diagnostics: problem.text)
        var response = Response.fhir(FHIRIssue.outcome([issue]), status: problem.status)
        for field in problem.headers { response.headers.append(field) }
        return response
    }
}

extension HubStore {
    /// Runs `body`, and converts its errors to responses.
    /// - Throws: ``Problem``; 503 if the store is not available.
    func answering<Result: Sendable>(
        _ body: @escaping @Sendable (HubStore) throws -> Result
    ) async throws -> Result {
        do { return try await perform(body) } catch { throw Problem(HubProblem(error)) }
    }
}

/// The sender of a request in JSON.
struct SessionItem: Encodable, Sendable {
    /// The name of the account or token; nil for a browser without an account and for the hub's own token.
    let name: String?
    let role: Role
    /// The identifier of the hub's time zone.
    let timeZone: String
    /// The people to whom the account or token is bound; nil for all.
    let people: [String]?
}

/// The data that a request concerns.
enum RequestSubject {
    case hub
    case person(Int64)
    /// No data of people, such as the rules; or the data that the scope of the sender selects.
    case none
}

extension WebContext {
    /// The sender of the request: the name of the account or token, the role, the name in the audit log, and the scope.
    /// The login URL and the token in the hub's directory give the role of an administrator.
    private var sender: (name: String?, role: Role, who: String, scope: String?) {
        switch identity {
        case .token(let name, let grant)?:
            (name, Role(rawValue: grant.role) ?? .gateway, "token \(name)", grant.scope)
        case .account(_, let name, let grant)?: (name, Role(rawValue: grant.role) ?? .reader, name, grant.scope)
        case .bearer?: (nil, .administrator, "the hub's token", nil)
        case .session?: (nil, .administrator, "a browser with the login URL", nil)
        case nil: (nil, .gateway, "nobody", nil)
        }
    }

    var role: Role { sender.role }

    /// The name of the sender in the audit log.
    var who: String { sender.who }

    /// The scope of the sender; nil for all.
    /// - Throws: ``Problem`` for a scope of a later version.
    var scope: AccessScope? {
        get throws {
            do { return try sender.scope.map(AccessScope.init) } catch { throw Problem(HubProblem(error)) }
        }
    }

    /// The sender as the API answers it.
    /// - Throws: ``Problem`` for a scope of a later version.
    var session: SessionItem {
        get throws {
            SessionItem(
                name: sender.name, role: role, timeZone: TimeZone.current.identifier,
                people: try scope?.people.sorted().map(String.init))
        }
    }

    /// The name of the sender's token; nil for a browser and for the hub's own token.
    var tokenName: String? {
        if case .token(let name, _)? = identity { return name }
        return nil
    }

    /// Checks the role and the scope of the sender.
    /// - Throws: ``Problem`` 403 if the role does not include `needed`, or the scope lacks the data.
    func requires(_ needed: Role, for subject: RequestSubject = .hub) throws {
        guard !role.includes(needed) else {
            guard let scope = try scope else { return }
            switch subject {
            case .none: return
            case .person(let id) where scope.people.contains(id): return
            case .hub, .person:
                throw Problem.forbidden(
                    "This account or token is bound to other data.",
                    advice: "Ask the operator of the hub for one that is not, or is bound to this person.")
            }
        }
        let name = needed.rawValue
        let advice =
            if case .account? = identity {
                "Log in with an account that has the role \(name), or ask the operator of the hub for one."
            } else {
                "Use a token with the role \(name): `harald hub token add NAME --role \(name)`."
            }
        throw Problem.forbidden("The role \(role.rawValue) does not include \(name).", advice: advice)
    }

    /// Checks the role of the sender for the person in the path, and returns the identifier.
    /// - Throws: ``Problem`` 404 for a text that is no identifier; 403 as ``requires(_:for:)``.
    func person(as needed: Role) throws -> Int64 {
        let text = try parameter("id")
        guard let id = Int64(text) else {
            try requires(needed)
            throw Problem(HubProblem.noPerson(text))
        }
        try requires(needed, for: .person(id))
        return id
    }
}

extension Problem {
    /// The details, and the advice in a sentence of its own.
    var text: String {
        if advice.isEmpty { return detail }
        // The problem of a store ends without a full stop.
        return detail + (detail.hasSuffix(".") ? " " : ". ") + advice
    }

    init(_ problem: HubProblem) {
        let detail = problem.description
        switch problem.code {
        case .invalid: self = .badRequest(detail)
        case .tooLarge:
            self.init(
                status: .contentTooLarge, type: "too-large", title: "Too many readings", detail: detail,
                advice: "Send them in several batches.")
        case .notFound: self = .notFound(detail)
        case .conflict:
            self.init(status: .conflict, type: "conflict", title: "Conflict", detail: detail)
        case .full:
            self.init(
                status: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), type: "disk-full",
                title: "The disk is full", detail: detail, advice: "Try again later, and keep readings until then.")
        case .busy:
            self.init(
                status: .tooManyRequests, type: "busy", title: "Too many requests", detail: detail,
                advice: "Send again after the time in Retry-After.", headers: [.retryAfter: "1"])
        case .unavailable:
            self.init(
                status: .serviceUnavailable, type: "store", title: "The store is not available", detail: detail,
                advice: "Try again later, and keep readings until then.", headers: [.retryAfter: "10"])
        }
        source = problem
    }
}
