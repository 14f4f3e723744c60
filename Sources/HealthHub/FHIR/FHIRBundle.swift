import BluetoothModel
import Foundation
import GRDB
import JSON

/// A Bundle of readings with the resources to which they refer. A FHIR server that receives it creates only missing
/// resources.
struct FHIRBundle {
    private(set) var entries: [JSONValue] = []
    private var references: [String: JSONValue] = [:]

    /// Adds a resource once, and returns the reference to it.
    private mutating func add(
        _ type: String, _ system: String, _ identifier: String, _ resource: @autoclosure () -> JSONValue
    ) -> JSONValue {
        let key = "\(type)|\(system)|\(identifier)"
        if let known = references[key] { return known }
        let url = "urn:uuid:" + Self.uuid(key)
        entries.append([
            "fullUrl": .string(url), "resource": resource(),
            "request": [
                "method": "POST", "url": .string(type),
                "ifNoneExist": .string("identifier=" + Self.query(system) + "|" + Self.query(identifier)),
            ],
        ])
        let reference: JSONValue = ["reference": .string(url)]
        references[key] = reference
        return reference
    }

    /// Adds a person once, and returns the reference to the Patient.
    @discardableResult
    mutating func add(_ person: Person) -> JSONValue {
        add(
            "Patient", FHIRResources.system,
            FHIRResources.identifier(ofPerson: person.id, identity: person.identity), FHIRResources.patient(person))
    }

    /// Adds a reading with its person, device and gateway.
    /// - Parameters:
    ///   - observation: the identifier of the observation; nil for that of the device's present attributes.
    ///   - status: the status of the observation; nil for that of the reading.
    /// - Returns: the identifier of the observation; nil if FHIR has no code for the reading.
    @discardableResult
    mutating func add(
        _ reading: StoredReading, as observation: String? = nil, person: Person?, judgement: Judgement?,
        status: String? = nil
    ) -> String? {
        // Without an Observation nothing would refer to the other resources.
        guard FHIRResources.code(of: reading) != nil else { return nil }
        let patient = person.map { add($0) }
        let id = FHIRResources.identifier(of: reading.device, in: reading.hub)
        let device = add("Device", id.system, id.value, FHIRResources.device(of: reading))
        let gateway = reading.gateway.map { name in
            add(
                "Device", FHIRResources.system, FHIRResources.identifier(ofGateway: name, in: reading.hub),
                FHIRResources.gateway(name, in: reading.hub))
        }
        var references = FHIRResources.References(patient: patient, device: device, gateway: gateway)
        if let gateway,
            let coincident = FHIRResources.coincidentTime(reading, device: device, gateway: gateway)
        {
            references.coincidentTime = add(
                "Observation", FHIRResources.system, coincident.identifier, coincident.resource)
        }
        guard
            let resource = FHIRResources.observation(
                reading, as: observation, references, judgement: judgement, status: status)
        else { return nil }
        _ = add("Observation", FHIRResources.system, resource.identifier, resource.resource)
        return resource.identifier
    }

    /// Marks a reading as entered in error.
    /// - Returns: false if FHIR has no code for the reading.
    mutating func retract(_ reading: StoredReading, as observation: String? = nil, person: Person?) -> Bool {
        replace(reading, as: observation, person: person, judgement: nil, status: FHIRResources.enteredInError)
    }

    /// Adds a reading that replaces the one that the receiver has.
    /// - Returns: false if FHIR has no code for the reading.
    mutating func replace(
        _ reading: StoredReading, as observation: String? = nil, person: Person?, judgement: Judgement?,
        status: String = "final"
    ) -> Bool {
        guard let id = add(reading, as: observation, person: person, judgement: judgement, status: status),
            case .object(var entry)? = entries.popLast()
        else { return false }
        let search = Self.query(FHIRResources.system) + "|" + Self.query(id)
        entry["request"] = ["method": "PUT", "url": .string("Observation?identifier=" + search)]
        entries.append(.object(entry))
        return true
    }

    mutating func delete(_ observation: String) {
        let search = Self.query(FHIRResources.system) + "|" + Self.query(observation)
        entries.append(["request": ["method": "DELETE", "url": .string("Observation?identifier=" + search)]])
    }

    /// Returns the entries added since the last call.
    mutating func takeEntries() -> [JSONValue] {
        defer { entries = [] }
        return entries
    }

    /// The beginning and the end of the text of a Bundle, between which its entries are, separated by commas.
    static let frame = (beginning: #"{"resourceType":"Bundle","type":"transaction","entry":["#, end: "]}")

    var resource: JSONValue { ["resourceType": "Bundle", "type": "transaction", "entry": .array(entries)] }

    /// Returns a UUID of version 8 (RFC 9562, 5.8) that depends only on the text.
    static func uuid(_ text: String) -> String {
        var octets = [UInt8](HubStore.sha256(text).prefix(16))
        octets[6] = octets[6] & 0x0F | 0x80
        octets[8] = octets[8] & 0x3F | 0x80
        return octets.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString.lowercased() }
    }

    /// Returns a value of a search parameter, escaped (FHIR R4, Search) and percent-encoded.
    static func query(_ text: String) -> String {
        FHIRCondition.escaped(text).addingPercentEncoding(
            withAllowedCharacters: CharacterSet(
                charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/")) ?? ""
    }
}
