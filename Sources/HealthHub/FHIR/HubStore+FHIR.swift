import Foundation
import GRDB
import JSON

package struct FHIRAnswer: Sendable {
    /// The status of the HTTP response.
    package var status: Int
    /// A Bundle, or an OperationOutcome.
    package var resource: JSONValue
    /// The results of the Observations; empty if none was stored.
    package var results: [ReadingResult] = []
    /// The people to whom readings of the Bundle belong.
    package var people: Set<Int64> = []

    /// Returns a refusal, by default with status 400, with an OperationOutcome.
    package static func refused(_ issues: [FHIRIssue], status: Int = 400) -> FHIRAnswer {
        FHIRAnswer(status: status, resource: FHIRIssue.outcome(issues))
    }
}

extension HubStore {
    /// Stores the Observations of a Bundle. A `transaction` is stored as a whole or not at all; the valid entries of a
    /// `batch` are stored.
    /// - Parameters:
    ///   - octets: FHIR R4 as JSON.
    ///   - scope: the scope of the sender; nil for all.
    ///   - maySayPerson: true if `subject` may specify the person of a reading; otherwise the assignments of devices
    ///     determine the person.
    /// - Throws: ``HubProblem`` if the store cannot be used; nothing is stored then.
    package func storeFHIR(
        _ octets: [UInt8], gateway: String, scope: AccessScope? = nil, maySayPerson: Bool
    ) async throws -> FHIRAnswer {
        let bundle: JSONValue
        do { bundle = try JSONValue(parsing: octets) } catch {
            return .refused([FHIRIssue("structure", "the body is not JSON: \(error)")])
        }
        guard bundle["resourceType"]?.string == "Bundle" else {
            return .refused([FHIRIssue("structure", "the body is not a Bundle", at: "Bundle")])
        }
        let type = bundle["type"]?.string
        guard let type, ["transaction", "batch"].contains(type) else {
            return .refused([
                FHIRIssue("value", "Bundle.type must be 'transaction' or 'batch'", at: "Bundle.type")
            ])
        }
        if let entry = bundle["entry"] {
            guard case .array = entry else {
                return .refused([FHIRIssue("structure", "Bundle.entry must be a list", at: "Bundle.entry")])
            }
        }
        let entries = bundle["entry"]?.elements ?? []
        guard entries.count <= Self.largestBatch else {
            return .refused(
                [
                    FHIRIssue("too-long", "a Bundle may have at most \(Self.largestBatch) entries", at: "Bundle.entry")
                ], status: 413)
        }
        let input = FHIRInput(entries: entries, gateway: gateway, maySayPerson: maySayPerson)
        let parsed = entries.enumerated().map { index, entry in
            FHIREntry.parse(entry, at: "Bundle.entry[\(index)]", input.converting(entry))
        }
        do {
            return try await database.write(.readings) { [parsed] db in
                try self.store(parsed, isTransaction: type == "transaction", gateway: gateway, scope, db)
            }
        } catch let refusal as Refusal {
            return .refused(refusal.issues)
        } catch {
            throw HubProblem(error)
        }
    }

    private struct Refusal: Error {
        var issues: [FHIRIssue]
    }

    private func store(
        _ entries: [FHIREntry], isTransaction: Bool, gateway: String, _ scope: AccessScope?, _ db: any StoreConnection
    ) throws -> FHIRAnswer {
        let now = Date()
        let found = try entries.enumerated().map { try Self.found($1, at: "Bundle.entry[\($0)]", of: gateway, db) }
        let entries = Self.withoutRepetitions(found)
        let readings = entries.compactMap { if case .reading(let sent) = $0 { sent.keyed } else { nil } }
        let batch = try store(readings, gateway: gateway, scope: scope, arrived: now, zone: .gmt, db)
        let sender = try Self.gatewayID(gateway, db)
        let hub = try db.value("SELECT identity FROM hub") as String? ?? ""
        var (results, people) = (batch.results[...], batch.people)
        var responses: [JSONValue] = []
        var issues: [FHIRIssue] = []
        func refuse(_ issue: FHIRIssue, _ status: String) {
            issues.append(issue)
            responses.append(["response": ["status": .string(status), "outcome": FHIRIssue.outcome([issue])]])
        }
        for (index, entry) in entries.enumerated() {
            let path = "Bundle.entry[\(index)].resource"
            switch entry {
            case .reference: responses.append(["response": ["status": "200 OK"]])
            case .single(let resource):
                if let location = try resource.flatMap({ try Self.location(of: $0, db) }) {
                    responses.append(["response": ["status": "200 OK", "location": .string(location)]])
                    continue
                }
                let text =
                    "the hub stores people and devices only with their readings, and no Observation of the Bundle "
                    + "refers to this resource; add people with 'harald hub person add'"
                refuse(FHIRIssue("not-supported", text, at: path), "422 Unprocessable Entity")
            case .refused(let issue, let status): refuse(issue, status)
            case .enteredInError:
                responses.append(Self.information("the Observation is entered in error, and is not stored"))
            case .retraction(let identifier):
                let retraction = try Self.retractObservation(identifier, of: gateway, db)
                if case .marked(let reading) = retraction, let person = reading.person { people.insert(person) }
                if let (issue, status) = Self.problem(of: retraction, at: "Bundle.entry[\(index)].request.url") {
                    refuse(issue, status)
                } else {
                    responses.append(Self.information(Self.text(of: retraction)))
                }
            case .reading(let sent):
                guard let result = results.popFirst() else { continue }
                if result.status == .known, sent.interaction != .conditionalCreate,
                    let difference = try difference(of: sent.reading, from: result.id, db)
                {
                    let text =
                        "the hub has a reading with this identifier and \(difference); a stored reading is not changed"
                    refuse(FHIRIssue("conflict", text, at: path), "409 Conflict")
                } else if result.status == .refused {
                    let text = result.problem?.description ?? "refused"
                    refuse(FHIRIssue("processing", text, at: path), "400 Bad Request")
                } else {
                    var countsAgain = false
                    if let sender, let identifier = sent.reading.identifier, let id = result.id.flatMap({ Int64($0) }),
                        try result.status == .stored || !sent.hubs.contains(hub)
                            || Self.isSender(sender, of: id, db)
                    {
                        if result.status == .stored { try Self.noteHubs(sent.hubs.filter { $0 != hub }, of: id, db) }
                        countsAgain = try Self.noteObservation(
                            identifier, further: sent.further, of: id, from: sender,
                            isNew: result.status == .stored, isUpdate: sent.interaction == .update, db)
                    }
                    let text = countsAgain ? "the reading counts again" : nil
                    responses.append(["response": Self.response(result, now, text: text)])
                }
            }
        }
        // The error rolls the transaction back.
        if isTransaction, !issues.isEmpty { throw Refusal(issues: issues) }
        return FHIRAnswer(
            status: 200,
            resource: [
                "resourceType": "Bundle", "type": isTransaction ? "transaction-response" : "batch-response",
                "entry": .array(responses),
            ], results: batch.results, people: people)
    }

    /// Returns an entry with the key of the stored reading, if it is a conditional create or an update of an
    /// Observation that the gateway has sent. The reading may have another device or another first identifier.
    private static func found(
        _ entry: FHIREntry, at path: String, of gateway: String, _ db: any StoreConnection
    ) throws -> FHIREntry {
        guard case .reading(var sent) = entry, sent.interaction != .create, sent.reading.key == nil,
            let identifier = sent.reading.identifier
        else { return entry }
        let keys = try readings(ofObservation: identifier, from: gateway, db)
        if keys.count > 1, let (issue, status) = problem(of: .ambiguous, at: path + ".request") {
            return .refused(issue, status: status)
        }
        sent.key = keys.first
        return .reading(sent)
    }

    /// Refuses conditional creates and updates that name an Observation of an earlier entry, unless both are the same
    /// reading anyway: the search in the store cannot find the reading of that entry.
    private static func withoutRepetitions(_ entries: [FHIREntry]) -> [FHIREntry] {
        var earlier: [String: SubmittedReading] = [:]
        return entries.enumerated().map { index, entry -> FHIREntry in
            guard case .reading(let sent) = entry, let identifier = sent.reading.identifier else { return entry }
            if sent.interaction != .create, sent.keyed.key == nil, let other = earlier[identifier],
                other.identifier != identifier || other.device != sent.reading.device
            {
                let issue = FHIRIssue(
                    "duplicate", "another entry of the Bundle has this identifier, and another device or identifier",
                    at: "Bundle.entry[\(index)].request")
                return .refused(issue, status: "409 Conflict")
            }
            for name in [identifier] + sent.further where earlier[name] == nil { earlier[name] = sent.reading }
            return entry
        }
    }

    /// Returns the relative URL of a Patient that the hub has; nil for any other resource.
    private static func location(of resource: JSONValue, _ db: any StoreConnection) throws -> String? {
        guard resource["resourceType"]?.string == "Patient" else { return nil }
        for identifier in resource["identifier"]?.elements ?? []
        where identifier["system"]?.string == FHIRResources.system {
            guard let name = identifier["value"]?.string, name.hasPrefix("person-") else { continue }
            if let id = try person(withIdentity: String(name.dropFirst(7)), db) { return "Patient/\(id)" }
        }
        return nil
    }

    /// Returns the difference of the stored reading from the one that was sent with its identifier; nil if they are the
    /// same. The time of an Observation is stored as it was sent, in seconds.
    private func difference(
        of reading: SubmittedReading, from id: String?, _ db: any StoreConnection
    ) throws -> String? {
        guard reading.key == nil, reading.identifier != nil, let id = id.flatMap({ Int64($0) }),
            let row = try db.row("SELECT taken, \(HealthMeasurement.columns) FROM reading WHERE id = ?", [id])
        else { return nil }
        let time = reading.time.flatMap(ReadingTime.date).map { Int64($0.timeIntervalSince1970.rounded(.down)) }
        let taken: Int64 = row["taken"]
        if let time, time != taken { return "another time" }
        guard let stored = HealthMeasurement(row),
            let sent = try? HealthMeasurement.decode(reading, isStored: true).first
        else { return nil }
        func values(_ measurement: HealthMeasurement) -> [[String]] {
            measurement.quantities.map { [$0.name, $0.value.map { "\($0)" } ?? "", $0.unit] }
        }
        return values(stored) == values(sent) ? nil : "other values"
    }

    /// Returns the entry of a response that only has a text.
    private static func information(_ text: String) -> JSONValue {
        let outcome = FHIRIssue.outcome([FHIRIssue("informational", text)], severity: "information")
        return ["response": ["status": "200 OK", "outcome": outcome]]
    }

    /// Returns the reason why an Observation is not marked as entered in error, with the status; nil if it is, and if
    /// the store does not have it.
    private static func problem(
        of retraction: ObservationRetraction, at path: String
    ) -> (issue: FHIRIssue, status: String)? {
        switch retraction {
        case .marked, .unknown: nil
        case .foreign:
            (
                FHIRIssue("forbidden", "another gateway sent the Observation; only that one can change it", at: path),
                "403 Forbidden"
            )
        case .ambiguous:
            (
                FHIRIssue("multiple-matches", "the Observations of several readings have this identifier", at: path),
                "412 Precondition Failed"
            )
        }
    }

    private static func text(of retraction: ObservationRetraction) -> String {
        guard case .marked(let reading) = retraction else { return "the hub does not have this Observation" }
        return reading.isRetracted
            ? "the reading is entered in error" : "the reading still counts, because it was also sent otherwise"
    }

    /// - Parameter text: the text of the outcome; nil for the judgement.
    private static func response(_ result: ReadingResult, _ now: Date, text: String? = nil) -> JSONValue {
        let judgement: String =
            switch result.judgement {
            case .judged(_, let sentence)?: sentence.description
            case .notJudged(let reason)?: "not assessed: \(reason)"
            case nil: "stored"
            }
        return .known([
            "status": result.status == .stored ? "201 Created" : "200 OK",
            "location": result.id.map { .string("Observation/\($0)/_history/1") }, "etag": "W/\"1\"",
            "lastModified": .string(now.formatted(.iso8601)),
            "outcome": FHIRIssue.outcome([FHIRIssue("informational", text ?? judgement)], severity: "information"),
        ])
    }
}
