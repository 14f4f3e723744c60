import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

/// Retractions that one hub sends to another one as FHIR.
@Suite("Retractions between hubs", .timeLimit(.minutes(5)), .blocksThread)
struct RetractionTests {
    /// Adds Anna and Ben, with a receiver for the readings of the thermometer T-1, which is Anna's.
    private func prepare(_ store: HubStore, _ kind: Receiver.Kind) throws {
        for name in ["Anna", "Ben"] { _ = try store.addPerson(name: name, born: "1961-04-30") }
        _ = try store.assign("T-1", to: 1)
        _ = try store.addReceiver(
            kind: kind, url: "http://127.0.0.1:9/", name: nil, options: .init(), isPlain: false)
    }

    /// Stores 36.6 °C, measured by T-1.
    private func measure(_ store: HubStore) throws {
        var reading = SubmittedReading()
        (reading.id, reading.device, reading.characteristic) = ("1", .init(serial: "T-1"), "2A1C")
        (reading.hex, reading.time) = ("006E0100FF", "2026-11-20T08:00:00Z")
        _ = try store.store([reading], gateway: "g")
    }

    /// Delivers the queued messages of a hub to another one; those for Ben first if `isReversed` is true.
    /// - Returns: the statuses of the responses.
    private func deliver(
        _ sender: HubStore, to receiver: HubStore, as gateway: String = "a", isReversed: Bool = false
    ) async throws -> [Int] {
        var statuses: [Int] = []
        let number = try #require(try sender.receivers().first).id
        let lanes = try await sender.claimLanes(of: number, limit: 10).sorted { $0.person < $1.person }
        for lane in isReversed ? lanes.reversed() : lanes {
            while let message = try await sender.firstMessage(of: lane) {
                let bundle = try #require(message.fhir).text
                let answer = try await receiver.storeFHIR(Array(bundle.utf8), gateway: gateway, maySayPerson: false)
                statuses.append(answer.status)
                if answer.status == 200 {
                    try await sender.delivered(message, lane)
                } else {
                    try await sender.park(message, lane, error: answer.resource.text)
                }
            }
        }
        return statuses
    }

    /// Delivers the queued messages of a hub to a webhook.
    /// - Returns: for each message, true if it is a retraction.
    private func webhooks(_ store: HubStore) async throws -> [Bool] {
        var messages: [Bool] = []
        let number = try #require(try store.receivers().first).id
        for lane in try await store.claimLanes(of: number, limit: 10) {
            while let message = try await store.firstMessage(of: lane) {
                messages.append(message.isRetraction)
                try await store.delivered(message, lane)
            }
        }
        return messages
    }

    private func export(_ store: borrowing TemporaryStore, _ format: ExportFormat) throws -> String {
        let file = store.directory.appending(path: "export-\(UUID())").path
        _ = try store.store.export(to: file, format: format, person: nil)
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    private func latest(_ store: HubStore) throws -> [String] {
        try #require(try store.state(of: 1)).latest.map(\.text.description)
    }

    private func send(_ store: HubStore, _ entry: String, as gateway: String) async throws -> FHIRAnswer {
        let text = #"{"resourceType":"Bundle","type":"batch","entry":[\#(entry)]}"#
        return try await store.storeFHIR(Array(text.utf8), gateway: gateway, maySayPerson: false)
    }

    private func status(_ answer: FHIRAnswer) -> String? {
        answer.resource["entry"]?.elements.first?["response"]?["status"]?.string.map { String($0.prefix(3)) }
    }

    @Test("A reading that its sender retracts does not count, until the sender restores it", arguments: StoreKind.all)
    func retraction(_ kind: StoreKind) async throws {
        let first = try TemporaryStore(kind)
        let second = try TemporaryStore(kind)
        try prepare(first.store, .fhir)
        try prepare(second.store, .webhook)
        try measure(first.store)
        let original = try export(first, .fhir)
        #expect(try await deliver(first.store, to: second.store) == [200])
        #expect(try latest(second.store) == ["36.6 °C"])
        #expect(try await webhooks(second.store) == [false])

        _ = try first.store.unassign("T-1")
        #expect(try await deliver(first.store, to: second.store) == [200])
        #expect(try first.store.outboxes().map(\.parked) == [0])
        #expect(try latest(second.store) == [])
        #expect(try await webhooks(second.store) == [true])
        let page = try #require(try second.store.readings(of: 1, kind: nil, since: .distantPast))
        #expect(page.readings.map(\.retracted) == [true] && page.readings.map(\.counted) == [false])
        #expect(page.readings.first?.judgement == .notJudged(reason: HealthMeasurement.enteredInError))
        #expect(try export(second, .csv).contains(",entered-in-error\r\n"))
        #expect(try export(second, .jsonl).contains(#""retracted":true"#))
        let bundle = try export(second, .fhir)
        #expect(bundle.contains(#""status":"entered-in-error""#))

        // The original does not bring it back, nor does another assignment.
        for _ in 0..<2 {
            let answer = try await second.store.storeFHIR(Array(original.utf8), gateway: "a", maySayPerson: false)
            #expect(answer.status == 200 && answer.resource.text.contains("entered in error"))
        }
        _ = try second.store.assign("T-1", to: 2)
        _ = try second.store.assign("T-1", to: 1)
        #expect(try latest(second.store) == [])
        #expect(try await webhooks(second.store) == [])

        _ = try first.store.assign("T-1", to: 1)
        #expect(try await deliver(first.store, to: second.store) == [200])
        #expect(try latest(second.store) == ["36.6 °C"])
        #expect(try await webhooks(second.store) == [false])
        let values = try await second.store.database.read { try $0.values("SELECT v1 FROM reading", []) as [Double] }
        #expect(values == [36.6])
        let rest = try await second.store.database.read { db in
            try db.value("SELECT count(*) FROM reading WHERE retracted IS NOT NULL", []) as Int?
        }
        #expect(rest == 0)

        // A third hub stores nothing of a reading that is entered in error.
        let third = try TemporaryStore(kind)
        let answer = try await third.store.storeFHIR(Array(bundle.utf8), gateway: "g", maySayPerson: false)
        #expect(answer.status == 200 && answer.results.isEmpty)
        #expect(try third.store.unassignedReadings().total == 0)
    }

    @Test(
        "A reading that its sender gives to another person counts, in whatever order the messages arrive",
        arguments: StoreKind.all, [false, true])
    func reassignment(_ kind: StoreKind, isReversed: Bool) async throws {
        let first = try TemporaryStore(kind)
        let second = try TemporaryStore(kind)
        try prepare(first.store, .fhir)
        try prepare(second.store, .webhook)
        try measure(first.store)
        for person: Int64 in [2, 1, 2] {
            _ = try await deliver(first.store, to: second.store, isReversed: isReversed)
            _ = try first.store.assign("T-1", to: person)
        }
        #expect(try await deliver(first.store, to: second.store, isReversed: isReversed) == [200, 200])
        #expect(try latest(second.store) == ["36.6 °C"])
        _ = try first.store.unassign("T-1")
        #expect(try await deliver(first.store, to: second.store) == [200])
        #expect(try latest(second.store) == [])
        #expect(try second.store.readings(of: 1, kind: nil, since: .distantPast)?.total == 1)
        #expect(try first.store.outboxes().map(\.parked) == [0])
    }

    @Test("Only the gateway that sent a reading retracts it", arguments: StoreKind.all)
    func otherGateway(_ kind: StoreKind) async throws {
        let first = try TemporaryStore(kind)
        let second = try TemporaryStore(kind)
        try prepare(first.store, .fhir)
        try prepare(second.store, .webhook)
        try measure(first.store)
        #expect(try await deliver(first.store, to: second.store) == [200])
        _ = try first.store.unassign("T-1")
        #expect(try await deliver(first.store, to: second.store, as: "b") == [400])
        #expect(try first.store.outboxes()[0].lastError?.contains("another gateway") == true)
        #expect(try latest(second.store) == ["36.6 °C"])
        _ = try first.store.retryForwarding(nil)
        #expect(try await deliver(first.store, to: second.store, as: "a") == [200])
        #expect(try latest(second.store) == [])
    }

    @Test("An Observation without a reading is no error, and a deletion retracts", arguments: StoreKind.all)
    func deletion(_ kind: StoreKind) async throws {
        let first = try TemporaryStore(kind)
        let second = try TemporaryStore(kind)
        try prepare(first.store, .fhir)
        try prepare(second.store, .webhook)
        let unknown = #"{"request":{"method":"DELETE","url":"Observation?identifier=urn:t|x"}}"#
        #expect(status(try await send(second.store, unknown, as: "a")) == "200")
        for url in ["Observation?identifier=x", "Observation?code=1"] {
            let wrong = unknown.replacing("Observation?identifier=urn:t|x", with: url)
            #expect(status(try await send(second.store, wrong, as: "a")) == "412")
        }
        let other = unknown.replacing("Observation?identifier=urn:t|x", with: "Observation/1")
        #expect(status(try await send(second.store, other, as: "a")) == "405")
        try measure(first.store)
        #expect(try await deliver(first.store, to: second.store) == [200])
        // The reading is deleted with Ben, and its Observation for Anna is deleted at the receiver.
        _ = try first.store.assign("T-1", to: 2)
        _ = try first.store.deletePerson(2)
        #expect(try await deliver(first.store, to: second.store) == [200])
        #expect(try latest(second.store) == [])
        _ = try second.store.deletePerson(1)
        let rest = try await second.store.database.read { try $0.value("SELECT count(*) FROM observation", []) as Int? }
        #expect(rest == 0)
    }

    @Test("A reading is retracted and restored in a cycle of hubs", arguments: StoreKind.all)
    func cycle(_ kind: StoreKind) async throws {
        let first = try TemporaryStore(kind)
        let second = try TemporaryStore(kind)
        for store in [first.store, second.store] { try prepare(store, .fhir) }
        func entry(_ method: String, _ url: String, status: String) -> String {
            """
            {"request":{"method":"\(method)","url":"\(url)"},"resource":{"resourceType":"Observation",
            "status":"\(status)","identifier":[{"system":"urn:t","value":"1"}],
            "code":{"coding":[{"system":"http://loinc.org","code":"8310-5"}]},"device":{"identifier":{
            "type":{"coding":[{"code":"SNO"}]},"value":"T-1"}},"effectiveDateTime":"2026-11-20T08:00:00Z",
            "valueQuantity":{"value":36.6,"system":"http://unitsofmeasure.org","code":"Cel"}}}
            """
        }
        let search = "Observation?identifier=urn:t|1"
        for (sent, code, values) in [
            (entry("POST", "Observation", status: "final"), "201", ["36.6 °C"]),
            (entry("PUT", search, status: "entered-in-error"), "200", []),
            (entry("PUT", search, status: "final"), "200", ["36.6 °C"]),
        ] as [(String, String, [String])] {
            #expect(status(try await send(first.store, sent, as: "g")) == code)
            #expect(try await deliver(first.store, to: second.store, as: "a") == [200])
            #expect(try await deliver(second.store, to: first.store, as: "b") == [200])
            #expect(try latest(first.store) == values && latest(second.store) == values)
            #expect(try await deliver(first.store, to: second.store, as: "a") == [])
        }
        #expect(try first.store.outboxes().map(\.parked) == [0] && second.store.outboxes().map(\.parked) == [0])
    }

    @Test("A reading that no Observation brought is retracted in a cycle of hubs", arguments: StoreKind.all)
    func cycleOfAMeasurement(_ kind: StoreKind) async throws {
        let first = try TemporaryStore(kind)
        let second = try TemporaryStore(kind)
        for store in [first.store, second.store] { try prepare(store, .fhir) }
        try measure(first.store)
        for isAssigned in [true, false] {
            if !isAssigned { _ = try first.store.unassign("T-1") }
            #expect(try await deliver(first.store, to: second.store, as: "a") == [200])
            #expect(try await deliver(second.store, to: first.store, as: "b") == [200])
            #expect(try latest(second.store) == (isAssigned ? ["36.6 °C"] : []))
        }
        #expect(try second.store.outboxes().map(\.parked) == [0])
        // The identity of the first hub goes on from the second one.
        let path = try await second.store.database.read { db in
            try db.value("SELECT hubs FROM reading", []) as String?
        }
        let identity = try await first.store.database.read { try $0.value("SELECT identity FROM hub", []) as String? }
        #expect(path != nil && path == identity)
    }

    @Test("A sender whose Observations have passed this hub restores what it has retracted", arguments: StoreKind.all)
    func returnedObservation(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try prepare(store, .webhook)
        let hub = try #require(
            try await store.database.read { try $0.value("SELECT identity FROM hub", []) as String? })
        func put(_ state: String) async throws -> String? {
            let observation = """
                {"resourceType":"Observation","status":"\(state)","identifier":[{"system":"urn:x","value":"1"}],
                "extension":[{"url":"urn:harald:passed","valueString":"\(hub)"}],
                "code":{"coding":[{"system":"http://loinc.org","code":"8310-5"}]},
                "device":{"identifier":{"value":"D-1"}},"effectiveDateTime":"2026-11-20T08:00:00Z",
                "valueQuantity":{"value":36.6,"system":"http://unitsofmeasure.org","code":"Cel"}}
                """
            let request = #""request":{"method":"PUT","url":"Observation?identifier=urn:x|1"}"#
            return try await status(send(store, #"{"resource":\#(observation),\#(request)}"#, as: "a"))
        }
        #expect(try await put("final") == "201")
        let device = try #require(try store.devices().first { $0.identifier != nil })
        _ = try store.assign("id:\(device.id)", to: 1)
        #expect(try latest(store) == ["36.6 °C"])
        #expect(try await put("entered-in-error") == "200")
        #expect(try latest(store).isEmpty)
        #expect(try await put("final") == "200")
        #expect(try latest(store) == ["36.6 °C"])
    }

    @Test("A hub that has a reading only from another sender ignores a retraction of it", arguments: StoreKind.all)
    func otherPath(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try prepare(store, .webhook)
        func entry(_ name: String, _ method: String, _ url: String, status: String) -> String {
            """
            {"request":{"method":"\(method)","url":"\(url)"},"resource":{"resourceType":"Observation",
            "status":"\(status)","identifier":[{"system":"urn:harald:hub","value":"\(name)"},
            {"system":"urn:harald:reading","value":"00112233445566778899AABBCCDDEEFF"}],
            "code":{"coding":[{"system":"http://loinc.org","code":"8310-5"}]},"device":{"identifier":{
            "type":{"coding":[{"code":"SNO"}]},"value":"T-1"}},"effectiveDateTime":"2026-11-20T08:00:00Z",
            "valueQuantity":{"value":36.6,"system":"http://unitsofmeasure.org","code":"Cel"}}}
            """
        }
        let final = entry("from-b", "POST", "Observation", status: "final")
        #expect(status(try await send(store, final, as: "b")) == "201")
        let retraction = entry(
            "from-a", "PUT", "Observation?identifier=urn:harald:hub|from-a", status: "entered-in-error")
        #expect(status(try await send(store, retraction, as: "a")) == "200")
        #expect(try latest(store) == ["36.6 °C"])
        // The one that it has is that of the other sender.
        let other = retraction.replacing("from-a", with: "from-b")
        #expect(status(try await send(store, other, as: "a")) == "403")
    }

    @Test("Each identifier of an Observation names it in a retraction", arguments: StoreKind.all)
    func furtherIdentifier(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try prepare(store, .webhook)
        func entry(_ method: String, _ url: String, status: String = "final") -> String {
            """
            {"request":{"method":"\(method)","url":"\(url)"},"resource":{"resourceType":"Observation",
            "status":"\(status)","identifier":[{"system":"s1","value":"p"},{"system":"s2","value":"q"}],
            "code":{"coding":[{"system":"http://loinc.org","code":"8310-5"}]},"device":{"identifier":{
            "type":{"coding":[{"code":"SNO"}]},"value":"T-1"}},"effectiveDateTime":"2026-11-20T08:00:00Z",
            "valueQuantity":{"value":36.6,"system":"http://unitsofmeasure.org","code":"Cel"}}}
            """
        }
        #expect(status(try await send(store, entry("POST", "Observation"), as: "a")) == "201")
        for search in ["s2|q", "s1|p"] {
            let url = "Observation?identifier=" + search
            let retraction = entry("PUT", url, status: "entered-in-error")
            #expect(status(try await send(store, retraction, as: "b")) == "403")
            #expect(status(try await send(store, retraction, as: "a")) == "200")
            #expect(try latest(store) == [])
            #expect(status(try await send(store, entry("PUT", url), as: "a")) == "200")
            #expect(try latest(store) == ["36.6 °C"])
            let other = entry("PUT", url).replacing("36.6", with: "36.7")
            #expect(status(try await send(store, other, as: "a")) == "409")
        }
        #expect(try store.readings(of: 1, kind: nil, since: .distantPast)?.total == 1)
        #expect(try await webhooks(store).last == false)
    }

    @Test("A retracted reading of an export is refused by another hub")
    func importedRetraction() throws {
        let temporary = try TemporaryStore()
        let json = """
            {"readings": [{"retracted": true, "device": {"serial": "T-1"}, "time": "2026-11-20T08:00:00Z",
            "fields": {"temperature": {"value": 36.6, "unit": "°C"}}}]}
            """
        let readings = try SubmittedReading.batch(Array(json.utf8))
        let result = try #require(try temporary.store.store(readings, gateway: "g").results.first)
        #expect(result.status == .refused && result.problem == "the reading is entered in error")
    }
}
