import Forwarding
import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("Receivers", .timeLimit(.minutes(5)), .blocksThread)
struct ReceiverTests {
    @Test(
        "The shown address contains no secret",
        arguments: [
            ("https://h.example/a?token=s3cret&room=5", "https://h.example/a?token=***&room=***"),
            ("https://h.example/a?s3cret", "https://h.example/a?***"),
            ("https://h.example/a#s3cret", "https://h.example/a"),
            ("https://h.example/a?t=%73%33cret%2F&b", "https://h.example/a?t=***&***"),
            ("mqtts://anna:s3cret@h.example:8883", "mqtts://h.example:8883"),
            ("http://127.0.0.1:9000/readings", "http://127.0.0.1:9000/readings"),
        ])
    func shown(_ address: String, _ shown: String) { #expect(ReceiverAddress.shown(address) == shown) }

    @Test("A token in an address is masked everywhere, also in errors", arguments: StoreKind.all)
    func masked(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let address = "http://127.0.0.1:9/hook?token=s3cret%2Fvalue"
        let shown = "http://127.0.0.1:9/hook?token=***"
        let add = HubCommand.addReceiver(
            kind: .webhook, url: address, name: nil, options: .init(), isPlain: false)
        var texts = store.perform(add).items.flatMap { [$0.json, $0.text] }
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("T-1", to: anna.id)
        var reading = SubmittedReading()
        (reading.id, reading.device, reading.characteristic) = ("1", .init(serial: "T-1"), "2A1C")
        (reading.hex, reading.time) = ("006E0100FF", "2026-11-20T08:00:00Z")
        _ = try store.store([reading], gateway: "g")
        let receiver = try #require(try store.receivers().first)
        #expect(receiver.url == address)
        let lane = try #require(try await store.claimLanes(of: receiver.id, limit: 1).first)
        try await store.release(lane, pause: 0, error: "cannot post to \(address), token s3cret/value")
        let outbox = try #require(try store.outboxes().first)
        #expect(outbox.name == shown && outbox.url == shown)
        #expect(outbox.lastError == "cannot post to http://127.0.0.1:9/hook?token=***, token ***")
        texts += store.perform(add).problem.map { [$0] } ?? []
        texts += store.perform(.listReceivers).items.flatMap { [$0.json, $0.text] }
        texts += store.perform(.retryReceivers(name: shown)).items.flatMap { [$0.json, $0.text] }
        texts += store.perform(.removeReceiver(name: address)).items.flatMap { [$0.json, $0.text] }
        texts += store.perform(.removeReceiver(name: address)).problem.map { [$0] } ?? []
        texts += store.perform(.listAudit).items.flatMap { [$0.json, $0.text] }
        #expect(texts.count > 10 && texts.allSatisfy { !$0.contains("s3cret") })
        #expect(try store.receivers().isEmpty)
    }

    @Test("A password for a broker requires a user in the address")
    func brokerUser() throws {
        let temporary = try TemporaryStore(.sqlite)
        func add(_ url: String, _ token: String?) throws {
            _ = try temporary.store.addReceiver(
                kind: .mqtt, url: url, name: nil, options: .init(token: token), isPlain: false)
        }
        let problem = #expect(throws: HubProblem.self) { try add("mqtts://h.example", "secret") }
        #expect(problem?.description.contains("the address needs a user: mqtts://USER@HOST") == true)
        try add("mqtts://anna@h.example", "secret")
        try add("mqtts://other.example", nil)
        for url in ["mqtt://127.0.0.1:99999999999", "mqtt://127.0.0.1:0", "mqtt://127.example.org"] {
            #expect(throws: HubProblem.self, "\(url)") { try add(url, nil) }
        }
    }

    @Test("The answer to the removal of a broker names what it may retain", arguments: StoreKind.all)
    func removalOfABroker(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        _ = try await forwardReading(store, to: .mqtt)
        let form = MQTTForm(try #require(try store.receivers().first))
        let item = try #require(store.perform(.removeReceiver(name: try store.outboxes()[0].name)).items.first)
        for topic in [form.discovery(1), form.availability] {
            #expect(item.text.contains("mosquitto_pub -h HOST -r -n -t \(topic)") && item.json.contains(topic))
        }
    }

    @Test("A reading of another characteristic has no component in Home Assistant", arguments: StoreKind.all)
    func components(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try await forwardReading(store, to: .mqtt)
        var room = SubmittedReading()
        (room.id, room.device, room.characteristic) = ("2", .init(serial: "T-1"), "2A6E")
        room.fields = ["temperature": .object(["value": .string("21.5"), "unit": .string("°C")])]
        #expect(try store.store([room], gateway: "g").results.map(\.status) == [.stored])
        let form = MQTTForm(try #require(try store.receivers().first))
        var components: [String: MQTTForm.Component] = [:]
        let messages = try await store.lastMessages(of: try #require(try store.person(people[0])))
        for reading in messages.compactMap(\.reading) { form.add(reading, of: people[0], to: &components) }
        #expect(
            messages.count == 2
                && Set(components.keys) == ["temperature_temperature", "temperature_judgement", "temperature_urgent"])
    }

    @Test("The error of a deleted person's message is not stored", arguments: StoreKind.all)
    func errorAfterDeletion(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try await forwardReading(store, delivers: false)
        let lane = try await claimLane(of: people[0], store)
        _ = try store.deletePerson(people[0])
        try await store.release(lane, pause: 1, error: "cannot store the reading of Anna")
        #expect(try store.outboxes()[0].lastError == nil)
    }

    @Test("A parked message renews the lease", arguments: StoreKind.all)
    func leaseAfterParking(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        _ = try await forwardReading(store, delivers: false)
        let receiver = try #require(try store.receivers().first)
        let early = HubStore.now - HubStore.leaseTime
        let lane = try #require(try await store.claimLanes(of: receiver.id, limit: 1, now: early).first)
        let message = try #require(try await store.firstMessage(of: lane))
        try await store.park(message, lane, error: "refused")
        #expect(try await store.claimLanes(of: receiver.id, limit: 1).isEmpty)
    }

    @Test("The deletion of a person reads only the lanes of the people concerned")
    func planOfADeletion() throws {
        let temporary = try TemporaryStore(.sqlite)
        try temporary.store.database.read { db in
            func plan(_ sql: String) throws -> [String] {
                try db.rows("EXPLAIN QUERY PLAN " + sql, [1]).map { $0["detail"] }
            }
            for sql in [HubStore.formerForwarding, HubStore.personalMessages] {
                let index = "outbox_by_lane (receiver_id=? AND parked=? AND person_id=?)"
                let steps = try plan(sql)
                #expect(steps.contains { $0.hasPrefix("SEARCH") && $0.hasSuffix(index) }, "\(steps)")
            }
            let steps = try plan(HubStore.formerForwarding).filter { $0.contains("forwarded") }
            #expect(
                steps.count == 3 && steps.allSatisfy { $0.hasSuffix("(receiver_id=? AND reading_id=?)") }, "\(steps)")
        }
    }

    @Test("A retraction stays queued when the new person is deleted, beside other messages", arguments: StoreKind.all)
    func retractionInABacklog(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try await forwardReading(store)
        _ = try store.assign("T-1", to: people[1])
        _ = try store.deletePerson(people[1])
        let rest: [Int64] = try await store.database.read { try $0.values("SELECT person_id FROM forwarded", []) }
        #expect(rest == [people[0]])
        #expect(try await deliver(store, of: people[0]) == [true])
    }

    // MARK: Refused retractions

    /// Delivers the messages that are due, except that retractions are refused if `refuses` is true.
    /// - Returns: for each delivered message of the person, true if it is a retraction.
    private func deliver(_ store: HubStore, of person: Int64, refuses: Bool = false) async throws -> [Bool] {
        let receiver = try #require(try store.receivers().first)
        var delivered: [Bool] = []
        for lane in try await store.claimLanes(of: receiver.id, limit: 10) {
            while let message = try await store.firstMessage(of: lane) {
                if refuses, message.isRetraction {
                    try await store.park(message, lane, error: "refused")
                } else {
                    try await store.delivered(message, lane)
                    if lane.person == person { delivered.append(message.isRetraction) }
                }
            }
        }
        return delivered
    }

    /// Adds two people and a receiver, which has a reading of the first person.
    /// - Returns: the identifiers of the people.
    private func forwardReading(
        _ store: HubStore, to kind: Receiver.Kind = .webhook, delivers: Bool = true
    ) async throws -> [Int64] {
        let people = try ["Anna", "Ben"].map { try store.addPerson(name: $0, born: "1961-04-30").id }
        _ = try store.addReceiver(
            kind: kind, url: "\(kind == .mqtt ? "mqtt" : "http")://127.0.0.1:9/", name: nil, options: .init(),
            isPlain: false)
        _ = try store.assign("T-1", to: people[0])
        var reading = SubmittedReading()
        (reading.id, reading.device, reading.characteristic) = ("1", .init(serial: "T-1"), "2A1C")
        (reading.hex, reading.time) = ("006E0100FF", "2026-11-20T08:00:00Z")
        _ = try store.store([reading], gateway: "g")
        if delivers { #expect(try await deliver(store, of: people[0]) == [false]) }
        return people
    }

    /// Claims the lane of a person at the only receiver.
    private func claimLane(of person: Int64, _ store: HubStore) async throws -> Lane {
        let receiver = try #require(try store.receivers().first)
        let lanes = try await store.claimLanes(of: receiver.id, limit: 10)
        return try #require(lanes.first { $0.person == person })
    }

    @Test("Readings of a device that is unassigned are retracted, and restored with it", arguments: StoreKind.all)
    func unassignment(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try await forwardReading(store)
        #expect(try store.unassign("T-1").readings == 1)
        #expect(try await deliver(store, of: people[0]) == [true])
        let rest = try store.unassignedReadings()
        #expect(rest.total == 1)
        // An unassigned device has nothing to retract.
        #expect(throws: HubProblem.self) { try store.unassign("T-1") }
        #expect(try await deliver(store, of: people[0]) == [])
        #expect(try store.assign("T-1", to: people[1]) == 1)
        #expect(try await deliver(store, of: people[1]) == [false])
        #expect(try store.unassign("T-1").person == people[1])
        #expect(try store.assign("T-1", to: people[0]) == 1)
        let lane = try await claimLane(of: people[0], store)
        let message = try #require(try await store.firstMessage(of: lane))
        #expect(message.isRestoration && !message.isRetraction)
    }

    @Test("A refused retraction is not sent if the reading has returned to its person", arguments: StoreKind.all)
    func refusedRetraction(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try await forwardReading(store)
        _ = try store.assign("T-1", to: people[1])
        #expect(try await deliver(store, of: people[0], refuses: true) == [])
        #expect(try store.outboxes()[0].parked == 1)
        // The receiver still has the reading.
        _ = try store.assign("T-1", to: people[0])
        #expect(try store.retryForwarding(nil) == 0)
        #expect(try await deliver(store, of: people[0]) == [])
        _ = try store.assign("T-1", to: people[1])
        #expect(try await deliver(store, of: people[0]) == [true])
        _ = try store.assign("T-1", to: people[0])
        #expect(try await deliver(store, of: people[0]) == [false])
        #expect(try store.outboxes()[0].parked == 0)
    }

    @Test("A retraction that may have been carried out before it was refused is revoked", arguments: StoreKind.all)
    func carriedOutRetraction(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try await forwardReading(store)
        _ = try store.assign("T-1", to: people[1])
        // The response to the first attempt was an error.
        let first = try await claimLane(of: people[0], store)
        #expect(try await store.firstMessage(of: first)?.isRetraction == true)
        try await store.release(first, pause: 0, error: "500")
        #expect(try store.retryForwarding(nil) == 0)
        let second = try await claimLane(of: people[0], store)
        let retraction = try #require(try await store.firstMessage(of: second))
        try await store.park(retraction, second, error: "refused")
        try await store.release(second, pause: 0, error: nil)
        _ = try store.assign("T-1", to: people[0])
        let third = try await claimLane(of: people[0], store)
        let message = try #require(try await store.firstMessage(of: third))
        #expect(message.isRestoration && !message.isRetraction)
        #expect(try store.outboxes()[0].parked == 0)
    }

    @Test(
        "A retraction that is refused after the reading has returned to its person is not sent again",
        arguments: StoreKind.all)
    func retractionRefusedLater(_ kind: StoreKind) async throws {
        for returns in [false, true] {
            let temporary = try TemporaryStore(kind)
            let store = temporary.store
            let people = try await forwardReading(store)
            _ = try store.assign("T-1", to: people[1])
            let lane = try await claimLane(of: people[0], store)
            let retraction = try #require(try await store.firstMessage(of: lane))
            _ = try store.assign("T-1", to: people[0])
            try await store.park(retraction, lane, error: "refused")
            let restoration = try #require(try await store.firstMessage(of: lane))
            #expect(retraction.isRetraction && !restoration.isRetraction && restoration.isRestoration)
            try await store.delivered(restoration, lane)
            #expect(try await store.firstMessage(of: lane) == nil)
            if returns {
                // The receiver has the reading: its retraction is sent once.
                _ = try store.assign("T-1", to: people[1])
                #expect(try store.retryForwarding(nil) == 0)
                #expect(try await deliver(store, of: people[0]) == [true])
            } else {
                #expect(try store.retryForwarding(nil) == 0)
                #expect(try await deliver(store, of: people[0]) == [])
            }
        }
    }

    @Test("A reading that is refused after its retraction was queued is not sent again", arguments: StoreKind.all)
    func refusedBeforeItsRetraction(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try await forwardReading(store, delivers: false)
        _ = try store.assign("T-1", to: people[1])
        let lane = try await claimLane(of: people[0], store)
        let reading = try #require(try await store.firstMessage(of: lane))
        try await store.park(reading, lane, error: "refused")
        let retraction = try #require(try await store.firstMessage(of: lane))
        #expect(!reading.isRetraction && retraction.isRetraction)
        try await store.delivered(retraction, lane)
        #expect(try store.retryForwarding(nil) == 0)
        #expect(try await deliver(store, of: people[0]) == [])
    }

    @Test(
        "A refused reading is retracted if an earlier attempt may have succeeded", arguments: StoreKind.all,
        [false, true])
    func refusedAfterAnUnknownOutcome(_ kind: StoreKind, isUnknown: Bool) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try await forwardReading(store, delivers: false)
        let lane = try await claimLane(of: people[0], store)
        let reading = try #require(try await store.firstMessage(of: lane))
        // The receiver stored the reading, and its response was lost: it refuses the same message as known.
        if isUnknown { _ = try await store.firstMessage(of: lane) }
        try await store.park(reading, lane, error: "refused")
        try await store.release(lane, pause: 0, error: nil)
        _ = try store.assign("T-1", to: people[1])
        #expect(try await deliver(store, of: people[0]) == (isUnknown ? [true] : []))
    }

    @Test("A retraction is sent although it and the restoration were refused before", arguments: StoreKind.all)
    func bothRefused(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try await forwardReading(store)
        _ = try store.assign("T-1", to: people[1])
        _ = try store.assign("T-1", to: people[0])
        let lane = try await claimLane(of: people[0], store)
        while let message = try await store.firstMessage(of: lane) {
            try await store.park(message, lane, error: "refused")
        }
        #expect(try store.outboxes()[0].parked == 2)
        _ = try store.assign("T-1", to: people[1])
        #expect(try store.retryForwarding(nil) == 1)
        #expect(try await deliver(store, of: people[0]) == [true])
    }

    @Test(
        "A reading that is deleted with its present person is retracted from its former person",
        arguments: StoreKind.all, [.fhir, .webhook] as [Receiver.Kind])
    func retractionOfADeletedReading(_ kind: StoreKind, _ receiver: Receiver.Kind) async throws {
        for delivers in [true, false] {
            let temporary = try TemporaryStore(kind)
            let store = temporary.store
            let people = try await forwardReading(store, to: receiver, delivers: delivers)
            _ = try store.assign("T-1", to: people[1])
            _ = try store.deletePerson(people[1])
            let lane = try await claimLane(of: people[0], store)
            let message = try await store.firstMessage(of: lane)
            if receiver == .fhir, !delivers {
                #expect(message == nil)
            } else {
                let message = try #require(message)
                #expect(message.isRetraction && message.reading == nil && message.person?.name == "Anna")
                #expect(message.webhook.text.contains("reading.retracted") && message.values.isEmpty)
                if receiver == .fhir {
                    let requests = message.fhir?["entry"]?.elements.map { $0["request"] } ?? []
                    #expect(requests.map { $0?["method"]?.string } == ["DELETE"])
                    #expect(requests.first??["url"]?.string?.hasPrefix("Observation?identifier=") == true)
                }
                try await store.delivered(message, lane)
                #expect(try await store.firstMessage(of: lane) == nil)
            }
            let rest: Int64? = try await store.database.read { try $0.value("SELECT count(*) FROM forwarded", []) }
            #expect(rest == 0)
        }
    }

    @Test("A name made of an address with a token is masked, and still found")
    func nameWithToken() throws {
        let temporary = try TemporaryStore(.sqlite)
        let store = temporary.store
        let address = "http://127.0.0.1:9/hook?token=s3cret"
        _ = try store.addReceiver(kind: .webhook, url: address, name: address, options: .init(), isPlain: false)
        let shown = try #require(try store.outboxes().first).name
        #expect(shown == "http://127.0.0.1:9/hook?token=***")
        #expect(try store.retryForwarding(shown) == 0)
        _ = try store.removeReceiver(shown)
        #expect(try store.receivers().isEmpty)
    }
}
