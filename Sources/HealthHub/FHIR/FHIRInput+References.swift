import Foundation
import JSON

/// The resources to which Observations refer: the device, and the person.
extension FHIRInput {
    /// Returns the resource to which a Reference refers, contained or in the Bundle; nil for a resource elsewhere.
    /// - Throws: ``FHIRIssue`` for a reference that must be in the Bundle and is not.
    private func resolve(
        _ reference: JSONValue, in observation: JSONValue, at path: String
    ) throws(FHIRIssue) -> JSONValue? {
        guard let text = reference["reference"]?.string else { return nil }
        let place = path + ".reference"
        if text.hasPrefix("#") {
            let name = String(text.dropFirst())
            guard let resource = observation["contained"]?.elements.first(where: { $0["id"]?.string == name }) else {
                throw FHIRIssue("not-found", "no contained resource has the id '\(name.prefix(64))'", at: place)
            }
            return resource
        }
        // A reference to a version is a reference to the resource.
        let url = Self.withoutVersion(text)
        if let resource = try bundled(url, at: place) { return resource }
        if url.hasPrefix("urn:") {
            throw FHIRIssue("not-found", "no entry of the Bundle has the fullUrl '\(url.prefix(64))'", at: place)
        }
        guard let mark = url.firstIndex(of: "?") else { return nil }
        guard let search = Self.search(url) else {
            let type = url[..<mark].split(separator: "/").last ?? ""
            throw FHIRIssue(
                "not-supported",
                "the hub resolves conditional references only in the form "
                    + "\(type.prefix(32))?identifier=SYSTEM|VALUE", at: place)
        }
        return identified[search]
    }

    /// Returns the resource of the Bundle that a reference names; nil if there is none. A relative reference belongs to
    /// the base of the full URL of its own entry (FHIR R4, Bundle, resolving references).
    private func bundled(_ url: String, at place: String) throws(FHIRIssue) -> JSONValue? {
        if let base, let resource = resources[base + url] { return resource }
        if let resource = resources[url] { return resource }
        guard let all = named[url] else { return nil }
        let candidates = all.filter { $0.base == nil || base == nil || $0.base == base }
        // A resource of another server is none of those in the Bundle.
        guard let first = candidates.first else { return nil }
        guard candidates.count == 1 else {
            throw FHIRIssue(
                "multiple-matches", "several entries of the Bundle are '\(url.prefix(64))'; refer to a fullUrl",
                at: place)
        }
        return first.resource
    }

    /// Returns the type of the resource in a reference such as `Patient/7` or `Patient?identifier=...`.
    private static func type(ofReference text: String) -> String? {
        if let mark = text.firstIndex(of: "?") { return text[..<mark].split(separator: "/").last.map(String.init) }
        return withoutVersion(text).split(separator: "/").dropLast().last.map(String.init)
    }

    static func identifiers(of element: JSONValue) -> [FHIRCondition] {
        // A resource has a list of identifiers, a Reference has one.
        guard let value = element["identifier"] else { return [] }
        return (value.elements + [value]).compactMap { identifier in
            identifier["value"]?.string.map { FHIRCondition(system: identifier["system"]?.string ?? "", value: $0) }
        }
    }

    /// Returns the identifier in a conditional reference; nil for any other reference.
    static func condition(_ reference: JSONValue) -> FHIRCondition? {
        guard let text = reference["reference"]?.string, let mark = text.firstIndex(of: "?") else { return nil }
        return FHIRCondition(search: String(text[mark...]))
    }

    /// Returns the device of an Observation. If nothing identifies it, the subject takes its place, so that the
    /// readings of different people are not mixed and can be assigned.
    func device(_ observation: JSONValue, _ path: String) throws(FHIRIssue) -> SubmittedReading.Device {
        var device = SubmittedReading.Device()
        if let reference = observation["device"] {
            device = try self.device(reference, in: observation, at: path + ".device")
        }
        if !device.isIdentified { device.id = try subjectIdentity(observation, at: path + ".subject") }
        return device
    }

    /// Returns the attributes of the device to which a reference refers. None of them identifies it if it has no
    /// identifier and the reference is only valid in its Bundle.
    private func device(
        _ reference: JSONValue, in observation: JSONValue, at place: String
    ) throws(FHIRIssue) -> SubmittedReading.Device {
        var device = SubmittedReading.Device(name: reference["display"]?.string)
        let resource = try resolve(reference, in: observation, at: place)
        let type =
            resource?["resourceType"]?.string
            ?? reference["reference"]?.string.flatMap(Self.type(ofReference:)) ?? reference["type"]?.string
        if let type, !["Device", "DeviceMetric"].contains(type) {
            throw FHIRIssue("value", "the device must be a Device, not \(type.prefix(64))", at: place)
        }
        var identifiers = [reference["identifier"]].compactMap { $0 }
        if let resource {
            device.serial = resource["serialNumber"]?.string
            device.model = resource["modelNumber"]?.string
            device.name = resource["deviceName"]?.elements.first?["name"]?.string ?? device.name
            identifiers += resource["identifier"]?.elements ?? []
        } else if let condition = Self.condition(reference) {
            identifiers.append(
                .known(["system": condition.system.map { .string($0) }, "value": .string(condition.value)]))
        }
        for identifier in identifiers { Self.add(identifier, to: &device) }
        device.trim()
        if !device.isIdentified {
            let value = identifiers.compactMap { $0["value"]?.string }.first { !$0.isEmpty }
            device.id = (value ?? lasting(reference)).map { local("device", $0) }
        } else if device.id == nil {
            device.id = Self.hubName(identifiers, of: device).map { local("device", $0) }
        }
        return device
    }

    /// Returns the name that a hub gives to a device which has another identity too; nil if there is none.
    private static func hubName(
        _ identifiers: [JSONValue], of device: SubmittedReading.Device
    ) -> String? {
        // A hub also makes a name of the serial number, with the model.
        let serial = device.serial ?? ""
        let derived = ["device-\(serial)", "device-\(serial)-\(device.model ?? "")"]
        return identifiers.filter { $0["system"]?.string == FHIRResources.system }.compactMap { $0["value"]?.string }
            .first { value in
                guard let hub = value.prefixMatch(of: /hub-[0-9a-f]{16}-(?=device-)/) else { return false }
                return !derived.contains(String(value[hub.range.upperBound...]))
            }
    }

    /// Returns the identity that the subject of an Observation gives to its readings, if nothing identifies the device:
    /// an identifier, or what only the sender knows, or that of all readings of the sender without a subject.
    private func subjectIdentity(_ observation: JSONValue, at place: String) throws(FHIRIssue) -> String {
        let anonymous = SubmittedReading.Device.subjectPrefix + gateway
        guard let subject = observation["subject"] else { return anonymous }
        let resource = try resolve(subject, in: observation, at: place)
        let all =
            Self.identifiers(of: subject) + (resource.map(Self.identifiers) ?? [])
            + [Self.condition(subject)].compactMap { $0 }
        let identifiers = all.filter { !$0.value.isEmpty }
        if let known = identifiers.first(where: { $0.system?.isEmpty == false }) {
            return SubmittedReading.Device.subjectPrefix + known.text
        }
        let text = identifiers.first?.value ?? lasting(subject) ?? Self.name(of: subject, resource)
        return text.map { local("subject", $0) } ?? anonymous
    }

    /// Returns the text of a reference, without the version; nil for one that is only valid in its Bundle, such as
    /// `#p1` and `urn:uuid:...`: another person has it in the next Bundle. The base of the entry distinguishes
    /// resources of the Bundle with the same relative reference.
    private func lasting(_ reference: JSONValue) -> String? {
        guard let text = reference["reference"]?.string, !text.isEmpty, !text.hasPrefix("#"), !text.hasPrefix("urn:")
        else { return nil }
        let url = Self.withoutVersion(text)
        return (named[url]?.count ?? 0) > 1 ? (base ?? "") + url : url
    }

    /// Returns the name of a person with the date of birth, if they are known; nil without a name.
    private static func name(of subject: JSONValue, _ resource: JSONValue?) -> String? {
        let name = resource?["name"]?.elements.first
        let parts = (name?["given"]?.elements ?? []).compactMap(\.string) + [name?["family"]?.string].compactMap { $0 }
        let text = name?["text"]?.string ?? parts.joined(separator: " ")
        guard let whole = [text, subject["display"]?.string ?? ""].first(where: { !$0.isEmpty }) else { return nil }
        return whole + (resource?["birthDate"]?.string.map { " " + $0 } ?? "")
    }

    /// Returns the identity of a device or of a subject that only the sender of the Bundle knows.
    private func local(_ element: String, _ text: String) -> String {
        "\(SubmittedReading.Device.subjectPrefix)\(gateway)|\(element)|\(text)"
    }

    /// Adds an identifier to the attributes of a device. Its type or system says that it is a System ID, a Bluetooth
    /// address or a serial number; any other identifier is an identity together with its system. One without a system,
    /// or with that of a hub, which numbers its devices, is only known to its sender, and is not added.
    private static func add(_ identifier: JSONValue, to device: inout SubmittedReading.Device) {
        guard let value = identifier["value"]?.string, !value.isEmpty else { return }
        let system = identifier["system"]?.string ?? ""
        // The systems of the types are those of the Personal Health Device guide and of HL7 v2.
        func isOfType(_ code: String, _ ending: String) -> Bool {
            (identifier["type"]?["coding"]?.elements ?? []).contains {
                $0["code"]?.string == code && $0["system"]?.string?.hasSuffix(ending) ?? true
            }
        }
        let hex = value.filter { $0 != "-" && $0 != ":" }
        let length = HealthMeasurement.bytes(hex)?.count
        let isSystemID = system == FHIRResources.systemIDSystem || isOfType("SYSID", "ContinuaDeviceIdentifiers")
        let isAddress = system == FHIRResources.bluetoothSystem || isOfType("BTMAC", "ContinuaDeviceIdentifiers")
        if isSystemID, length == 8 {
            device.systemID = FHIRResources.reversed(hex)
        } else if isAddress, length == 6 {
            device.address = value.replacing("-", with: ":")
        } else if isOfType("SNO", "0203") {
            device.serial = value
        } else if device.id == nil, !system.isEmpty, system != FHIRResources.system {
            device.id = "\(system)|\(value)"
        }
    }

    /// Returns the person that the subject names, by the identifier in the store or by the identity: `Patient/7`, or an
    /// identifier of a hub in the reference or in the Patient to which it refers. The number in an identifier of a
    /// Patient of the Bundle is not used: it is that of another hub. The subject may also be the device.
    /// - Throws: ``FHIRIssue`` for a subject that the hub cannot resolve.
    func person(
        _ observation: JSONValue, _ path: String
    ) throws(FHIRIssue) -> (id: Int64?, identity: String?) {
        guard maySayPerson, let subject = observation["subject"] else { return (nil, nil) }
        let place = path + ".subject"
        let resource = try resolve(subject, in: observation, at: place)
        let text = subject["reference"]?.string
        let type =
            resource?["resourceType"]?.string
            ?? text.flatMap(Self.type(ofReference:)) ?? subject["type"]?.string
        // The subject of a measurement of a control solution.
        if type == "Device" { return (nil, nil) }
        if let type, type != "Patient" {
            throw FHIRIssue("not-supported", "the subject must be a Patient, not \(type.prefix(64))", at: place)
        }
        let condition = Self.condition(subject)
        let identifiers =
            Self.identifiers(of: subject) + (resource.map(Self.identifiers) ?? []) + [condition].compactMap { $0 }
        for identifier in identifiers where (identifier.system ?? FHIRResources.system) == FHIRResources.system {
            guard identifier.value.hasPrefix("person-") else { continue }
            let name = String(identifier.value.dropFirst(7))
            if name.utf8.count == Person.identityLength { return (nil, name) }
            if resource == nil, let id = Int64(name) { return (id, nil) }
        }
        if resource != nil { return (nil, nil) }
        let advice = "use Patient/ID, or an identifier of the system \(FHIRResources.system)"
        guard let text, condition == nil else {
            guard text != nil || subject["identifier"] != nil else {
                throw FHIRIssue("required", "the subject has no reference and no identifier; \(advice)", at: place)
            }
            let element = text == nil ? ".identifier" : ".reference"
            throw FHIRIssue("not-found", "the hub has no Patient with this identifier; \(advice)", at: place + element)
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 4 && parts[2] == "_history", parts[0] == "Patient",
            let id = Int64(parts[1])
        else {
            throw FHIRIssue("not-found", "the hub has no \(text.prefix(64)); \(advice)", at: place + ".reference")
        }
        return (id, nil)
    }
}

extension SubmittedReading.Device {
    /// True if an attribute other than the name identifies the device.
    fileprivate var isIdentified: Bool { serial != nil || systemID != nil || address != nil || id != nil }
}
