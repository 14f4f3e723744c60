import BluetoothModel
import BluetoothProfiles
import Foundation
import JSON

/// The FHIR R4 resources of a reading, according to HL7's Personal Health Device guide 2.0.0
/// (https://hl7.org/fhir/uv/phd), but for what HubFHIR.md names.
package enum FHIRResources {
    /// The system of the hub's identifiers of people, devices and readings.
    package static let system = "urn:harald:hub"
    /// The system of the digests that identify readings in any hub.
    static let readingSystem = "urn:harald:reading"
    /// The status of a retracted Observation.
    static let enteredInError = "entered-in-error"
    private static let structures = "http://hl7.org/fhir/uv/phd/StructureDefinition/"
    private static let deviceIdentifiers = "http://terminology.hl7.org/CodeSystem/ContinuaDeviceIdentifiers"
    /// The system of IEEE 11073 System IDs, which are EUI-64 numbers.
    static let systemIDSystem = "urn:oid:1.2.840.10004.1.1.1.0.0.1.0.0.1.2680"
    static let bluetoothSystem = "http://hl7.org/fhir/sid/eui-48/bluetooth"

    /// Returns an instant in UTC.
    static func time(_ date: Date) -> String { date.formatted(.iso8601) }

    /// Marks data of simulated devices.
    private static let testTag: JSONValue = [
        "system": "http://terminology.hl7.org/CodeSystem/v3-ActReason", "code": "HTEST",
        "display": "test health data",
    ]

    private static func meta(_ profile: String, isSimulated: Bool) -> JSONValue {
        .known([
            "profile": .array([.string(structures + profile)]), "security": isSimulated ? .array([testTag]) : nil,
        ])
    }

    private static func identifier(_ value: String, _ system: String = Self.system, type: String? = nil) -> JSONValue {
        .known([
            "system": .string(system), "value": .string(value),
            "type": type.map { concept(deviceIdentifiers, $0) },
        ])
    }

    private static func concept(
        _ system: String, _ code: String, _ display: String? = nil, text: String? = nil
    ) -> JSONValue {
        let coding = JSONValue.known([
            "system": .string(system), "code": .string(code), "display": display.map { .string($0) },
        ])
        return .known(["coding": .array([coding]), "text": text.map { .string($0) }])
    }

    // MARK: Identifiers

    /// Returns the identifier of a person, which differs from those of people in other hubs.
    static func identifier(ofPerson id: Int64, identity: String?) -> String { "person-\(identity ?? String(id))" }

    /// Returns the name of something to which other hubs may give the same name, with the identity of the store.
    private static func local(_ name: String, in hub: String?) -> String { hub.map { "hub-\($0)-\(name)" } ?? name }

    static func identifier(ofGateway name: String, in hub: String?) -> String { local("gateway-" + name, in: hub) }

    /// Returns the identifier of a device: its System ID, address, or serial number with its model, because other
    /// models may have the same number; else its identifier in the store.
    static func identifier(of device: StoredDevice, in hub: String?) -> (system: String, value: String) {
        if let id = device.systemID, id.utf8.count == 16 { return (systemIDSystem, reversed(id, separator: "-")) }
        if let address = device.address, address.utf8.count == 17 {
            return (bluetoothSystem, address.replacing(":", with: "-"))
        }
        if let serial = device.serial {
            return (system, ["device", serial, device.model].compactMap { $0 }.joined(separator: "-"))
        }
        return (system, local("device-\(device.identifier ?? String(device.id))", in: hub))
    }

    /// Reverses the octets: a System ID is transmitted with its lowest octet first, an EUI-64 is written with its
    /// highest first.
    static func reversed(_ hex: String, separator: String = "") -> String {
        (HealthMeasurement.bytes(hex) ?? []).reversed().hexText(separator: separator)
    }

    /// Returns the identifier of an observation: device, patient, type, the device's time, and the first digits of the
    /// reading's digest, which distinguishes readings of the same second.
    static func identifier(of reading: StoredReading, code: FHIRCode) -> String {
        let time = reading.deviceTime ?? Self.time(reading.taken)
        return [
            identifier(of: reading.device, in: reading.hub).value,
            reading.person.map { identifier(ofPerson: $0, identity: reading.personIdentity) } ?? "nobody",
            String(code.mdc), time.filter { $0.isNumber || $0 == "T" }, String(reading.key.prefix(8)),
        ].joined(separator: "-")
    }

    // MARK: Resources

    static func patient(_ person: Person) -> JSONValue {
        [
            "resourceType": "Patient", "meta": meta("PhdPatient", isSimulated: false),
            "identifier": [identifier(identifier(ofPerson: person.id, identity: person.identity))],
            "name": [["text": .string(person.name)]],
            "birthDate": .string(person.born),
        ]
    }

    /// Returns the Device resource of the measuring device.
    static func device(of reading: StoredReading) -> JSONValue {
        let device = reading.device
        let main = identifier(of: device, in: reading.hub)
        let type = main.system == systemIDSystem ? "SYSID" : main.system == bluetoothSystem ? "BTMAC" : nil
        var identifiers = [identifier(main.value, main.system, type: type)]
        if let address = device.address, main.system != bluetoothSystem, address.utf8.count == 17 {
            identifiers.append(identifier(address.replacing(":", with: "-"), bluetoothSystem, type: "BTMAC"))
        }
        // A hub that has earlier readings knows the device only by this one.
        if let id = device.identifier {
            let name = local("device-" + id, in: reading.hub)
            if name != main.value { identifiers.append(identifier(name)) }
        }
        return .known([
            "resourceType": "Device", "meta": meta("PhdDevice", isSimulated: reading.isSimulated),
            "identifier": .array(identifiers), "serialNumber": device.serial.map { .string($0) },
            "modelNumber": device.model.map { .string($0) },
            "deviceName": device.name.map { [["name": .string($0), "type": "user-friendly-name"]] },
            "type": concept(FHIRCode.mdcSystem, "65573", "MDC_MOC_VMS_MDS_SIMP", text: "Personal Health Device"),
        ])
    }

    /// Returns the Device resource of the gateway.
    static func gateway(_ name: String, in hub: String?) -> JSONValue {
        [
            "resourceType": "Device", "meta": meta("PhgDevice", isSimulated: false),
            "identifier": [identifier(identifier(ofGateway: name, in: hub))],
            "deviceName": [["name": .string(name), "type": "user-friendly-name"]],
            "type": concept(FHIRCode.mdcSystem, "531981", "MDC_MOC_VMS_MDS_AHD", text: "Personal Health Gateway"),
        ]
    }

    /// Returns the coincident time stamp, which relates the device's clock to the gateway's at one instant; nil if no
    /// time was converted.
    static func coincidentTime(
        _ reading: StoredReading, device: JSONValue, gateway: JSONValue
    ) -> (identifier: String, resource: JSONValue)? {
        guard let offset = reading.clockOffset, reading.deviceTime != nil else { return nil }
        let name = identifier(of: reading.device, in: reading.hub).value
        let id = "\(name)-67975-\(Int(offset))-\(time(reading.arrived))"
        return (
            id,
            [
                "resourceType": "Observation",
                "meta": meta("PhdCoincidentTimeStampObservation", isSimulated: reading.isSimulated),
                "identifier": [identifier(id)], "status": "final",
                "code": concept(FHIRCode.mdcSystem, "67975", "MDC_ATTR_TIME_ABS", text: "Absolute time"),
                "subject": device, "effectiveDateTime": .string(time(reading.arrived)),
                "valueDateTime": .string(time(reading.arrived.addingTimeInterval(offset))), "device": gateway,
            ]
        )
    }

    struct References {
        var patient: JSONValue?
        var device: JSONValue
        var gateway, coincidentTime: JSONValue?
    }

    static func code(of reading: StoredReading) -> FHIRCode? {
        guard let measurement = reading.measurement, let first = measurement.quantities.first else { return nil }
        if let panel = measurement.kind.panel { return panel }
        return FHIRCode.of(first.name, measurement.kind, unit: first.unit, fluid: measurement.qualifiers.first)
    }

    /// Returns an observation with its identifier; nil if FHIR has no code for the reading.
    /// - Parameters:
    ///   - identifier: the identifier; nil for that of the device's present attributes.
    ///   - status: the status; nil for that of the reading.
    static func observation(
        _ reading: StoredReading, as identifier: String? = nil, _ references: References, judgement: Judgement?,
        status: String? = nil
    ) -> (identifier: String, resource: JSONValue)? {
        guard let measurement = reading.measurement, let first = measurement.quantities.first,
            let code = code(of: reading)
        else { return nil }
        let isPanel = measurement.kind.panel != nil
        let id = identifier ?? Self.identifier(of: reading, code: code)
        // The subject of a check of the meter is the meter.
        let isControl = measurement.isControlSolution
        var members: [String: JSONValue?] = [
            "resourceType": "Observation",
            "meta": meta(
                isPanel ? "PhdCompoundNumericObservation" : "PhdNumericObservation", isSimulated: reading.isSimulated),
            "identifier": [Self.identifier(id), Self.identifier(reading.key, readingSystem)],
            "status": .string(status ?? (reading.isRetracted ? enteredInError : "final")),
            "category": categories(measurement.kind),
            "code": ["coding": code.codings], "subject": isControl ? references.device : references.patient,
            "performer": isControl ? nil : references.patient.map { [$0] },
            "effectiveDateTime": .string(time(reading.taken)),
            "device": references.device,
            "extension": extensions(references, measurement, reading),
        ]
        if isPanel {
            // The profile of blood pressure requires both components.
            let absent = measurement.kind.mainQuantities.filter { measurement[$0] == nil }.map {
                Quantity($0, nil, text: Self.absent, unit: "")
            }
            members["component"] = .array((measurement.quantities + absent).compactMap { component($0, measurement) })
        } else {
            members.merge(value(first)) { $1 }
            let others = measurement.quantities.dropFirst().compactMap { component($0, measurement) }
            if !others.isEmpty { members["component"] = .array(others) }
        }
        if case .judged(let rule, let sentence)? = judgement {
            members["interpretation"] = [
                concept(
                    "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation", rule.interpretation,
                    text: sentence.description)
            ]
        }
        if measurement.kind == .temperature, let site = measurement.qualifiers.first {
            members["bodySite"] = ["text": .string(site)]
        }
        let notes = measurement.qualifiers + [measurement.reservation?.description].compactMap { $0 }
        if !notes.isEmpty { members["note"] = .array(notes.map { ["text": .string($0)] }) }
        return (id, .known(members))
    }

    /// The extension with the reason why a reading does not count, for another hub. FHIR has no element for the status
    /// bits of devices. The subject shows that a control solution was measured.
    static let reservationExtension = "urn:harald:reservation"

    /// The extension with the identity of a hub that the reading has passed.
    static let hubExtension = "urn:harald:passed"

    private static func extensions(
        _ references: References, _ measurement: HealthMeasurement, _ reading: StoredReading
    ) -> JSONValue? {
        let known: [(String, JSONValue?)] = [
            ("http://hl7.org/fhir/StructureDefinition/observation-gatewayDevice", references.gateway),
            (structures + "CoincidentTimeStampReference", references.coincidentTime),
        ]
        var list: [JSONValue] = known.compactMap { url, reference in
            reference.map { ["url": .string(url), "valueReference": $0] }
        }
        if let reservation = measurement.reservation, !measurement.isControlSolution, !reading.isRetracted {
            list.append(["url": .string(reservationExtension), "valueString": .string(reservation.description)])
        }
        let hubs = reading.hubs + [reading.hub].compactMap { $0 }
        list += hubs.map { hub -> JSONValue in ["url": .string(hubExtension), "valueString": .string(hub)] }
        return list.isEmpty ? nil : .array(list)
    }

    private static func categories(_ kind: MeasurementKind) -> JSONValue {
        [
            concept("http://terminology.hl7.org/CodeSystem/observation-category", kind.category),
            concept("http://hl7.org/fhir/uv/phd/CodeSystem/PhdObservationCategories", "phd"),
        ]
    }

    /// The reason for the absence of a quantity that was not measured.
    private static let absent = "unknown"

    private static func component(_ quantity: Quantity, _ measurement: HealthMeasurement) -> JSONValue? {
        guard let code = FHIRCode.of(quantity.name, measurement.kind, unit: quantity.unit) else { return nil }
        var members = value(quantity)
        members["code"] = ["coding": code.codings]
        return .known(members)
    }

    /// The value with the digits of the device, or the reason for its absence.
    private static func value(_ quantity: Quantity) -> [String: JSONValue?] {
        guard let value = quantity.digits else {
            let code: String =
                switch quantity.text.lowercased() {
                case let text where HealthMeasurement.absentReasons.contains(text): text
                case "nan", "notanumber": "not-a-number"
                case let text where text.contains("negative") || text == "-inf": "negative-infinity"
                case let text where text.contains("infinity") || text == "+inf": "positive-infinity"
                default: "error"
                }
            return ["dataAbsentReason": concept("http://terminology.hl7.org/CodeSystem/data-absent-reason", code)]
        }
        let unit = MeasurementUnit[quantity.unit]?.unit.ucum
        return [
            "valueQuantity": .known([
                "value": value, "unit": .string(unit ?? quantity.unit),
                "system": unit == nil ? nil : .string(FHIRCode.ucumSystem), "code": unit.map { .string($0) },
            ])
        ]
    }
}
