#if Programs
import Foundation
import HTTPTypes
import HealthHub
import Hummingbird
import WebServer

/// Routes of the hub's API.
struct HubRoutes: Sendable {
    let store: HubStore
    let queue: ReadingQueue
    let forwarder: Forwarder
    /// Largest body of a request, in octets.
    static let bodyLimit = 4 << 20

    /// All routes.
    func routes() -> WebRoutes {
        var routes = WebRoutes()
        routes.on(.get, "/health", withoutLogin: true) { _, _ in .json(#"{"status":"ok"}"#) }
        routes.post("/api/v1/readings", postReadings)
        routes.post("/fhir", postFHIR)
        routes.get("/api/v1/people/{id}/fhir") { _, context in
            try context.requires(.reader)
            let id = try context.person()
            guard let bundle = try answering({ try store.fhirBundle(of: id) }) else {
                throw Problem.notFound("There is no person \(id).")
            }
            return .fhir(bundle)
        }
        routes.get("/api/v1/people") { _, context in
            try context.requires(.reader)
            return try .json(["people": try store.people().map(PersonItem.init)])
        }
        routes.post("/api/v1/people", postPerson)
        routes.delete("/api/v1/people/{id}") { _, context in
            try context.requires(.administrator)
            let id = try context.person()
            let count = try answering { try store.deletePerson(id) }
            store.audit(context.who, "person delete \(id)")
            return try .json(["readings": count])
        }
        routes.get("/api/v1/people/{id}/state", getState)
        routes.get("/api/v1/devices") { _, context in
            try context.requires(.reader)
            return try .json(["devices": try store.devices()])
        }
        routes.post("/api/v1/assignments", postAssignment)
        routes.get("/api/v1/people/{id}/readings", getReadings)
        routes.get("/api/v1/readings/unassigned") { _, context in
            try context.requires(.reader)
            return try .json(["readings": try store.unassignedReadings()])
        }
        routes.get("/api/v1/rules") { _, context in
            try context.requires(.reader)
            return try .json(["rules": store.assessor.rules.map(RuleItem.init)])
        }
        routes.get("/api/v1/outboxes") { _, context in
            try context.requires(.reader)
            return try .json(["outboxes": try store.outboxes()])
        }
        routes.post("/api/v1/outboxes/retry", postRetry)
        return routes
    }

    // MARK: Readings

    private struct Batch: Decodable { let readings: [SubmittedReading] }

    private struct Answer: Encodable {
        let results: [ReadingResult]
        let states: [String: PersonState]
    }

    private func postReadings(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.gateway)
        var readings = try await request.json(Batch.self, limit: Self.bodyLimit).readings
        let gateway = context.tokenName ?? "hub"
        // The token says who the gateway is.
        if context.role == .gateway { for index in readings.indices { readings[index].gateway = nil } }
        let batch: BatchResult
        do { batch = try await queue.store(readings, gateway: gateway) } catch { throw Problem(error) }
        if !batch.people.isEmpty { forwarder.wake() }
        var states: [String: PersonState] = [:]
        for person in batch.people {
            states[String(person)] = try answering { try store.state(of: person) }
        }
        return try .json(Answer(results: batch.results, states: states))
    }

    private func postFHIR(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.gateway)
        let media = (request.headers[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
        guard ["application/fhir+json", "application/json"].contains(media) else {
            let answer = FHIRAnswer.refused([
                FHIRIssue(code: "not-supported", diagnostics: "send FHIR as application/fhir+json")
            ])
            return .fhir(answer.resource, status: .unsupportedMediaType)
        }
        let body = try await request.bodyBytes(limit: Self.bodyLimit)
        let answer: FHIRAnswer
        do {
            answer = try await store.storeFHIR(
                body, gateway: context.tokenName ?? "hub", maySayPerson: context.role.includes(.editor))
        } catch let problem as HubProblem {
            throw Problem(problem)
        }
        if !answer.people.isEmpty { forwarder.wake() }
        return .fhir(answer.resource, status: HTTPResponse.Status(code: answer.status))
    }

    private func getState(_ request: Request, _ context: WebContext) async throws -> Response {
        let id = try context.person()
        if context.role == .gateway, let name = context.tokenName {
            guard try store.gateway(name, hasReadingsOf: id) else {
                throw Problem.forbidden(
                    "No reading of this person came by this gateway.",
                    advice: "Use a token with the role reader, or send readings of a device of this person.")
            }
        } else {
            try context.requires(.reader)
        }
        guard let state = try answering({ try store.state(of: id) }) else {
            throw Problem.notFound("There is no person \(id).")
        }
        return try .json(state)
    }

    private func getReadings(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.reader)
        let id = try context.person()
        var kind: ReadingKind?
        if let name = request.uri.queryParameters["kind"] {
            kind = ReadingKind(name: String(name))
            if kind == nil { throw Problem.badRequest("There is no kind '\(name.prefix(32))'.") }
        }
        var days = 30.0
        if let text = request.uri.queryParameters["days"] {
            guard let number = Double(text), number > 0, number <= 36600 else {
                throw Problem.badRequest("`days` is a number above 0.")
            }
            days = number
        }
        let since = Date(timeIntervalSinceNow: -days * 86400)
        guard let readings = try answering({ try store.readings(of: id, kind: kind, since: since) }) else {
            throw Problem.notFound("There is no person \(id).")
        }
        return try .json(["readings": readings])
    }

    // MARK: People and devices

    private struct NewPerson: Decodable {
        let name: String
        let born: String
        let guideline: Rule.Guideline?
        let setting: Rule.Setting?
        let pregnant: Bool?
    }

    private func postPerson(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.editor)
        let new = try await request.json(NewPerson.self)
        let person = try answering {
            try store.addPerson(
                name: new.name, born: new.born, guideline: new.guideline ?? .esc, setting: new.setting ?? .home,
                pregnant: new.pregnant ?? false)
        }
        store.audit(context.who, "person add \(person.id)")
        return try .json(PersonItem(person), status: .created)
    }

    private struct Retry: Decodable { let name: String? }

    private func postRetry(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.editor)
        let name = try await request.json(Retry.self).name
        let count = try answering { try store.retryForwarding(name) }
        forwarder.wake()
        return try .json(["parked": count])
    }

    private struct NewAssignment: Decodable {
        let device: String
        let person: String
        let user: Int?
    }

    private func postAssignment(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.editor)
        let new = try await request.json(NewAssignment.self)
        guard let person = Int64(new.person) else { throw Problem.badRequest("`person` is no identifier of a person.") }
        let count = try answering { try store.assign(new.device, to: person, user: new.user) }
        store.audit(context.who, "assign \(new.device) \(person)")
        forwarder.wake()
        return try .json(["readings": count])
    }

    private func answering<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let problem as Problem { throw problem } catch { throw Problem(HubProblem(error)) }
    }
}

extension Response {
    /// A FHIR resource.
    static func fhir(_ resource: JSONText, status: HTTPResponse.Status = .ok) -> Response {
        var response = Response.json(resource.encoded, status: status)
        response.headers[.contentType] = "application/fhir+json; fhirVersion=4.0"
        return response
    }
}

extension WebContext {
    /// Role of the sender. A browser with a session, and the token in the hub's directory, administer the hub.
    var role: Role {
        if case .token(_, let role)? = identity { return Role(rawValue: role) ?? .gateway }
        if case .account(_, _, let role)? = identity { return Role(rawValue: role) ?? .reader }
        return .administrator
    }

    /// The sender in the audit log.
    var who: String {
        switch identity {
        case .account(_, let name, _)?: name
        case .token(let name, _)?: "token \(name)"
        case .bearer?: "the hub's token"
        case .session?: "a browser with the printed address"
        case nil: "nobody"
        }
    }

    /// Name of the sender's token; nil for a browser and for the hub's own token.
    var tokenName: String? {
        if case .token(let name, _)? = identity { return name }
        return nil
    }

    /// - Throws: ``Problem`` 403 where the role of the sender does not include `needed`.
    func requires(_ needed: Role) throws {
        guard role.includes(needed) else {
            throw Problem.forbidden(
                "The role \(role.rawValue) does not include \(needed.rawValue).",
                advice: "Use a token with the role \(needed.rawValue): `harald hub token add NAME --role \(needed.rawValue)`.")
        }
    }

    /// The identifier of a person in the path.
    /// - Throws: ``Problem`` 404 for text that is none.
    func person() throws -> Int64 {
        let text = try parameter("id")
        guard let id = Int64(text) else { throw Problem.notFound("There is no person '\(text)'.") }
        return id
    }
}

extension Problem {
    /// The answer to a problem of the hub.
    init(_ problem: HubProblem) {
        let detail = problem.description
        switch problem.code {
        case .invalid: self = .badRequest(detail)
        case .notFound: self = .notFound(detail)
        case .conflict:
            self.init(status: .conflict, type: "conflict", title: "Conflict", detail: detail)
        case .full:
            self.init(
                status: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), type: "disk-full",
                title: "The disk is full", detail: detail, advice: "Keep the readings and send them again later.")
        case .busy:
            self.init(
                status: .tooManyRequests, type: "busy", title: "Too many requests", detail: detail,
                advice: "Send again after the time in Retry-After.", headers: [.retryAfter: "1"])
        case .unavailable:
            self.init(
                status: .serviceUnavailable, type: "store", title: "The store cannot be used", detail: detail,
                advice: "Keep the readings and send them again later.", headers: [.retryAfter: "10"])
        }
    }
}
#endif
