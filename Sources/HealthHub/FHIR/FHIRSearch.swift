import Foundation
import GRDB
import JSON

/// A search for Observations: `patient` or `subject`, `code`, `date`, `_count`, and the place of a page.
package struct FHIRSearch: Sendable {
    /// A token: a code, and its system if it was sent.
    private struct Code: Sendable {
        let system: String?
        let code: String
    }

    /// The people; all of them must be that of an Observation.
    private var people: [Int64] = []
    /// The codes of each parameter; an Observation has one of each.
    private var codes: [[Code]] = []
    /// The limits of the time, in seconds since 1970; the upper one is excluded.
    private var (from, until) = (Int64.min, Int64.max)
    /// The maximum number of Observations of a page.
    private(set) var count = 100
    private var place: ReadingPlace?
    /// The parameters that were used, for links to pages.
    private var used: [(name: String, value: String)] = []

    /// - Parameters:
    ///   - parameters: the parameters of the query, decoded.
    ///   - zone: the time zone of dates without one.
    /// - Throws: ``HubProblem`` for a parameter that is not supported: without it other Observations would be found.
    package init(_ parameters: [(name: String, value: String)], zone: TimeZone) throws(HubProblem) {
        for (name, value) in parameters where !value.isEmpty {
            switch name {
            case "patient", "subject", "subject:Patient":
                let text = value.hasPrefix("Patient/") ? String(value.dropFirst(8)) : value
                guard let id = Int64(text) else { throw HubProblem(.invalid, "'\(value)' is no person of this hub") }
                people.append(id)
            case "code":
                let tokens = value.split(separator: ",")
                guard !tokens.isEmpty else { throw HubProblem(.invalid, "'\(value)' is no code") }
                codes.append(
                    tokens.map { token in
                        let parts = token.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
                        return parts.count == 2
                            ? Code(system: String(parts[0]), code: String(parts[1]))
                            : Code(system: nil, code: String(token))
                    })
            case "date": try limit(by: value, zone)
            case "_count":
                guard let number = Int(value), number >= 0 else {
                    throw HubProblem(.invalid, "_count must be a number that is not negative")
                }
                count = min(number, HubStore.largestBatch)
            case "_page":
                guard let place = ReadingPlace(value) else {
                    throw HubProblem(.invalid, "_page must be that of a link in an answer")
                }
                self.place = place
                continue
            case "_summary" where value == "count": count = 0
            case "_format" where value.contains("json"), "_sort" where value == "-date", "_pretty": continue
            default:
                throw HubProblem(
                    .invalid,
                    "the parameter '\(name)' is not supported; those of Observation are patient, code, date, _count")
            }
            used.append((name, value))
        }
    }

    /// Applies a value such as `ge2026-11-20` or `2026-11`.
    private mutating func limit(by value: String, _ zone: TimeZone) throws(HubProblem) {
        let prefix = String(value.prefix { $0.isLetter })
        let text = String(value.dropFirst(prefix.count))
        guard let (start, end) = Self.interval(text, zone) else {
            throw HubProblem(.invalid, "'\(value)' is not a date; expected a form such as ge2026-11-20")
        }
        switch prefix {
        case "", "eq": (from, until) = (max(from, start), min(until, end))
        case "ge": from = max(from, start)
        case "gt", "sa": from = max(from, end)
        case "lt", "eb": until = min(until, start)
        case "le": until = min(until, end)
        default:
            throw HubProblem(.invalid, "the prefix '\(prefix)' of a date is not supported; use eq, ge, gt, le or lt")
        }
    }

    /// Returns the first second of a date with any precision, and the first one after it; nil for another text.
    static func interval(_ text: String, _ zone: TimeZone) -> (start: Int64, end: Int64)? {
        // In a query a plus that is not encoded is a blank.
        let form =
            /([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?(Z|[-+ ][0-9]{2}:[0-9]{2})?)?)?)?/
        guard let match = text.wholeMatch(of: form), match.4 ?? "" < "24", match.5 ?? "" < "60", match.6 ?? "" <= "60"
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        if let offset = match.7 {
            let numbers = offset.dropFirst().split(separator: ":").compactMap { Int($0) }
            let seconds = numbers.count == 2 ? numbers[0] * 3600 + numbers[1] * 60 : 0
            guard let zone = TimeZone(secondsFromGMT: offset.hasPrefix("-") ? -seconds : seconds) else { return nil }
            calendar.timeZone = zone
        }
        func number(_ text: Substring?) -> Int? { text.flatMap { Int($0) } }
        let parts = [match.2, match.3, match.5, match.6].map(number)
        let components = DateComponents(
            year: number(match.1), month: parts[0] ?? 1, day: parts[1] ?? 1, hour: number(match.4) ?? 0,
            minute: parts[2] ?? 0, second: parts[3] ?? 0)
        let unit: Calendar.Component =
            match.2 == nil
            ? .year : match.3 == nil ? .month : match.4 == nil ? .day : match.6 == nil ? .minute : .second
        guard let start = calendar.date(from: components), let end = calendar.date(byAdding: unit, value: 1, to: start),
            calendar.dateComponents([.month, .day, .hour, .minute], from: start).month == components.month
        else { return nil }
        return (Int64(start.timeIntervalSince1970), Int64(end.timeIntervalSince1970))
    }

    /// Returns true for an Observation with one of the codes, also in a component.
    private func matches(_ resource: JSONValue) -> Bool {
        let parts = [resource] + (resource["component"]?.elements ?? [])
        let codings = parts.flatMap { $0["code"]?["coding"]?.elements ?? [] }
        return codes.allSatisfy { alternatives in
            codings.contains { coding in
                alternatives.contains {
                    ($0.code.isEmpty || $0.code == coding["code"]?.string)
                        && ($0.system.map { $0 == coding["system"]?.string } ?? true)
                }
            }
        }
    }

    /// The kinds of the codes; nil for all.
    private var kinds: Set<MeasurementKind>? {
        let all = codes.flatMap { $0 }
        guard !all.isEmpty, !all.contains(where: \.code.isEmpty) else { return nil }
        return Set(
            all.flatMap { code in
                [FHIRCode.mdcSystem, FHIRCode.loincSystem].compactMap { system in
                    (code.system ?? system) == system
                        ? FHIRCode.meaning(system: system, code: code.code)?.kind : nil
                } + (code.code == "160212" ? [.continuousGlucose] : [])
            }
                // Kinds share the code of a quantity, such as the weight of a body composition.
                + [.weight, .bodyComposition, .bloodPressure, .oxygenSaturation, .heartRate])
    }

    private func link(_ relation: String, _ base: String, place: ReadingPlace?) -> JSONValue {
        let parts = (used + (place.map { [("_page", $0.text)] } ?? [])).map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        let query = parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
        return ["relation": .string(relation), "url": .string("\(base)/Observation\(query)")]
    }

    /// Returns the page as a Bundle, and the people whose Observations it has; for a count of 0 the number of all.
    /// - Parameters:
    ///   - base: the address of the FHIR server: `https://hub.example/fhir`.
    ///   - scope: the scope of the sender; nil for all.
    func page(
        at base: String, of scope: AccessScope?, _ store: HubStore, _ db: any StoreConnection
    ) throws -> (bundle: JSONValue, people: Set<Int64>) {
        var members: [String: JSONValue] = ["resourceType": "Bundle", "type": "searchset"]
        guard count > 0 else {
            var (search, total) = (self, 0)
            search.count = HubStore.largestBatch
            repeat {
                let found = try search.entries(at: base, of: scope, store, db)
                (total, search.place) = (total + found.entries.count, found.next)
            } while search.place != nil
            members["total"] = .int(total)
            return (.object(members), [])
        }
        let (entries, people, next) = try entries(at: base, of: scope, store, db)
        members["link"] = .array(
            [link("self", base, place: place)] + (next.map { [link("next", base, place: $0)] } ?? []))
        members["entry"] = .array(entries)
        return (.object(members), people)
    }

    /// Returns the entries of the page, their people, and the place of the next page; nil at the end.
    private func entries(
        at base: String, of scope: AccessScope?, _ store: HubStore, _ db: any StoreConnection
    ) throws -> (entries: [JSONValue], people: Set<Int64>, next: ReadingPlace?) {
        var conditions = ["reading.person_id IS NOT NULL", "reading.taken >= ?", "reading.taken < ?"]
        var arguments: StoreArguments = [from, until]
        for person in people {
            (conditions, arguments) = (conditions + ["reading.person_id = ?"], arguments + [person])
        }
        if let scope {
            let list = scope.people.sorted().map(String.init).joined(separator: ", ")
            conditions.append(list.isEmpty ? "1 = 0" : "reading.person_id IN (\(list))")
        }
        let known = kinds ?? Set(MeasurementKind.allCases.filter { $0 != .other })
        conditions.append("reading.kind IN (\(known.map { String($0.rawValue) }.sorted().joined(separator: ", ")))")
        if let place {
            conditions.append("(reading.taken, reading.id) < (?, ?)")
            arguments = arguments + [place.taken, place.id]
        }
        // More than a page, because some have another code.
        let limit = 2 * HubStore.largestBatch
        let rows = try db.rows(
            StoredReading.sql + " WHERE \(conditions.joined(separator: " AND ")) AND \(StoredReading.isOriginal)"
                + " ORDER BY reading.taken DESC, reading.id DESC LIMIT \(limit)", arguments)
        var (entries, people, owners): ([JSONValue], Set<Int64>, [Int64: Person]) = ([], [], [:])
        var last: ReadingPlace?
        for row in rows {
            guard entries.count < count else { break }
            let reading = StoredReading(row)
            last = ReadingPlace(reading)
            guard let id = reading.person else { continue }
            if owners[id] == nil { owners[id] = try HubStore.person(id, db) }
            guard let resource = store.resource(of: reading, owners[id]), matches(resource) else { continue }
            people.insert(id)
            entries.append([
                "fullUrl": .string("\(base)/Observation/\(reading.id)"), "resource": resource,
                "search": ["mode": "match"],
            ])
        }
        let isEnd = rows.count < limit && last == rows.last.map { ReadingPlace(StoredReading($0)) }
        return (entries, people, isEnd ? nil : last)
    }
}

extension HubStore {
    /// Returns a page of Observations as a Bundle, latest first, and the people to whom they belong.
    package func search(
        _ search: FHIRSearch, at base: String, scope: AccessScope?
    ) throws -> (bundle: JSONValue, people: Set<Int64>) {
        try database.read { try search.page(at: base, of: scope, self, $0) }
    }

    /// Returns an Observation and its person; nil for an unknown one, one of nobody, and one that FHIR has no code for.
    package func observation(_ id: Int64) throws -> (resource: JSONValue, person: Int64)? {
        try database.read { db in
            guard let reading = try Self.storedReading(id, db), let person = reading.person,
                let resource = resource(of: reading, try Self.person(person, db))
            else { return nil }
            return (resource, person)
        }
    }

    /// Returns a person as a Patient for a client that reads.
    package func patient(_ person: Person) -> JSONValue {
        guard case .object(var members) = FHIRResources.patient(person) else { return .null }
        members["id"] = .string(String(person.id))
        return .object(members)
    }

    /// Returns the Observation of a reading for a client that reads; nil if FHIR has no code for it.
    fileprivate func resource(of reading: StoredReading, _ person: Person?) -> JSONValue? {
        // The hub has Devices only as parts of readings: they are named by their identifiers.
        func logical(_ system: String, _ value: String, _ name: String?) -> JSONValue {
            .known([
                "identifier": ["system": .string(system), "value": .string(value)],
                "display": name.map { .string($0) },
            ])
        }
        let id = FHIRResources.identifier(of: reading.device, in: reading.hub)
        let references = FHIRResources.References(
            patient: person.map { ["reference": .string("Patient/\($0.id)"), "display": .string($0.name)] },
            device: logical(id.system, id.value, reading.device.name),
            gateway: reading.gateway.map {
                logical(FHIRResources.system, FHIRResources.identifier(ofGateway: $0, in: reading.hub), $0)
            })
        let judgement = reading.measurement.map { assessor.judge($0, of: person, at: reading.taken) }
        guard
            case .object(var members)? = FHIRResources.observation(reading, references, judgement: judgement)?.resource
        else { return nil }
        members["id"] = .string(String(reading.id))
        return .object(members)
    }
}
