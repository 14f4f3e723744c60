import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("The values and answers of FHIR", .blocksThread, .timeLimit(.minutes(5)))
struct FHIRExchangeTests {
    /// An Observation with an identifier and one LOINC code.
    private func observation(_ code: String, _ value: String, _ unit: String, identifier: String = "i1") -> String {
        """
        {"resourceType":"Observation","status":"final","identifier":[{"system":"urn:t","value":"\(identifier)"}],
        "code":{"coding":[{"system":"http://loinc.org","code":"\(code)"}]},
        "device":{"identifier":{"value":"D-1"}},"effectiveDateTime":"2026-11-20T08:00:00Z",
        "valueQuantity":{"value":\(value),"unit":"x","system":"http://unitsofmeasure.org","code":"\(unit)"}}
        """
    }

    /// An Observation of blood pressure with components, each with its value or the reason for its absence.
    private func panel(_ components: [(code: String, value: String)]) -> String {
        let parts = components.map { code, value in
            let element =
                Double(value) == nil
                ? #""dataAbsentReason":{"coding":[{"code":"\#(value)"}]}"#
                : #""valueQuantity":{"value":\#(value),"system":"http://unitsofmeasure.org","code":"mm[Hg]"}"#
            return #"{"code":{"coding":[{"system":"http://loinc.org","code":"\#(code)"}]},\#(element)}"#
        }
        return """
            {"resourceType":"Observation","status":"final",
            "code":{"coding":[{"system":"http://loinc.org","code":"85354-9"}]},
            "device":{"identifier":{"value":"D-1"}},"effectiveDateTime":"2026-11-20T08:00:00Z",
            "component":[\(parts.joined(separator: ","))]}
            """
    }

    private func send(
        _ store: HubStore, _ observations: [String], type: String = "batch", condition: String? = nil
    ) async throws -> FHIRAnswer {
        let search = condition.map { #","ifNoneExist":"\#($0)""# } ?? ""
        let entries = observations.map {
            #"{"resource":\#($0),"request":{"method":"POST","url":"Observation"\#(search)}}"#
        }
        let text = #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#
        return try await store.storeFHIR(Array(text.utf8), gateway: "g", maySayPerson: true)
    }

    /// The status of the first entry, and the text of its outcome.
    private func response(_ answer: FHIRAnswer) -> (status: String?, text: String?) {
        let response = answer.resource["entry"]?.elements.first?["response"]
        return (
            response?["status"]?.string,
            response?["outcome"]?["issue"]?.elements.first?["diagnostics"]?.string
        )
    }

    @Test("A known reading is answered with the judgement of the stored one", arguments: StoreKind.all)
    func knownJudgement(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.changePerson(anna.id) { $0.settings.height = try PersonSettings.height("1.70 m") }
        _ = try await send(store, [observation("29463-7", "86", "kg")])
        let device = try #require(try store.devices().first)
        _ = try store.assign("id:\(device.id)", to: anna.id)
        for value in ["86", "87", "60"] {
            let sent = observation("29463-7", value, "kg")
            let (status, text) = response(try await send(store, [sent], condition: "identifier=urn:t|i1"))
            #expect(status == "200 OK" && text == "86 kg: in the range of overweight, WHO 2000", "\(value)")
        }
        // The octets of a vendor identify a reading, independent of its fields.
        var reading = SubmittedReading()
        reading.device = .init(id: device.identifier)
        reading.time = "2026-11-20T08:00:00Z"
        (reading.characteristic, reading.hex) = ("FFF1", "0102")
        reading.fields = ["spO2": .number(97)]
        let first = try #require(try store.store([reading], gateway: "g").results.first)
        reading.fields = ["spO2": .number(88)]
        let second = try #require(try store.store([reading], gateway: "g").results.first)
        #expect(first.status == .stored && second.status == .known)
        #expect(second.id == first.id && second.judgement == first.judgement && first.judgement?.code == "normal")
    }

    @Test("A reading with one of the two pressures is exported and imported", arguments: StoreKind.all)
    func absentComponent(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        var reading = SubmittedReading()
        reading.device = .init(serial: "BP-1")
        reading.time = "2026-11-20T08:00:00Z"
        reading.fields = ["systolic": .number(120)]
        _ = try store.store([reading], gateway: "g")
        let text = try #require(try store.fhirBundle(of: anna.id)).text
        #expect(text.contains(#"{"coding":[{"code":"unknown","system":"#))
        #expect(try await store.storeFHIR(Array(text.utf8), gateway: "g", maySayPerson: true).status == 200)
        let other = try TemporaryStore(kind)
        #expect(try await other.store.storeFHIR(Array(text.utf8), gateway: "g", maySayPerson: false).status == 200)
        let page = try other.store.unassignedReadings()
        let values = page.readings.first?.values ?? [:]
        #expect(values["systolic"]?.value == 120)
        #expect(values["diastolic"]?.special == "unknown")
    }

    @Test("A reading that does not count does not count in the hub that imports it", arguments: StoreKind.all)
    func reservations(_ kind: StoreKind) async throws {
        let readings: [SubmittedReading] = [
            // Body movement, a questionable measurement, and a strip that was inserted incorrectly.
            try .ofOneDevice("2A35", hex: "10BE00640000000100"), try .ofOneDevice("2A5E", hex: "02500048000040"),
            try .ofOneDevice("2A18", hex: "0A0300EA070B0A08000028B0110800"),
        ]
        let first = try TemporaryStore(kind)
        let second = try TemporaryStore(kind)
        var people: [Int64] = []
        for store in [first.store, second.store] {
            people.append(try store.addPerson(name: "Anna", born: "1961-04-30").id)
            _ = try store.assign("D-1", to: people[people.count - 1])
        }
        #expect(try first.store.store(readings, gateway: "g").results.map(\.status) == [.stored, .stored, .stored])
        let text = try #require(try first.store.fhirBundle(of: people[0])).text
        #expect(try await second.store.storeFHIR(Array(text.utf8), gateway: "g", maySayPerson: false).status == 200)
        let states = try [(first.store, people[0]), (second.store, people[1])].map { store, person in
            try #require(try store.state(of: person))
        }
        #expect(states.map { $0.latest.map(\.counted) } == Array(repeating: [false, false, false], count: 2))
        #expect(states[0].latest.map(\.judgement) == states[1].latest.map(\.judgement))
        #expect(states.allSatisfy { $0.notices.isEmpty })
    }

    @Test("A reading of another characteristic is no vital sign", arguments: StoreKind.all)
    func otherKind(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("D-1", to: anna.id)
        _ = try store.addReceiver(
            kind: .fhir, url: "http://127.0.0.1:9/", name: nil, options: .init(), isPlain: false)
        let values = [
            ("2A6E", #"{"temperature":{"value":"21.5","unit":"°C"}}"#), ("2A98", #"{"weight":70}"#),
            ("2A8E", #"{"height":1.7}"#), ("2A8D", #"{"heartRateMeasurementValue":180}"#),
            ("2A36", #"{"systolic":90}"#),
        ]
        let readings = try values.map { try SubmittedReading.ofOneDevice($0.0, json: $0.1) }
        #expect(try store.store(readings, gateway: "g").results.allSatisfy { $0.status == .stored })
        let file = temporary.directory.appending(path: "export.ndjson").path
        #expect(try store.export(to: file, format: .fhir, person: nil) == ExportCount(written: 0, omitted: 5))
        let bundle = try #require(try store.fhirBundle(of: anna.id))
        #expect(bundle["entry"]?.elements.map { $0["resource"]?["resourceType"]?.string } == ["Patient"])
        let receiver = try #require(try store.receivers().first)
        let lane = try #require(try await store.claimLanes(of: receiver.id, limit: 1).first)
        var message = try #require(try await store.firstMessage(of: lane))
        #expect(message.fhir == nil)
        // An earlier version sent it as a vital sign.
        (message.observation, message.isRetraction) = ("a", true)
        #expect(message.fhir?["entry"]?.elements.map { $0["request"]?["method"]?.string } == ["DELETE"])
    }

    @Test(
        "Observations with elements that change or contradict their meaning are refused",
        arguments: [
            (#""modifierExtension":[{"url":"urn:x","valueBoolean":true}]"#, "modifierExtension"),
            (#""implicitRules":"urn:x""#, "implicitRules"), (#""focus":[{"display":"Ben"}]"#, "focus"),
            (#""component":[{"modifierExtension":[{"url":"urn:x"}]}]"#, "component[0].modifierExtension"),
            (#""dataAbsentReason":{"coding":[{"code":"error"}]}"#, "dataAbsentReason"),
            (#""identifier":"i""#, "identifier"), (#""identifier":[{"value":7}]"#, "identifier"),
            (#""device":{"reference":"Patient/1"}"#, "device"), (#""status":"preliminary""#, "status"),
        ])
    func contradictions(element: String, place: String) async throws {
        let temporary = try TemporaryStore()
        let name = element.prefix { $0 != ":" }
        // The member replaces that of the Observation, if it has one.
        var sent = observation("2339-0", "100", "mg/dL")
        let members = [
            "\"identifier\"": #""identifier":[{"system":"urn:t","value":"i1"}]"#,
            "\"device\"": #""device":{"identifier":{"value":"D-1"}}"#, "\"status\"": #""status":"final""#,
        ]
        if let member = members[String(name)] {
            sent = sent.replacing(member, with: element)
        } else {
            sent = "{" + element + "," + sent.dropFirst()
        }
        let answer = try await send(temporary.store, [sent], type: "transaction")
        #expect(answer.status == 400)
        let issue = answer.resource["issue"]?.elements.first
        #expect(issue?["expression"]?.elements.first?.string == "Bundle.entry[0].resource." + place)
        #expect(try temporary.store.devices().isEmpty)
    }

    @Test("Fractions of a second distinguish Observations without an identifier", arguments: StoreKind.all)
    func fractions(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let sent = panel([(code: "8480-6", value: "120"), (code: "8462-4", value: "80")])
        let times = ["08:00:00.100Z", "08:00:00.900Z", "08:00:00Z", "08:00:00.9Z", "09:00:00.10+01:00"]
        let observations = times.map { sent.replacing("08:00:00Z", with: $0) }
        let answer = try await send(temporary.store, observations)
        let statuses = answer.resource["entry"]?.elements.map { $0["response"]?["status"]?.string?.prefix(3) }
        #expect(statuses == ["201", "201", "201", "200", "200"])
        #expect(try temporary.store.unassignedReadings().total == 3)
    }

    @Test("A component occurs once")
    func repeatedComponent() async throws {
        let temporary = try TemporaryStore()
        let components = [("8480-6", "127"), ("8462-4", "80"), ("8480-6", "190")]
        let answer = try await send(temporary.store, [panel(components.map { (code: $0.0, value: $0.1) })])
        #expect(response(answer).status == "400 Bad Request")
    }

    @Test("A component keeps the reason for the absence of its value, whatever the code")
    func dataAbsentReasons() async throws {
        for (components, status, values) in [
            ([("8480-6", "120"), ("8462-4", "unknown")], "201 Created", ["systolic": "120", "diastolic": ""]),
            ([("8480-6", "120"), ("8462-4", "not-performed")], "201 Created", ["systolic": "120", "diastolic": ""]),
            ([("8480-6", "120"), ("8462-4", "not-a-number")], "201 Created", ["systolic": "120", "diastolic": ""]),
            ([("8480-6", "120")], "400 Bad Request", [:]),
            ([("8480-6", "unknown"), ("8462-4", "unknown")], "201 Created", ["systolic": "", "diastolic": ""]),
        ] as [([(String, String)], String, [String: String])] {
            let temporary = try TemporaryStore()
            let answer = try await send(temporary.store, [panel(components.map { (code: $0.0, value: $0.1) })])
            #expect(response(answer).status == status, "\(components)")
            let stored = try temporary.store.unassignedReadings().readings.first?.values ?? [:]
            #expect(stored.mapValues { $0.value.map { "\($0)" } ?? "" } == values, "\(components)")
        }
    }

    @Test(
        "The reason for the absence of a value is kept",
        arguments: [
            (#"{"coding":[{"code":"not-a-number"}]}"#, "not-a-number"), (#"{"coding":[{"code":"masked"}]}"#, "masked"),
            (#"{"coding":[{"code":"positive-infinity"}]}"#, "positive-infinity"),
            (#"{"coding":[{"code":"negative-infinity"}]}"#, "negative-infinity"),
            (#"{"coding":[{"code":"temp-unknown"}]}"#, "temp-unknown"),
            (#"{"coding":[{"code":"not-performed"}]}"#, "not-performed"),
            (#"{"coding":[{"code":"not-permitted"}]}"#, "not-permitted"),
            (#"{"coding":[{"code":"local"},{"code":"not-asked"}]}"#, "not-asked"),
            (#"{"coding":[{"code":"local"}]}"#, "error"), (#"{"text":"pump broken"}"#, "unknown"),
        ])
    func absentReasons(element: String, code: String) async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        let value = #""valueQuantity":{"value":70,"unit":"x","system":"http://unitsofmeasure.org","code":"kg"}"#
        let sent = observation("29463-7", "70", "kg").replacing(value, with: #""dataAbsentReason":"# + element)
        #expect(response(try await send(store, [sent])).status == "201 Created")
        let device = try #require(try store.devices().first)
        _ = try store.assign("id:\(device.id)", to: anna.id)
        let bundle = try #require(try store.fhirBundle(of: anna.id))
        let reasons = bundle["entry"]?.elements.compactMap { $0["resource"]?["dataAbsentReason"] } ?? []
        #expect(reasons.map { $0["coding"]?.elements.first?["code"]?.string } == [code])
    }

    @Test("The reason of a panel is that of the components that it lacks", arguments: ["masked", "not-a-number"])
    func absentPanel(code: String) async throws {
        for components in [[], [(code: "8480-6", value: "120")]] {
            let temporary = try TemporaryStore()
            let reason = #"{"dataAbsentReason":{"coding":[{"code":"\#(code)"}]},"#
            let sent = reason + panel(components).dropFirst()
            #expect(response(try await send(temporary.store, [sent])).status == "201 Created")
            let values = try #require(try temporary.store.unassignedReadings().readings.first?.values)
            #expect(values["diastolic"]?.special == code)
            #expect(values["systolic"]?.special == (components.isEmpty ? code : nil))
        }
    }

    @Test(
        "The codes of glucose name the sample",
        arguments: [
            ("capillary whole blood", "mg/dL", 160184, "41653-7"), ("capillary plasma", "mg/dL", 160188, "41653-7"),
            ("capillary whole blood", "mmol/L", 160184, "15074-8"), ("capillary plasma", "mmol/L", 160188, nil),
            ("venous whole blood", "mg/dL", 160192, "2339-0"), ("venous plasma", "mg/dL", 160196, nil),
            ("venous plasma", "mmol/L", 160196, nil), ("arterial whole blood", "mmol/L", 160200, "15074-8"),
            ("arterial plasma", "mg/dL", 160204, nil), ("undetermined whole blood", "mg/dL", 160364, "2339-0"),
            ("undetermined plasma", "mg/dL", 160368, nil), ("interstitial fluid", "mg/dL", 160212, nil),
            ("control solution", "mg/dL", 160208, nil),
        ] as [(String, String, Int, String?)])
    func glucose(fluid: String, unit: String, mdc: Int, loinc: String?) throws {
        let code = try #require(FHIRCode.of("glucose", .glucose, unit: unit, fluid: fluid))
        #expect(code.mdc == mdc && code.loinc?.code == loinc)
        #expect(FHIRCode.fluid(code.codings.elements) == fluid)
        if let loinc { #expect(FHIRCode.meaning(system: FHIRCode.loincSystem, code: loinc)?.kind == .glucose) }
    }

    @Test("The fluid of a glucose measurement is imported")
    func fluid() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        for code in ["160196", "160184"] {
            let sent = observation("x", "100", "mg/dL", identifier: code)
                .replacing(
                    #"{"system":"http://loinc.org","code":"x"}"#,
                    with: """
                        {"system":"urn:iso:std:iso:11073:10101","code":"\(code)"},
                        {"system":"http://loinc.org","code":"2339-0"}
                        """)
            #expect(response(try await send(store, [sent])).status == "201 Created")
        }
        let device = try #require(try store.devices().first)
        _ = try store.assign("id:\(device.id)", to: anna.id)
        let text = try #require(try store.fhirBundle(of: anna.id)).text
        for name in ["VENOUS_PLASMA", "CAPILLARY_WHOLEBLOOD"] { #expect(text.contains("MDC_CONC_GLU_\(name)\"")) }
    }

    @Test(
        "A reading stays with the person that its Observation names when its device is assigned",
        arguments: StoreKind.all)
    func assignmentOfANamedReading(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        for name in ["Anna", "Ben", "Carl"] { _ = try store.addPerson(name: name, born: "1961-04-30") }
        func sent(_ identifier: String, _ subject: String) -> String {
            observation("29463-7", "70", "kg", identifier: identifier).replacing(
                #""device""#, with: subject + #""device""#)
        }
        _ = try await send(store, [sent("1", #""subject":{"reference":"Patient/2"},"#), sent("2", "")])
        let device = try #require(try store.devices().first)
        func counts() throws -> [Int?] {
            try (1...3).map { try store.readings(of: $0, kind: nil, since: .distantPast, before: nil)?.total }
        }
        #expect(try store.assign("id:\(device.id)", to: 1) == 1)
        #expect(try counts() == [1, 1, 0])
        #expect(try store.assign("id:\(device.id)", to: 3) == 1)
        #expect(try counts() == [0, 1, 1])
        #expect(try store.assign("id:\(device.id)", to: 3) == 1)
        _ = try store.unassign("id:\(device.id)")
        #expect(try counts() == [0, 1, 0])
    }

    @Test("The site of a temperature is kept on the way through a hub")
    func site() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        let sites = [
            ("8310-5", #""bodySite":{"coding":[{"display":"Toe"}]},"#, "toe"),
            ("8310-5", #""bodySite":{"text":"a fin"},"#, nil), ("8328-7", "", "armpit"), ("8331-1", "", "mouth"),
        ]
        for (number, (code, element, site)) in sites.enumerated() {
            let sent = observation(code, "31", "Cel", identifier: "s\(number)")
                .replacing(#""device""#, with: element + #""subject":{"reference":"Patient/1"},"device""#)
            let answer = try await send(store, [sent])
            #expect(response(answer).status == "201 Created", "\(answer)")
            let isJudged = response(answer).text?.contains("hypothermia, ERC") == true
            #expect(isJudged == !["toe", "armpit"].contains(site ?? ""), "\(code) \(element)")
        }
        let observations = try #require(try store.fhirBundle(of: anna.id))["entry"]?.elements
            .compactMap { $0["resource"] }.filter { $0["resourceType"] == "Observation" }
        let exported = observations?.map { $0["bodySite"]?["text"]?.string }
        #expect(Set(exported ?? []) == Set(sites.map(\.2)))
    }

    @Test("The error of a transaction names each wrong entry", arguments: StoreKind.all)
    func allIssues(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let observations = [
            observation("29463-7", "70", "kg", identifier: "1"), observation("29463-7", "-5", "kg", identifier: "2"),
            observation("29463-7", "300", "K", identifier: "3"),
            observation("29463-7", "70", "kg", identifier: "4")
                .replacing(#""device""#, with: #""subject":{"reference":"Patient/9"},"device""#),
        ]
        let answer = try await send(store, observations, type: "transaction")
        let places = answer.resource["issue"]?.elements.map { $0["expression"]?.elements.first?.string?.prefix(15) }
        #expect(answer.status == 400 && places == ["Bundle.entry[1]", "Bundle.entry[2]", "Bundle.entry[3]"])
        #expect(try store.devices().isEmpty && store.unassignedReadings().total == 0)
    }
}
