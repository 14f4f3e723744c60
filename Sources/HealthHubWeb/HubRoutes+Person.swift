import Foundation
import HealthHub
import Hummingbird
import JSON
import WebServer

/// The changes of a person on the pages.
extension HubRoutes {
    private struct NewReading: Decodable, Sendable {
        struct Value: Decodable, Sendable {
            let value, unit: String
        }

        let values: [String: Value]
        let time: String
    }

    private struct NewNote: Decodable, Sendable { let text: String }

    private struct Seen: Decodable, Sendable {
        let code, time: String
    }

    func addPersonRoutes(to routes: inout WebRoutes) {
        routes.patch("/api/v1/people/{id}") { request, context in
            let id = try context.person(as: .editor)
            let (change, who) = (try await request.json(PersonChange.self), context.who)
            let person = try await answering { try $0.changePerson(id, by: who) { try change.apply(to: &$0) } }
            return try .json(PersonItem(person))
        }
        routes.post("/api/v1/people/{id}/readings") { request, context in
            let id = try context.person(as: .editor)
            let (new, who) = (try await request.json(NewReading.self), context.who)
            let fields = new.values.mapValues { value -> JSONValue in
                .object(["value": .string(value.value), "unit": .string(value.unit)])
            }
            let result = try await answering { try $0.enterReading(fields, time: new.time, of: id, by: who) }
            forwarder.wake()
            if result.isUrgent { notices.wake() }
            return .json(
                JSONValue.known([
                    "id": result.id.map { .string($0) }, "judgement": result.judgement?.json(in: request.language),
                ]).text)
        }
        routes.get("/api/v1/people/{id}/notes") { _, context in
            let id = try context.person(as: .reader)
            store.noteRead(by: context.who, of: [id])
            return try .json(["notes": await answering { try $0.notes(of: id) }])
        }
        routes.post("/api/v1/people/{id}/notes") { request, context in
            let id = try context.person(as: .editor)
            let (new, who) = (try await request.json(NewNote.self), context.who)
            try await answering { try $0.addNote(new.text, about: id, by: who) }
            return .json("{}", status: .created)
        }
        routes.delete("/api/v1/people/{id}/notes/{note}") { _, context in
            let id = try context.person(as: .editor)
            guard let note = Int64(try context.parameter("note")) else {
                throw Problem.notFound("There is no such note.")
            }
            let who = context.who
            try await answering { try $0.deleteNote(note, about: id, by: who) }
            return .json("{}")
        }
        routes.post("/api/v1/people/{id}/acknowledgements") { request, context in
            let id = try context.person(as: .editor)
            let (seen, who) = (try await request.json(Seen.self), context.who)
            try await answering { try $0.acknowledge(seen.code, measured: seen.time, of: id, by: who) }
            return .json("{}")
        }
        routes.post("/api/v1/people/{id}/import") { request, context in
            let id = try context.person(as: .editor)
            let octets = try await request.bodyBytes(limit: HubRoutes.bodyLimit)
            let query = request.uri.queryParameters
            let order = try query["dates"].map { text in
                guard let order = CSVImport.DateOrder(rawValue: String(text)) else {
                    throw Problem.badRequest("`dates` must be dmy or mdy.")
                }
                return order
            }
            let (isDryRun, who, language) = (query["dry"] != nil, context.who, request.language)
            let report = try await answering { store in
                let file = try CSVImport(CSVImport.text(of: Data(octets)), person: id, order: order)
                return try store.importReadings(
                    file, of: id, isDryRun: isDryRun, in: language, by: who)
            }
            forwarder.wake()
            return try .json(report)
        }
        routes.get("/api/v1/people/{id}/export") { request, context in
            let id = try context.person(as: .reader)
            let name = request.uri.queryParameters["format"].map(String.init) ?? "csv"
            guard let format = ExportFormat(rawValue: name) else {
                throw Problem.badRequest("`format` must be csv, jsonl or fhir.")
            }
            let who = context.who
            let octets = try await answering { try $0.export(format, of: id, by: who) }
            store.noteRead(by: who, of: [id])
            let type = format == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson"
            return .file(octets, type: type, name: "person-\(id).\(format == .fhir ? "fhir.ndjson" : name)")
        }
    }

    func answering<Result: Sendable>(
        _ body: @escaping @Sendable (HubStore) throws -> Result
    ) async throws -> Result {
        try await store.answering(body)
    }
}
