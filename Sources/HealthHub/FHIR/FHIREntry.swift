import Foundation
import JSON

/// An entry of a Bundle, converted as far as this needs no store.
enum FHIREntry {
    case reading(SentObservation)
    /// An Observation that is to be marked as entered in error.
    case retraction(identifier: String)
    /// A new Observation that was entered in error, of which nothing is stored.
    case enteredInError
    /// A resource that others refer to; the hub does not store it by itself.
    case reference
    /// A Patient or Device to which no other entry refers; nil for a sender that may not know the people.
    case single(JSONValue?)
    case refused(FHIRIssue, status: String)

    enum Interaction {
        case create, conditionalCreate, update
    }

    struct SentObservation {
        let reading: SubmittedReading
        let interaction: Interaction
        /// The identifiers of the Observation beside that of the reading.
        let further: [String]
        /// The identities of the hubs that it has passed.
        let hubs: [String]
        /// The key of the stored reading that a conditional create or an update names.
        var key: Data?

        /// The reading with the key of the stored one.
        var keyed: SubmittedReading {
            var keyed = reading
            keyed.key = key ?? reading.key
            return keyed
        }
    }

    /// Parses an entry.
    /// - Parameter path: the FHIRPath of the entry.
    static func parse(_ entry: JSONValue, at path: String, _ input: FHIRInput) -> FHIREntry {
        func refused(_ code: String, _ text: String, at place: String, status: String = "400 Bad Request") -> FHIREntry
        {
            .refused(FHIRIssue(code, text, at: path + place), status: status)
        }
        guard let method = entry["request"]?["method"]?.string else {
            return refused("required", "request.method is missing", at: ".request")
        }
        if ["PUT", "DELETE"].contains(method), let url = entry["request"]?["url"]?.string,
            url.hasPrefix("Observation?")
        {
            return parse(entry, change: method, of: url, at: path, input)
        }
        guard method == "POST" else {
            return refused(
                "not-supported",
                "the hub supports only POST, and PUT and DELETE of Observation?identifier=SYSTEM|VALUE, "
                    + "not this \(method.prefix(16))", at: ".request.method", status: "405 Method Not Allowed")
        }
        guard let resource = entry["resource"], let type = resource["resourceType"]?.string else {
            return refused("required", "resource is missing", at: ".resource")
        }
        guard entry["request"]?["url"]?.string == type else {
            return refused("value", "request.url must be '\(type.prefix(64))' for this resource", at: ".request.url")
        }
        if let url = entry["fullUrl"]?.string, input.repeatedURLs.contains(url) {
            return refused("invariant", "several entries have this fullUrl (bdl-7)", at: ".fullUrl")
        }
        switch type {
        case "Patient", "Device":
            return input.isReferenced(entry) ? .reference : .single(input.maySayPerson ? resource : nil)
        case "Observation" where resource["status"]?.string == FHIRResources.enteredInError: return .enteredInError
        case "Observation":
            var condition: FHIRCondition?
            if let search = entry["request"]?["ifNoneExist"] {
                condition = search.string.flatMap { FHIRCondition(search: $0) }
                guard condition != nil else {
                    return refused(
                        "not-supported", "the hub evaluates ifNoneExist only in the form identifier=SYSTEM|VALUE",
                        at: ".request.ifNoneExist", status: "412 Precondition Failed")
                }
            }
            return parse(
                resource, at: path, condition, condition == nil ? .create : .conditionalCreate, input)
        default:
            return refused(
                "not-supported", "the hub supports Observation, Device and Patient, not \(type.prefix(64))",
                at: ".resource")
        }
    }

    private static func parse(
        _ observation: JSONValue, at path: String, _ condition: FHIRCondition?, _ interaction: Interaction,
        _ input: FHIRInput
    ) -> FHIREntry {
        do {
            let reading = try input.reading(observation, at: path + ".resource", condition: condition)
            guard let reading else { return .reference }
            let further = FHIRInput.furtherIdentifiers(of: observation, beside: reading.identifier)
            return .reading(
                SentObservation(
                    reading: reading, interaction: interaction, further: further,
                    hubs: FHIRInput.hubs(of: observation)))
        } catch {
            return .refused(
                error, status: error.code == "not-supported" ? "422 Unprocessable Entity" : "400 Bad Request")
        }
    }

    /// Parses an update or a deletion of an Observation, which names it by its identifier.
    private static func parse(
        _ entry: JSONValue, change method: String, of url: String, at path: String, _ input: FHIRInput
    ) -> FHIREntry {
        let invalid = "400 Bad Request"
        guard let condition = FHIRCondition(search: url), condition.system != nil else {
            let text = "the hub changes an Observation only by Observation?identifier=SYSTEM|VALUE"
            return .refused(
                FHIRIssue("not-supported", text, at: path + ".request.url"), status: "412 Precondition Failed")
        }
        if method == "DELETE" { return .retraction(identifier: condition.text) }
        guard let resource = entry["resource"], resource["resourceType"]?.string == "Observation" else {
            return .refused(
                FHIRIssue("required", "the resource must be an Observation", at: path + ".resource"), status: invalid)
        }
        guard resource["status"]?.string == FHIRResources.enteredInError else {
            return parse(resource, at: path, condition, .update, input)
        }
        let identifiers = FHIRInput.identifiers(of: resource)
        guard identifiers.isEmpty || identifiers.contains(where: condition.matches) else {
            let text = "the search of the request names no identifier of the Observation"
            return .refused(FHIRIssue("value", text, at: path + ".resource.identifier"), status: invalid)
        }
        return .retraction(identifier: condition.text)
    }
}
