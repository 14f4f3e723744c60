import Foundation
import GRDB
import JSON
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("References and sizes of FHIR Bundles", .blocksThread)
struct FHIRReferenceTests {
    /// A temperature with the given members, each followed by a comma.
    private func observation(_ members: String, value: String = "36.6") -> String {
        """
        {"resourceType":"Observation","status":"final",\(members)
        "code":{"coding":[{"system":"http://loinc.org","code":"8310-5"}]},
        "effectiveDateTime":"2026-11-20T08:00:00Z","valueQuantity":{"value":\(value),"unit":"C",
        "system":"http://unitsofmeasure.org","code":"Cel"}}
        """
    }

    private func entry(_ resource: String, _ type: String, url: String? = nil) -> String {
        let fullURL = url.map { #""fullUrl":"\#($0)","# } ?? ""
        return #"{\#(fullURL)"resource":\#(resource),"request":{"method":"POST","url":"\#(type)"}}"#
    }

    private func send(
        _ store: HubStore, _ entries: [String], type: String = "batch", gateway: String = "g",
        maySayPerson: Bool = true
    ) async throws -> FHIRAnswer {
        let text = #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#
        return try await store.storeFHIR(Array(text.utf8), gateway: gateway, maySayPerson: maySayPerson)
    }

    private func responses(_ answer: FHIRAnswer) -> [JSONValue] {
        answer.resource["entry"]?.elements.compactMap { $0["response"] } ?? []
    }

    @Test("A relative reference names an entry by the end of its full URL")
    func relativeReference() async throws {
        let temporary = try TemporaryStore()
        let device = #"{"resourceType":"Device","serialNumber":"T-7"}"#
        let answer = try await send(
            temporary.store,
            [
                entry(device, "Device", url: "http://x.example/fhir/Device/5"),
                entry(observation(#""device":{"reference":"Device/5"},"#), "Observation"),
            ], type: "transaction")
        #expect(statuses(answer) == ["200", "201"])
        #expect(try temporary.store.devices().map(\.serial) == ["T-7"])
    }

    @Test("A relative reference belongs to the base of the full URL of its entry", arguments: StoreKind.all)
    func basesOfReferences(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        var (people, entries): ([Int64], [String]) = ([], [])
        for (name, value) in [("a", "36.1"), ("b", "36.2")] {
            let base = "http://\(name).example/fhir/"
            let person = try store.addPerson(name: name, born: "1961-04-30")
            let identifier = #"{"system":"urn:harald:hub","value":"person-\#(person.identity ?? "")"}"#
            let patient = #"{"resourceType":"Patient","id":"1","identifier":[\#(identifier)]}"#
            let device = #"{"resourceType":"Device","id":"1","serialNumber":"T-\#(name)"}"#
            let members = #""subject":{"reference":"Patient/1"},"device":{"reference":"Device/1"},"#
            entries += [
                entry(patient, "Patient", url: base + "Patient/1"), entry(device, "Device", url: base + "Device/1"),
                entry(observation(members, value: value), "Observation", url: base + "Observation/1"),
            ]
            people.append(person.id)
        }
        let answer = try await send(store, entries, type: "transaction")
        #expect(statuses(answer) == ["200", "200", "201", "200", "200", "201"])
        #expect(try people.map { try store.state(of: $0)?.latest.map(\.text) } == [["36.1 °C"], ["36.2 °C"]])
        #expect(try Set(store.devices().map(\.serial)) == ["T-a", "T-b"])
        // Without a base the reference is ambiguous. With another one it names a resource elsewhere.
        let members = #""device":{"reference":"Device/1"},"#
        for (url, status) in [
            (nil, "400"), ("urn:uuid:1", "400"), ("http://c.example/fhir/Observation/1", "201"),
        ] as [(String?, String)] {
            let other = entry(observation(members, value: "36.3"), "Observation", url: url)
            #expect(try await statuses(send(store, [entries[1], entries[4], other])).last.map(String.init) == status)
        }
        #expect(try store.devices().count == 3)
        // The same resource twice is one.
        let device = entry(#"{"resourceType":"Device","id":"1","serialNumber":"T-a"}"#, "Device")
        let other = entry(observation(members, value: "36.3"), "Observation")
        #expect(try await statuses(send(store, [device, device, other])) == ["200", "200", "201"])
    }

    @Test("Subjects with the same relative reference and different bases are not mixed", arguments: StoreKind.all)
    func basesOfSubjects(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let entries = ["a", "b"].flatMap { name -> [String] in
            let base = "http://\(name).example/fhir/"
            let patient = #"{"resourceType":"Patient","id":"1","name":[{"text":"\#(name)"}]}"#
            let subject = #""subject":{"reference":"Patient/1"},"#
            return [
                entry(patient, "Patient", url: base + "Patient/1"),
                entry(observation(subject), "Observation", url: base + "Observation/1"),
            ]
        }
        let answer = try await send(temporary.store, entries, type: "transaction", maySayPerson: false)
        #expect(statuses(answer) == ["200", "201", "200", "201"])
        #expect(try temporary.store.devices().count == 2)
    }

    @Test(
        "A device is assigned by the value of its identifier, before or after its first contact",
        arguments: [
            #"{"identifier":{"system":"urn:a","value":"50_5"}}"#, #"{"identifier":{"value":"50_5"}}"#,
            #"{"reference":"Device/50_5"}"#,
        ], StoreKind.all)
    func assignmentByValue(_ device: String, _ kind: StoreKind) async throws {
        let bundle = [entry(observation(#""device":\#(device),"#), "Observation")]
        for isBefore in [true, false] {
            let temporary = try TemporaryStore(kind)
            let store = temporary.store
            let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
            if !isBefore {
                #expect(try await statuses(send(store, bundle)) == ["201"])
                // An underscore stands for itself.
                #expect(try store.assign("5055", to: anna.id) == 0)
            }
            #expect(try store.assign("50_5", to: anna.id) == (isBefore ? 0 : 1))
            if isBefore { #expect(try await statuses(send(store, bundle)) == ["201"]) }
            #expect(try store.state(of: anna.id)?.latest.count == 1)
        }
    }

    @Test("A full URL is that of one entry")
    func repeatedURL() async throws {
        let temporary = try TemporaryStore()
        let devices = ["T-1", "T-2"].map {
            entry(#"{"resourceType":"Device","serialNumber":"\#($0)"}"#, "Device", url: "urn:uuid:1")
        }
        let reading = entry(observation(#""device":{"reference":"urn:uuid:1"},"#), "Observation")
        #expect(try await send(temporary.store, devices + [reading], type: "transaction").status == 400)
        #expect(try temporary.store.devices().isEmpty)
    }

    @Test("Each form of a subject is resolved")
    func subjects() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        let name = "person-\(anna.identity ?? "")"
        let identifier = #"{"system":"urn:harald:hub","value":"\#(name)"}"#
        let patient = #"{"resourceType":"Patient","id":"p1","identifier":[\#(identifier)]}"#
        let device = #""device":{"identifier":{"value":"T-1"}},"#
        let forms: [(String, String?)] = [
            (#""subject":{"reference":"Patient/1"},"#, nil),
            (#""subject":{"reference":"Patient/1/_history/2"},"#, nil),
            (##""contained":[\##(patient)],"subject":{"reference":"#p1"},"##, nil),
            (#""subject":{"reference":"urn:uuid:1"},"#, "urn:uuid:1"),
            (#""subject":{"reference":"http://x.example/fhir/Patient/p1"},"#, "http://x.example/fhir/Patient/p1"),
            (#""subject":{"reference":"Patient/p1"},"#, "http://x.example/fhir/Patient/p1"),
            (#""subject":{"reference":"Patient?identifier=urn:harald:hub|\#(name)"},"#, nil),
            (#""subject":{"reference":"Patient?identifier=urn:harald:hub%7Cperson-1"},"#, nil),
            (#""subject":{"identifier":\#(identifier)},"#, nil),
            (#""subject":{"type":"Patient","identifier":{"system":"urn:harald:hub","value":"person-1"}},"#, nil),
        ]
        for (number, (subject, other)) in forms.enumerated() {
            let reading = entry(observation(device + subject, value: "36.\(number)"), "Observation")
            let answer = try await send(store, [reading] + (other.map { [entry(patient, "Patient", url: $0)] } ?? []))
            #expect(responses(answer).first?["status"]?.string == "201 Created", "\(subject)")
            #expect(answer.people == [anna.id], "\(subject)")
        }
    }

    @Test("The number of a Patient in a Bundle is that of its sender")
    func numberOfAPatient() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        let patient =
            #"{"resourceType":"Patient","id":"p","identifier":[{"system":"urn:harald:hub","value":"person-1"}]}"#
        for (number, subject) in [
            #""subject":{"reference":"urn:uuid:1"},"#, ##""contained":[\##(patient)],"subject":{"reference":"#p"},"##,
            #""subject":{"reference":"Patient?identifier=urn:harald:hub|person-1"},"#,
        ].enumerated() {
            let members = #""device":{"identifier":{"value":"T-1"}},"# + subject
            let reading = entry(observation(members, value: "36.\(number)"), "Observation")
            let answer = try await send(store, [reading, entry(patient, "Patient", url: "urn:uuid:1")])
            #expect(responses(answer).first?["status"]?.string == "201 Created", "\(subject)")
            #expect(answer.people.isEmpty, "\(subject)")
        }
        #expect(try store.state(of: anna.id)?.latest.isEmpty == true)
    }

    @Test("A reference that cannot be resolved is an error that names the element")
    func unresolved() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let device = #""device":{"identifier":{"value":"T-1"}},"#
        let wrong: [(String, String)] = [
            (device + ##""subject":{"reference":"#p1"},"##, "subject.reference"),
            (device + #""subject":{"reference":"urn:uuid:9"},"#, "subject.reference"),
            (device + #""subject":{"reference":"http://x.example/fhir/Patient/1"},"#, "subject.reference"),
            (device + #""subject":{"reference":"Patient/abc"},"#, "subject.reference"),
            (device + #""subject":{"reference":"Patient?name=Anna"},"#, "subject.reference"),
            (device + #""subject":{"reference":"Patient?identifier=urn:mrn|7"},"#, "subject.reference"),
            (device + #""subject":{"identifier":{"system":"urn:mrn","value":"7"}},"#, "subject.identifier"),
            (device + #""subject":{"display":"Anna"},"#, "subject"),
            (device + #""subject":{"reference":"Group/1"},"#, "subject"),
            (##""device":{"reference":"#d"},"##, "device.reference"),
            (#""device":{"reference":"urn:uuid:9"},"#, "device.reference"),
            (#""device":{"reference":"Device?type=1"},"#, "device.reference"),
        ]
        for (members, element) in wrong {
            let answer = try await send(store, [entry(observation(members), "Observation")])
            let response = try #require(responses(answer).first)
            #expect(response["status"]?.string?.hasPrefix("4") == true, "\(members)")
            let issue = response["outcome"]?["issue"]?.elements.first
            let expression = issue?["expression"]?.elements.first?.string
            #expect(expression == "Bundle.entry[0].resource.\(element)", "\(members)")
            let hasNoName = issue?["diagnostics"]?.string?.hasPrefix("the subject has no reference") == true
            #expect(hasNoName == members.contains("display"))
        }
        #expect(try store.devices().isEmpty)
    }

    @Test("Each form of a device is resolved")
    func devices() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let device =
            #"{"resourceType":"Device","id":"d1","serialNumber":"T-1","identifier":[{"system":"s","value":"v"}]}"#
        for (members, other) in [
            (##""contained":[\##(device)],"device":{"reference":"#d1"},"##, nil),
            (#""device":{"reference":"urn:uuid:1"},"#, "urn:uuid:1"),
            (#""device":{"reference":"Device/d1"},"#, "http://x.example/fhir/Device/d1"),
            (#""device":{"reference":"Device?identifier=s|v"},"#, "urn:uuid:1"),
            (#""device":{"reference":"Device?identifier=s|v"},"#, nil),
            (#""device":{"identifier":{"system":"s","value":"v"}},"#, nil),
        ] as [(String, String?)] {
            let reading = entry(observation(members), "Observation")
            let answer = try await send(store, [reading] + (other.map { [entry(device, "Device", url: $0)] } ?? []))
            #expect(responses(answer).allSatisfy { $0["status"]?.string?.hasPrefix("20") == true }, "\(members)")
        }
        #expect(try store.devices().map(\.serial) == ["T-1"])
    }

    @Test("An identifier is a serial number, a System ID or an address if it says so", arguments: StoreKind.all)
    func identifierSystems(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        var known = SubmittedReading()
        (known.device, known.id) = (.init(serial: "7"), "a")
        (known.characteristic, known.hex) = ("2A1C", "006E0100FF")
        _ = try store.store([known], gateway: "g")
        func identifier(_ value: String, system: String? = nil, type: (system: String, code: String)? = nil) -> String {
            let coding = type.map { #""type":{"coding":[{"system":"\#($0.system)","code":"\#($0.code)"}]},"# } ?? ""
            let space = system.map { #""system":"\#($0)","# } ?? ""
            return #"{"identifier":{\#(coding)\#(space)"value":"\#(value)"}}"#
        }
        let phd = "http://terminology.hl7.org/CodeSystem/ContinuaDeviceIdentifiers"
        let v2 = "http://terminology.hl7.org/CodeSystem/v2-0203"
        for (device, gateway) in [
            (identifier("7", system: "urn:a"), "g"), (identifier("7", system: "urn:b"), "h"),
            (identifier("7"), "g"), (identifier("7"), "h"), (#"{"reference":"Device/7"}"#, "g"),
            (#"{"reference":"Device/7"}"#, "h"), (identifier("7", system: "urn:oid:1.2.3.2680"), "g"),
            (identifier("device-7", system: "urn:harald:hub"), "g"),
            (identifier("x", system: "urn:c", type: (phd, "SYSID")), "g"),
            (identifier("77-66-55-44-33-22-11-00", type: (phd, "SYSID")), "g"),
            (identifier("C0-11-22-33-44-55", system: "http://hl7.org/fhir/sid/eui-48/bluetooth"), "g"),
            (identifier("7", system: "urn:d", type: (v2, "SNO")), "g"),
        ] as [(String, String)] {
            let reading = entry(observation(#""device":\#(device),"#), "Observation")
            #expect(try await statuses(send(store, [reading], gateway: gateway)) == ["201"], "\(device)")
        }
        let names = try store.devices().map { $0.serial ?? $0.systemID ?? $0.address ?? $0.identifier }
        #expect(
            names == [
                "7", "urn:a|7", "urn:b|7", "fhir:g|device|7", "fhir:h|device|7", "fhir:g|device|Device/7",
                "fhir:h|device|Device/7", "urn:oid:1.2.3.2680|7", "fhir:g|device|device-7", "urn:c|x",
                "0011223344556677", "C0:11:22:33:44:55",
            ])
    }

    @Test("The name that a hub makes of a serial number is no other identity", arguments: StoreKind.all)
    func nameOfASerialNumber(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        for name in ["device-T-1", "device-T-1-M", "hub-0123456789abcdef-device-T-1", "gateway-g"] {
            let device = """
                {"resourceType":"Device","id":"d","serialNumber":"T-1","modelNumber":"M",
                "identifier":[{"system":"urn:harald:hub","value":"\(name)"}]}
                """
            let members = ##""contained":[\##(device)],"device":{"reference":"#d"},"##
            _ = try await send(store, [entry(observation(members), "Observation")])
            #expect(try store.devices().map(\.identifier) == [nil])
        }
    }

    private static let anna = #"{"resourceType":"Patient","id":"p","identifier":[{"system":"urn:h","value":"anna"}]}"#

    /// The members of Observations, with the identities of their devices.
    private static let identities: [(String, String)] = [
        (##""contained":[\##(anna)],"subject":{"reference":"#p"},"##, "fhir:urn:h|anna"),
        (#""subject":{"reference":"urn:uuid:1"},"#, "fhir:urn:h|anna"),
        (#""subject":{"reference":"Patient/p"},"#, "fhir:urn:h|anna"),
        (#""subject":{"identifier":{"system":"urn:h","value":"anna"}},"#, "fhir:urn:h|anna"),
        (#""subject":{"reference":"Patient?identifier=urn:h|ben"},"#, "fhir:urn:h|ben"),
        (#""subject":{"identifier":{"value":"7"}},"#, "fhir:g|subject|7"),
        (#""subject":{"reference":"Patient/7"},"#, "fhir:g|subject|Patient/7"),
        (#""subject":{"reference":"Patient/7/_history/2"},"#, "fhir:g|subject|Patient/7"),
        (#""subject":{"reference":"http://x.example/Patient/7"},"#, "fhir:g|subject|http://x.example/Patient/7"),
        (#""subject":{"display":"Ben"},"#, "fhir:g|subject|Ben"),
        (
            ##""contained":[{"resourceType":"Patient","id":"p","name":[{"given":["B","C"],"family":"D"}],"##
                + ##""birthDate":"1959-01-02"}],"subject":{"reference":"#p"},"##,
            "fhir:g|subject|B C D 1959-01-02"
        ),
        (##""contained":[{"resourceType":"Patient","id":"p"}],"subject":{"reference":"#p"},"##, "fhir:g"),
        (#""subject":{"reference":"urn:uuid:2"},"#, "fhir:g"), ("", "fhir:g"),
        (##""contained":[{"resourceType":"Device","id":"d"}],"device":{"reference":"#d"},"##, "fhir:g"),
        (#""device":{"display":"Thermometer"},"#, "fhir:g"),
        (
            ##""contained":[{"resourceType":"Device","id":"d"}],"device":{"reference":"#d"},"##
                + #""subject":{"reference":"urn:uuid:1"},"#, "fhir:urn:h|anna"
        ),
    ]

    @Test("Without a device, the subject or the sender identifies the readings", arguments: identities)
    func withoutDevice(members: String, identity: String) throws {
        let patients = [
            entry(Self.anna, "Patient", url: "urn:uuid:1"),
            entry(#"{"resourceType":"Patient"}"#, "Patient", url: "urn:uuid:2"),
        ]
        let entries = try patients.map { try JSONValue(parsing: Array($0.utf8)) }
        let input = FHIRInput(entries: entries, gateway: "g", maySayPerson: false)
        let reading = try input.reading(
            JSONValue(parsing: Array(observation(members).utf8)), at: "Observation", condition: nil)
        #expect(reading?.device?.id == identity)
    }

    @Test("Readings of two subjects, and of two senders, are not mixed", arguments: StoreKind.all)
    func subjectsWithoutDevice(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        func patient(_ name: String) -> String {
            ##""contained":[\##(Self.anna.replacing("anna", with: name))],"subject":{"reference":"#p"},"##
        }
        func send(_ members: String, gateway: String = "g") async throws -> [Substring] {
            let entries = [entry(observation(members), "Observation")]
            return try await statuses(self.send(store, entries, gateway: gateway, maySayPerson: false))
        }
        // Two senders name the same identifier.
        #expect(try await send(patient("anna")) == ["201"])
        #expect(try await send(patient("anna"), gateway: "h") == ["200"])
        #expect(try await send(patient("ben")) == ["201"])
        for gateway in ["g", "h"] {
            #expect(try await send(#""subject":{"reference":"Patient/7"},"#, gateway: gateway) == ["201"])
            #expect(try await send(#""subject":{"reference":"Patient/8"},"#, gateway: gateway) == ["201"])
            #expect(try await send("", gateway: gateway) == ["201"])
        }
        #expect(try store.devices().count == 8)
        // The subject of a gateway is part of the identity, and has to be resolved.
        for reference in ["#q", "urn:uuid:9"] {
            #expect(try await send(#""subject":{"reference":"\#(reference)"},"#) == ["400"])
        }
    }

    @Test("An Observation that is sent again in another Bundle is recognized", arguments: StoreKind.all)
    func otherBundle(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let person = try store.addPerson(name: "Anna", born: "1961-04-30")
        func send(_ url: String) async throws -> [Substring] {
            let members = #""identifier":[{"system":"urn:t","value":"a"}],"subject":{"reference":"\#(url)"},"#
            let entries = [entry(Self.anna, "Patient", url: url), entry(observation(members), "Observation")]
            return try await statuses(
                self.send(store, entries, type: "transaction", maySayPerson: false))
        }
        #expect(try await send("urn:uuid:1") == ["200", "201"])
        #expect(try await send("urn:uuid:2") == ["200", "200"])
        #expect(try store.assign("fhir:urn:h|anna", to: person.id) == 1)
        #expect(try store.deletePerson(person.id).readings == 1)
        #expect(try await send("urn:uuid:3") == ["200", "200"])
        #expect(try store.unassignedReadings().total == 0)
        #expect(try store.devices().map(\.identifier) == [nil])
    }

    @Test("A Patient or Device without an Observation has a status of its own", arguments: StoreKind.all)
    func single(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        func patient(_ name: String) -> String {
            entry(
                #"{"resourceType":"Patient","identifier":[{"system":"urn:harald:hub","value":"\#(name)"}]}"#, "Patient")
        }
        let unknown = entry(#"{"resourceType":"Patient","name":[{"text":"Ben"}]}"#, "Patient")
        let device = entry(#"{"resourceType":"Device","serialNumber":"T-1"}"#, "Device")
        let known = patient("person-\(anna.identity ?? "")")
        let reading = entry(observation(#""device":{"identifier":{"value":"T-1"}},"#), "Observation")
        #expect(try await statuses(send(store, [unknown])) == ["422"])
        #expect(
            try await statuses(send(store, [known, patient("person-1"), device, reading]))
                == ["200", "422", "422", "201"])
        let answer = try await send(store, [known])
        #expect(responses(answer).first?["location"]?.string == "Patient/1")
        #expect(answer.status == 200 && answer.resource["type"]?.string == "batch-response")
        // A gateway does not learn which people the hub has.
        #expect(try await statuses(send(store, [known, unknown], maySayPerson: false)) == ["422", "422"])
        let refused = try await send(store, [unknown], type: "transaction")
        #expect(refused.status == 400 && refused.resource["resourceType"]?.string == "OperationOutcome")
        #expect(try await send(store, [known], type: "transaction").status == 200)
    }

    @Test("References and resources are found by each other, however many there are", .timeLimit(.minutes(2)))
    func manyReferences() throws {
        func device(_ number: Int) -> JSONValue {
            let identifiers: [JSONValue] = (0..<20).map {
                ["system": "a", "value": .string("\(number)-\($0)")]
            }
            return ["resource": ["resourceType": "Device", "identifier": .array(identifiers)]]
        }
        let devices = (0..<499).map(device)
        // Half of the devices have a reference, with the system and without.
        let references: [JSONValue] = (0..<95_000).map { number in
            let search = number < 250 ? "a|\(number)-19" : number < 260 ? "\(number)-3" : "a|other-\(number)"
            return ["reference": .string("Device?identifier=\(search)")]
        }
        let panel: JSONValue = ["resource": ["resourceType": "Observation", "performer": .array(references)]]
        let input = FHIRInput(entries: devices + [panel], gateway: "g", maySayPerson: false)
        #expect(devices.map(input.isReferenced) == (0..<499).map { $0 < 260 })
        // The reference to each device is resolved.
        for number in 0..<499 {
            let text = observation(#""device":{"reference":"Device?identifier=a|\#(number)-7"},"#)
            let reading = try input.reading(JSONValue(parsing: Array(text.utf8)), at: "", condition: nil)
            #expect(reading?.device?.id == "a|\(number)-0")
        }
    }

    private func statuses(_ answer: FHIRAnswer) -> [Substring] {
        responses(answer).map { $0["status"]?.string?.prefix(3) ?? "" }
    }

    @Test("An export of 2,500 readings is imported again", arguments: StoreKind.all)
    func roundTrip(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("T-1", to: anna.id)
        let start = Date(timeIntervalSinceNow: -86400)
        let readings = (0..<2500).map { number in
            var reading = SubmittedReading()
            reading.device = .init(serial: "T-1", name: String(repeating: "é", count: 100))
            reading.id = "\(number)"
            reading.time = start.addingTimeInterval(Double(number)).formatted(.iso8601)
            // A context has no code in FHIR.
            (reading.characteristic, reading.hex) = number == 7 ? ("2A34", "02070001") : ("2A1C", "004C0E00FE")
            return reading
        }
        for part in [readings[..<1000], readings[1000..<2000], readings[2000...]] {
            _ = try store.store(Array(part), gateway: "kitchen")
        }
        let file = temporary.directory.appending(path: "export.ndjson").path
        #expect(try store.export(to: file, format: .fhir, person: nil).written == 2499)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 3)
        let other = try TemporaryStore(kind)
        for status in ["201 Created", "200 OK"] {
            var count = 0
            for line in lines {
                #expect(line.utf8.count <= 4 << 20)
                let answer = try await other.store.storeFHIR(Array(line.utf8), gateway: "g", maySayPerson: true)
                #expect(answer.status == 200)
                count += responses(answer).count { $0["status"]?.string == status && $0["outcome"] != nil }
            }
            #expect(count == 2499)
        }
        #expect(
            try await other.store.database.read { try $0.value("SELECT count(*) FROM reading", []) as Int? } == 2499)
        #expect(try other.store.devices().count == 1)
    }

    @Test("The Bundles of an export are limited by their size")
    func size() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let readings = (0..<60).map { number in
            var reading = SubmittedReading()
            reading.device = .init(serial: "T-\(number)")
            (reading.id, reading.gateway) = ("\(number)", "g\(number)")
            (reading.characteristic, reading.hex) = ("2A1C", "004C0E00FE")
            return reading
        }
        _ = try store.store(readings, gateway: "kitchen")
        var export = FHIRExport(largestText: 20_000)
        var lines: [String] = []
        try store.database.read { db in
            try db.forEachRow(StoredReading.sql + " ORDER BY reading.id", []) { row in
                if let line = export.add(StoredReading(row), person: nil, judgement: nil) { lines.append(line) }
            }
        }
        lines.append(export.end())
        #expect(lines.count > 3 && lines.allSatisfy { $0.utf8.count <= 20_000 + 100 })
        let observations = lines.reduce(0) { $0 + $1.matches(of: /"resourceType":"Observation"/).count }
        #expect(observations == 60)
    }
}
