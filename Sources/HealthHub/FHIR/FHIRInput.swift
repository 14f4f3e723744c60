import Foundation
import JSON

/// Converts Observations to readings.
struct FHIRInput {
    /// The resources of the Bundle by full URL.
    private(set) var resources: [String: JSONValue] = [:]
    /// The resources of the Bundle by the relative references to them.
    private(set) var named: [String: [Named]] = [:]
    /// The base of the full URL of the entry that is converted: its relative references belong to it.
    private(set) var base: String?
    /// The first resource of the Bundle with each identifier.
    private(set) var identified: [Search: JSONValue] = [:]
    /// The full URLs that several entries have.
    private(set) var repeatedURLs: Set<String> = []
    /// All references in the resources of the Bundle, without versions.
    private var references: Set<String> = []
    /// All conditional references in the resources of the Bundle.
    private var searches: Set<Search> = []
    /// The name of the gateway that sent the Bundle.
    let gateway: String
    /// True if the sender may specify the person of a reading.
    let maySayPerson: Bool

    /// A resource of the Bundle with the base of its full URL; nil if that is no URL of a FHIR server.
    struct Named: Equatable {
        let resource: JSONValue
        let base: String?
    }

    /// A search for a resource by its identifier. A Bundle may have more references than it can compare with each of
    /// its resources, so both are found by it.
    struct Search: Hashable {
        let type: String
        /// The system; nil in a search for any system.
        let system: String?
        let value: String

        init(_ type: String, _ condition: FHIRCondition) {
            (self.type, system, value) = (type, condition.system, condition.value)
        }

        static func all(_ type: String, _ identifier: FHIRCondition) -> [Search] {
            [nil, identifier.system ?? ""].map {
                Search(type, FHIRCondition(system: $0, value: identifier.value))
            }
        }
    }

    init(entries: [JSONValue], gateway: String, maySayPerson: Bool) {
        (self.gateway, self.maySayPerson) = (gateway, maySayPerson)
        for entry in entries {
            guard let resource = entry["resource"] else { continue }
            if let url = entry["fullUrl"]?.string, resources.updateValue(resource, forKey: url) != nil {
                repeatedURLs.insert(url)
            }
            let named = Named(resource: resource, base: Self.base(of: entry))
            for name in Set(Self.relativeReferences(to: entry)) where self.named[name]?.last != named {
                self.named[name, default: []].append(named)
            }
            for search in Self.searches(for: resource) where identified[search] == nil { identified[search] = resource }
            collect(resource)
        }
    }

    private mutating func collect(_ element: JSONValue) {
        switch element {
        case .object(let members):
            if let reference = element["reference"]?.string {
                references.formUnion([reference, Self.withoutVersion(reference)])
                if let search = Self.search(reference) { searches.insert(search) }
            }
            for member in members.values { collect(member) }
        case .array(let elements): for element in elements { collect(element) }
        default: break
        }
    }

    /// Returns the relative references to the resource of an entry: its type with its identifier, which a full URL that
    /// is no URN ends with too.
    private static func relativeReferences(to entry: JSONValue) -> [String] {
        guard let resource = entry["resource"], let type = resource["resourceType"]?.string else { return [] }
        let parts = entry["fullUrl"]?.string?.split(separator: "/") ?? []
        let end = parts.count > 2 && parts.dropLast().last == type[...] ? parts.last.map(String.init) : nil
        return [resource["id"]?.string, end].compactMap { $0 }.map { "\(type)/\($0)" }
    }

    /// Returns the base of the full URL of an entry, with the slash at its end; nil for a URN, and for other URLs that
    /// do not end with the type and the identifier of the resource.
    private static func base(of entry: JSONValue) -> String? {
        guard let url = entry["fullUrl"]?.string, url.hasPrefix("http"),
            let type = entry["resource"]?["resourceType"]?.string
        else { return nil }
        let parts = url.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 4, parts[parts.count - 2] == type[...] else { return nil }
        return parts.dropLast(2).joined(separator: "/") + "/"
    }

    /// Returns the input for the conversion of an entry of the Bundle.
    func converting(_ entry: JSONValue) -> FHIRInput {
        var input = self
        input.base = Self.base(of: entry)
        return input
    }

    private static func searches(for resource: JSONValue) -> [Search] {
        guard let type = resource["resourceType"]?.string else { return [] }
        return identifiers(of: resource).flatMap { Search.all(type, $0) }
    }

    /// Returns the search of a conditional reference; nil for another reference, and for a search that the hub does not
    /// evaluate.
    static func search(_ reference: String) -> Search? {
        guard let mark = reference.firstIndex(of: "?"),
            let condition = FHIRCondition(search: String(reference[mark...]))
        else { return nil }
        return Search(String(reference[..<mark].split(separator: "/").last ?? ""), condition)
    }

    /// Returns the reference to the resource in a reference to one of its versions.
    static func withoutVersion(_ reference: String) -> String {
        reference.firstRange(of: "/_history/").map { String(reference[..<$0.lowerBound]) } ?? reference
    }

    /// Returns true if a resource of the Bundle refers to that of the entry.
    func isReferenced(_ entry: JSONValue) -> Bool {
        guard let resource = entry["resource"] else { return false }
        let names = [entry["fullUrl"]?.string].compactMap { $0 } + Self.relativeReferences(to: entry)
        return names.contains(where: references.contains)
            || Self.searches(for: resource).contains(where: searches.contains)
    }

    /// Returns the reading of an Observation; nil for a coincident time stamp, which is not a reading.
    /// - Parameter condition: the search of a conditional create, `ifNoneExist`, or of an update.
    func reading(
        _ observation: JSONValue, at path: String, condition: FHIRCondition?
    ) throws(FHIRIssue) -> SubmittedReading? {
        let status = observation["status"]?.string
        guard let status else { throw FHIRIssue("required", "status is missing", at: path + ".status") }
        guard ["final", "amended", "corrected"].contains(status) else {
            throw FHIRIssue(
                "value", "an observation with the status '\(status.prefix(32))' is not stored; send final observations",
                at: path + ".status")
        }
        let codings = observation["code"]?["coding"]?.elements ?? []
        if codings.contains(where: {
            $0["system"]?.string == FHIRCode.mdcSystem && ["67975", "67976", "67977"].contains($0["code"]?.string)
        }) {
            return nil
        }
        guard !codings.isEmpty else { throw FHIRIssue("required", "code.coding is missing", at: path + ".code") }
        guard let (kind, name) = meaning(of: observation["code"]) else {
            throw FHIRIssue(
                "not-supported", "none of the codes is a supported measurement", at: path + ".code")
        }
        try check(observation, at: path)
        var reading = SubmittedReading()
        var fields: [String: JSONValue] = [:]
        if !name.isEmpty {
            fields[kind.field(of: name)] = try value(observation, name, at: path)
        }
        for (index, component) in (observation["component"]?.elements ?? []).enumerated() {
            let place = "\(path).component[\(index)]"
            // Components that the hub does not know are ignored.
            guard let (_, part) = meaning(of: component["code"]), !part.isEmpty else { continue }
            let isPulse = part == "heartRate" && kind != .heartRate
            let name = isPulse ? "pulseRate" : kind.field(of: part)
            guard fields[name] == nil else {
                throw FHIRIssue("value", "the component \(name) occurs twice", at: place + ".code")
            }
            fields[name] = try value(component, part, at: place)
        }
        if kind.panel != nil {
            for part in kind.mainQuantities where fields[part] == nil {
                guard observation["dataAbsentReason"] != nil else {
                    throw FHIRIssue("required", "the component \(part) is missing", at: path + ".component")
                }
                // The reason of the panel is that of the components that it lacks.
                fields[part] = try value(observation, part, at: path)
            }
        }
        guard !fields.isEmpty else {
            throw FHIRIssue("required", "the observation has no value and no supported component", at: path)
        }
        let reservation = observation["extension"]?.elements
            .first { $0["url"]?.string == FHIRResources.reservationExtension }?["valueString"]?.string
        if let reservation {
            fields[HealthMeasurement.reservationField] = .string(String(reservation.prefix(200)))
        }
        if kind == .glucose, let type = FHIRCode.fluid(codings) { fields["type"] = .object(["name": .string(type)]) }
        if kind == .temperature, let site = FHIRCode.site(of: observation) {
            fields["temperatureType"] = .object(["name": .string(site)])
        }
        reading.fields = fields
        try setTime(observation, &reading, path)
        let identifiers = Self.identifiers(of: observation)
        var identifier = identifiers.first
        if let condition {
            identifier = identifiers.first(where: condition.matches)
            guard identifiers.isEmpty || identifier != nil else {
                throw FHIRIssue(
                    "value", "the search of the request names no identifier of the Observation",
                    at: path + ".identifier")
            }
            if identifiers.isEmpty { identifier = condition }
        }
        reading.identifier = identifier?.text
        reading.id = reading.identifier
        reading.key = Self.key(identifiers.isEmpty ? [condition].compactMap { $0 } : identifiers)
        reading.device = try device(observation, path)
        reading.simulated = observation["meta"]?["security"]?.elements.contains { $0["code"]?.string == "HTEST" }
        (reading.person, reading.personIdentity) = try person(observation, path)
        return reading
    }

    /// Checks the identifiers, and that nothing in the Observation changes or contradicts its meaning.
    private func check(_ observation: JSONValue, at path: String) throws(FHIRIssue) {
        if observation["implicitRules"] != nil {
            throw FHIRIssue("not-supported", "implicitRules are not supported", at: path + ".implicitRules")
        }
        if observation["focus"] != nil {
            throw FHIRIssue(
                "not-supported", "an observation about another than its subject is not stored", at: path + ".focus")
        }
        if let identifier = observation["identifier"] {
            guard case .array(let list) = identifier, list.allSatisfy({ $0["value"].map { $0.string != nil } ?? true })
            else {
                throw FHIRIssue("structure", "identifier must be a list with texts as values", at: path + ".identifier")
            }
        }
        let components = (observation["component"]?.elements ?? []).enumerated()
        for (place, element) in [(path, observation)] + components.map({ ("\(path).component[\($0)]", $1) }) {
            if element["modifierExtension"] != nil {
                throw FHIRIssue(
                    "not-supported", "modifier extensions are not supported", at: place + ".modifierExtension")
            }
            if element["dataAbsentReason"] != nil, element["valueQuantity"] != nil {
                throw FHIRIssue(
                    "value", "a value cannot have a dataAbsentReason (obs-6)", at: place + ".dataAbsentReason")
            }
        }
    }

    private func meaning(of code: JSONValue?) -> (kind: MeasurementKind, quantity: String)? {
        for coding in code?["coding"]?.elements ?? [] {
            if let system = coding["system"]?.string, let code = coding["code"]?.string,
                let meaning = FHIRCode.meaning(system: system, code: code)
            {
                return meaning
            }
        }
        return nil
    }

    /// Returns the value of an observation or a component; the reason if it is absent, whatever the kind and the code.
    private func value(_ element: JSONValue, _ name: String, at path: String) throws(FHIRIssue) -> JSONValue {
        if let reason = element["dataAbsentReason"] {
            let codes = (reason["coding"]?.elements ?? []).compactMap { $0["code"]?.string }
            if let code = codes.first(where: HealthMeasurement.isSpecial) ?? (codes.isEmpty ? nil : "error") {
                return .object(["special": .string(code)])
            }
            if reason["text"]?.string != nil { return .object(["special": .string("unknown")]) }
        }
        let place = path + ".valueQuantity"
        guard let quantity = element["valueQuantity"] else {
            throw FHIRIssue("required", "valueQuantity is missing", at: place)
        }
        guard let digits = quantity["value"]?.digits, Decimal(digits: digits) != nil else {
            throw FHIRIssue("value", "valueQuantity.value is not a number", at: place + ".value")
        }
        if quantity["comparator"] != nil {
            throw FHIRIssue("not-supported", "a value with a comparator is not supported", at: place + ".comparator")
        }
        guard quantity["system"]?.string == FHIRCode.ucumSystem, let code = quantity["code"]?.string else {
            throw FHIRIssue("required", "valueQuantity requires a UCUM code with its system", at: place + ".code")
        }
        guard let unit = MeasurementUnit.symbol(ofUCUM: code) else {
            throw FHIRIssue("not-supported", "the unit '\(code.prefix(32))' is not supported", at: place + ".code")
        }
        do { _ = try QuantityKind[name]?.stored(0, unit) } catch {
            throw FHIRIssue("value", "\(error)", at: place + ".code")
        }
        return .object(["value": .string(digits), "unit": .string(unit)])
    }

    private func setTime(_ observation: JSONValue, _ reading: inout SubmittedReading, _ path: String) throws(FHIRIssue)
    {
        let text =
            observation["effectiveDateTime"]?.string ?? observation["effectiveInstant"]?.string
            ?? observation["effectivePeriod"]?["end"]?.string ?? observation["effectivePeriod"]?["start"]?.string
        guard let text else { throw FHIRIssue("required", "effectiveDateTime is missing", at: path + ".effective") }
        guard let time = ReadingTime.date(text) else {
            throw FHIRIssue(
                "value", "'\(text.prefix(64))' is not a time with a time zone, such as 2026-11-21T08:00:00Z",
                at: path + ".effective")
        }
        guard time < Date(timeIntervalSinceNow: ReadingTime.tolerance) else {
            throw FHIRIssue("value", "the time is in the future", at: path + ".effective")
        }
        guard time >= ReadingTime.earliest else {
            throw FHIRIssue("value", "the time is before 1900", at: path + ".effective")
        }
        // Normalised to UTC with all digits, because the time identifies a reading that has no identifier.
        reading.time = ReadingTime.normalised(text)
    }
}
