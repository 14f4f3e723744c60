import Foundation
import HealthHub
import Hummingbird
import JSON
import WebServer

/// The reading part of the FHIR server.
extension HubRoutes {
    func addFHIRRoutes(to routes: inout WebRoutes) {
        routes.get("/fhir/Observation") { request, context in
            try context.requires(.reader, for: .none)
            let parameters = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
            let search: FHIRSearch
            do { search = try FHIRSearch(parameters, zone: .current) } catch { throw Problem(HubProblem(error)) }
            let (base, scope) = (self.base(of: request), try context.scope)
            let found = try await answering { try $0.search(search, at: base, scope: scope) }
            store.noteRead(by: context.who, of: found.people)
            return .fhir(found.bundle)
        }
        routes.get("/fhir/Observation/{id}") { _, context in
            try context.requires(.reader, for: .none)
            let number = Int64(try context.parameter("id"))
            let found = try await answering { store in try number.flatMap { try store.observation($0) } }
            guard let (resource, person) = found else { throw Problem.notFound("There is no such Observation.") }
            try context.requires(.reader, for: .person(person))
            store.noteRead(by: context.who, of: [person])
            return .fhir(resource)
        }
        routes.get("/fhir/Patient/{id}") { _, context in
            let id = try context.person(as: .reader)
            guard let person = try await answering({ try $0.person(id) }) else {
                throw Problem(HubProblem.noPerson(id))
            }
            store.noteRead(by: context.who, of: [id])
            return .fhir(store.patient(person))
        }
        routes.get("/fhir/Patient") { request, context in
            try context.requires(.reader, for: .none)
            guard request.uri.queryParameters.isEmpty else {
                throw Problem.badRequest("A search for Patients has no parameters: it returns all.")
            }
            let (scope, base) = (try context.scope, self.base(of: request))
            let entries = try await answering { store in
                try store.people().filter { scope?.people.contains($0.id) ?? true }.map { person -> JSONValue in
                    [
                        "fullUrl": .string("\(base)/Patient/\(person.id)"), "resource": store.patient(person),
                        "search": ["mode": "match"],
                    ]
                }
            }
            return .fhir([
                "resourceType": "Bundle", "type": "searchset", "total": .int(entries.count), "entry": .array(entries),
            ])
        }
    }

    /// Returns the address of the FHIR server, as the client has it.
    private func base(of request: Request) -> String {
        "\(isEncrypted ? "https" : "http")://\(request.head.authority ?? "")/fhir"
    }
}
