import Foundation
import HTTPTypes
import HealthHub
import Hummingbird
import WebServer

/// The routes of the hub's API.
struct HubRoutes: Sendable {
    let store: HubStore
    let queue: ReadingQueue
    let forwarder: Forwarder
    let notices: NotificationSender
    let metrics: HubMetrics
    /// True if the server uses TLS.
    let isEncrypted: Bool
    /// The monitor in this process; nil if there can be none.
    let monitor: (any HubMonitoring)?
    /// The maximum size of a request body, in octets.
    static let bodyLimit = 4 << 20

    static func isFHIR(_ path: String) -> Bool {
        path == "/fhir" || path.hasPrefix("/fhir/") || path.hasPrefix("/api/v1/people/") && path.hasSuffix("/fhir")
    }

    func routes() -> WebRoutes {
        var routes = WebRoutes()
        routes.on(.get, "/health", withoutLogin: true) { _, _ in .json(#"{"status":"ok"}"#) }
        routes.on(.get, "/ready", withoutLogin: true) { _, _ in
            do { try await store.check() } catch {
                // The reason may name the server of the database.
                throw Problem(HubProblem(.unavailable, "the store does not respond"))
            }
            return .json(#"{"status":"ready"}"#)
        }
        routes.on(.get, "/metrics", withoutLocalLogin: true) { _, context in
            if context.identity != nil { try context.requires(.reader) }
            var response = Response.json(await metrics.text(store))
            response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
            return response
        }
        routes.get("/api/v1/session") { _, context in try .json(context.session) }
        routes.post("/api/v1/readings", postReadings)
        routes.post("/fhir", postFHIR)
        routes.on(.get, "/fhir/metadata", withoutLogin: true) { _, _ in .fhir(FHIRCapability.statement) }
        routes.get("/api/v1/people/{id}/fhir") { _, context in
            let id = try context.person(as: .reader)
            guard let bundle = try await answering({ try $0.fhirBundle(of: id) }) else {
                throw Problem(HubProblem.noPerson(id))
            }
            store.noteRead(by: context.who, of: [id])
            return .fhir(bundle)
        }
        routes.get("/api/v1/people") { _, context in
            try context.requires(.reader, for: .none)
            let scope = try context.scope
            let people = try await answering { try $0.people().filter { scope?.people.contains($0.id) ?? true } }
            return try .json(["people": people.map(PersonItem.init)])
        }
        routes.post("/api/v1/people", postPerson)
        if let monitor {
            routes.get("/api/v1/monitor") { _, context in
                try context.requires(.editor)
                return try .json(monitor.status)
            }
            routes.post("/api/v1/monitor") { _, context in
                try context.requires(.administrator)
                monitor.start()
                return try .json(monitor.status)
            }
        }
        addPersonRoutes(to: &routes)
        addFHIRRoutes(to: &routes)
        routes.delete("/api/v1/people/{id}") { _, context in
            let id = try context.person(as: .administrator)
            let who = context.who
            let deletion = try await answering { try $0.deletePerson(id, by: who) }
            forwarder.wake()
            return try .json(deletion)
        }
        routes.get("/api/v1/people/{id}/state", getState)
        routes.get("/api/v1/devices") { _, context in
            try context.requires(.reader)
            return try .json(["devices": await answering { try $0.devices() }])
        }
        routes.get("/api/v1/gateways") { _, context in
            try context.requires(.reader)
            return try .json(["gateways": await answering { try $0.gateways() }])
        }
        routes.post("/api/v1/assignments", postAssignment)
        routes.delete("/api/v1/assignments/{device}", deleteAssignment)
        routes.get("/api/v1/people/{id}/readings", getReadings)
        routes.get("/api/v1/readings/unassigned") { request, context in
            try context.requires(.reader)
            let place = try Self.place(in: request)
            return try .json(await answering { try $0.unassignedReadings(before: place) }, in: request.language)
        }
        routes.post("/api/v1/readings/{id}/decision", postDecision)
        routes.get("/api/v1/kinds") { request, context in
            try context.requires(.reader, for: .none)
            return try .json(KindItems(), in: request.language)
        }
        routes.get("/api/v1/rules") { request, context in
            try context.requires(.reader, for: .none)
            return try .json(["rules": store.assessor.rules.map(RuleItem.init)], in: request.language)
        }
        routes.get("/api/v1/outboxes") { request, context in
            try context.requires(.reader)
            return try .json(["outboxes": await answering { try $0.outboxes() }], in: request.language)
        }
        routes.post("/api/v1/outboxes/retry", postRetry)
        routes.get("/api/v1/notifiers") { request, context in
            try context.requires(.reader)
            return try .json(["notifiers": await answering { try $0.notifiers().map(\.item) }], in: request.language)
        }
        let document = HubAPIDocument.json(routes.operations).text
        routes.get(HubAPIDocument.path) { _, _ in .json(document) }
        return routes
    }

    // MARK: Readings

    private func postReadings(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.gateway, for: .none)
        var readings = try await request.json(limit: Self.bodyLimit, parse: SubmittedReading.batch)
        let gateway = context.tokenName ?? "hub"
        // The token determines the gateway.
        if context.role == .gateway { for index in readings.indices { readings[index].gateway = nil } }
        let batch: BatchResult
        let scope = try context.scope
        do { batch = try await queue.store(readings, gateway: gateway, scope: scope) } catch { throw Problem(error) }
        metrics.count(batch.results)
        if batch.results.contains(where: \.isUrgent) { notices.wake() }
        store.noteRead(by: context.who, of: batch.states.keys)
        return .json(octets: batch.json)
    }

    private func postFHIR(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.gateway, for: .none)
        guard ["application/fhir+json", "application/json"].contains(request.mediaType), request.isFHIR4 else {
            let answer = FHIRAnswer.refused([
                FHIRIssue(code: "not-supported", diagnostics: "send FHIR R4 as application/fhir+json")
            ])
            return .fhir(answer.resource, status: .unsupportedMediaType)
        }
        let body = try await request.bodyBytes(limit: Self.bodyLimit)
        let answer: FHIRAnswer
        do {
            answer = try await store.storeFHIR(
                body, gateway: context.tokenName ?? "hub", scope: try context.scope,
                maySayPerson: context.role.includes(.editor))
        } catch let problem as HubProblem {
            throw Problem(problem)
        }
        metrics.count(answer.results)
        if answer.results.contains(where: \.isUrgent) { notices.wake() }
        if !answer.people.isEmpty { forwarder.wake() }
        return .fhir(answer.resource, status: HTTPResponse.Status(code: answer.status))
    }

    private func getState(_ request: Request, _ context: WebContext) async throws -> Response {
        let isGateway = context.role == .gateway
        let id = try context.person(as: isGateway ? .gateway : .reader)
        if isGateway, let name = context.tokenName {
            guard try await answering({ try $0.gateway(name, hasReadingsOf: id) }) else {
                throw Problem.forbidden(
                    "This gateway has sent no reading of this person.",
                    advice: "Use a token with the role reader, or send readings of a device of this person.")
            }
        }
        guard let state = try await currentState(of: id, in: request.language) else {
            throw Problem(HubProblem.noPerson(id))
        }
        store.noteRead(by: context.who, of: [id])
        return .json(state)
    }

    private func getReadings(_ request: Request, _ context: WebContext) async throws -> Response {
        let id = try context.person(as: .reader)
        var kind: MeasurementKind?
        if let name = request.uri.queryParameters["kind"] {
            kind = MeasurementKind.named(String(name))
            if kind == nil { throw Problem.badRequest("There is no kind '\(name.prefix(32))'.") }
        }
        var days = 30.0
        if let text = request.uri.queryParameters["days"] {
            guard let number = Double(text), number > 0, number <= 36600 else {
                throw Problem.badRequest("`days` must be a number above 0, 36600 at most.")
            }
            days = number
        }
        let since = Date(timeIntervalSinceNow: -days * 86400)
        let place = try Self.place(in: request)
        let page = try await answering { [kind] in
            try $0.readings(of: id, kind: kind, since: since, before: place)
        }
        guard let page else { throw Problem(HubProblem.noPerson(id)) }
        store.noteRead(by: context.who, of: [id])
        return try .json(page, in: request.language)
    }

    /// Returns the place in a list that `before` names; nil without it.
    private static func place(in request: Request) throws -> ReadingPlace? {
        guard let text = request.uri.queryParameters["before"] else { return nil }
        guard let place = ReadingPlace(String(text)) else {
            throw Problem.badRequest("`before` must be the `next` of an answer.")
        }
        return place
    }

    private struct NewDecision: Decodable, Sendable {
        let decision: String
        let reason, person: String?
    }

    private func postDecision(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.editor, for: .none)
        let new = try await request.json(NewDecision.self)
        let decision: ReadingDecision
        switch new.decision {
        case "accept": decision = .accept
        case "exclude": decision = .exclude(reason: new.reason ?? "")
        case "move":
            let person = new.person.flatMap { Int64($0) }
            guard new.person == nil || person != nil else {
                throw Problem.badRequest("`person` is not the identifier of a person.")
            }
            decision = .move(person: person)
        default: throw Problem.badRequest("`decision` must be accept, exclude or move.")
        }
        guard let id = Int64(try context.parameter("id")) else { throw Problem.notFound("There is no such reading.") }
        let (who, scope) = (context.who, try context.scope)
        try await answering { try $0.decide(decision, on: [id], scope: scope, by: who) }
        forwarder.wake()
        return .json(#"{"id":"\#(id)"}"#)
    }

    // MARK: People and devices

    private func postPerson(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.editor)
        let (new, who) = (try await request.json(PersonChange.self), context.who)
        return try .json(PersonItem(await answering { try $0.addPerson(new, by: who) }), status: .created)
    }

    private struct Retry: Decodable { let name: String? }

    private func postRetry(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.editor)
        let name = try await request.json(Retry.self).name
        let who = context.who
        let count = try await answering { try $0.retryForwarding(name, by: who) }
        forwarder.wake()
        return try .json(["parked": count])
    }

    private struct NewAssignment: Decodable, Sendable {
        let device, person: String
        let user: Int?
    }

    private func postAssignment(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.editor)
        let new = try await request.json(NewAssignment.self)
        guard let person = Int64(new.person) else {
            throw Problem.badRequest("`person` is not the identifier of a person.")
        }
        let who = context.who
        let count = try await answering { try $0.assign(new.device, to: person, user: new.user, by: who) }
        forwarder.wake()
        return try .json(["readings": count])
    }

    private struct EndedAssignment: Encodable {
        let person: String
        let readings: Int
    }

    private func deleteAssignment(_ request: Request, _ context: WebContext) async throws -> Response {
        try context.requires(.editor)
        let device = try context.parameter("device")
        var user: Int?
        if let text = request.uri.queryParameters["user"] {
            user = Int(text)
            if user == nil { throw Problem.badRequest("`user` must be a user index, 0 to 254.") }
        }
        let who = context.who
        let ended = try await answering { [user] in try $0.unassign(device, user: user, by: who) }
        forwarder.wake()
        return try .json(EndedAssignment(person: String(ended.person), readings: ended.readings))
    }

    private func currentState(of person: Int64, in language: Language) async throws -> String? {
        do { return try await store.currentStateJSON(of: person, in: language) } catch {
            throw Problem(HubProblem(error))
        }
    }
}
