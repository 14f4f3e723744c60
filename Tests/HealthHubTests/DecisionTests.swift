import Foundation
import GRDB
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("Decisions about single readings", .blocksThread)
struct DecisionTests {
    private let now = Date(timeIntervalSince1970: 1_795_200_000)

    private func weight(_ kilograms: String, daysAgo: Double, serial: String = "HS-1") -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: serial)
        reading.fields = ["weight": ["value": .string(kilograms), "unit": "kg"]]
        reading.time = now.addingTimeInterval(-daysAgo * 86400).formatted(.iso8601)
        return reading
    }

    private func people(_ store: HubStore) throws -> [Int64] {
        let people = try ["Anna", "Ben"].map { try store.addPerson(name: $0, born: "1961-04-30").id }
        _ = try store.assign("HS-1", to: people[0])
        return people
    }

    @discardableResult
    private func store(_ readings: [SubmittedReading], _ store: HubStore) throws -> [ReadingResult] {
        try store.store(readings, gateway: "g", arrived: now).results
    }

    private func latest(_ person: Int64, _ store: HubStore) throws -> String? {
        try store.state(of: person, now: now)?.latest.first { $0.kind == "weight" }?.text.description
    }

    @Test("An implausible weight waits, and counts in nothing; a gain of days is a sign", arguments: StoreKind.all)
    func waits(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (hub, people) = (temporary.store, try people(temporary.store))
        _ = try hub.addReceiver(kind: .webhook, url: "http://127.0.0.1:9/", name: "w", options: .init(), isPlain: false)
        // In one transaction, and not in the order of time.
        let results = try store(
            [weight("58.0", daysAgo: 0.5), weight("72.1", daysAgo: 3), weight("74.6", daysAgo: 0.2)], hub)
        #expect(results.map(\.status) == [.stored, .stored, .stored])
        guard case .notJudged(let reason)? = results[0].judgement else { Issue.record("judged"); return }
        #expect(reason.contains("14.1 kg less than the last weight"), "\(reason)")
        let state = try #require(try hub.state(of: people[0], now: now))
        #expect(state.waiting.map(\.text) == ["58.0 kg"] && state.waiting.map(\.id) == [results[0].id])
        #expect(state.notices.map(\.code) == ["weight-gain"])
        #expect(state.notices[0].sentence == "Weight: 2.5 kg more within 3 days")
        #expect(try latest(people[0], hub) == "74.6 kg")
        #expect(state.summaries["weight"]?.periods[0].count == 2)
        #expect(try hub.outboxes().map(\.pending) == [3])
        // Sent again it still waits.
        let again = try store([weight("58.0", daysAgo: 0.5)], hub)[0]
        #expect(again.status == .known && again.judgement == results[0].judgement)
        let listed = try #require(try hub.readings(of: people[0], kind: nil, since: .distantPast)?.readings)
        #expect(listed.map(\.waiting) == [false, true, false] && !listed.contains { $0.retracted })
    }

    @Test("The border of a plausible weight grows by a kilogram a week")
    func border() throws {
        let temporary = try TemporaryStore()
        let (hub, people) = (temporary.store, try people(temporary.store))
        try store([weight("70.0", daysAgo: 60)], hub)
        for (value, days, isWaiting) in [("78.1", 39.0, true), ("77.9", 39, false), ("83.1", 38.99, true)] {
            let result = try store([weight(value, daysAgo: days)], hub)[0]
            let ids = try hub.waitingReadings(of: people[0]).map(\.id)
            #expect(ids.contains(result.id ?? "") == isWaiting, "\(value)")
        }
    }

    @Test("Mine, somebody's, excluded, put back; the receivers follow", arguments: StoreKind.all)
    func decides(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (hub, people) = (temporary.store, try people(temporary.store))
        _ = try hub.addReceiver(kind: .webhook, url: "http://127.0.0.1:9/", name: "w", options: .init(), isPlain: false)
        let ids = try store(
            [weight("72", daysAgo: 3), weight("58", daysAgo: 2), weight("59", daysAgo: 1)], hub
        ).map { try #require($0.id.flatMap { Int64($0) }) }
        func messages() throws -> [String] {
            try hub.database.read { db in
                try db.rows("SELECT reading_id, person_id, retraction FROM outbox ORDER BY id").map { row in
                    let index = ids.firstIndex(of: row["reading_id"]) ?? -1
                    return "\(row["retraction"] as Bool ? "-" : "+")\(index) of \(row["person_id"] as Int64)"
                }
            }
        }
        #expect(try messages() == ["+0 of 1", "+1 of 1", "+2 of 1"])
        try hub.decide(.accept, on: [ids[1]])
        // The weight after it is plausible then.
        #expect(try latest(people[0], hub) == "59 kg" && hub.waitingReadings().isEmpty)
        try hub.decide(.move(person: people[1]), on: [ids[2]])
        #expect(try latest(people[1], hub) == "59 kg" && latest(people[0], hub) == "58 kg")
        #expect(try messages().dropFirst(3) == ["+1 of 1", "+2 of 1", "-2 of 1", "+2 of 2"])
        try hub.decide(.exclude(reason: "a guest"), on: [ids[1]], by: "dr")
        #expect(try latest(people[0], hub) == "72 kg")
        let excluded = try #require(
            try hub.readings(of: people[0], kind: nil, since: .distantPast)?.readings.first { $0.excluded })
        #expect(excluded.judgement == .notJudged(reason: "it was excluded: a guest"))
        #expect(
            try hub.auditLog().first
                == AuditEntry(time: hub.auditLog()[0].time, who: "dr", action: "reading excluded \(ids[1])"))
        // Neither a new assignment nor a reading that is sent again changes a decision.
        _ = try hub.assign("HS-1", to: people[0])
        try store([weight("58", daysAgo: 2)], hub)
        #expect(try latest(people[0], hub) == "72 kg" && latest(people[1], hub) == "59 kg")
        try hub.decide(.accept, on: [ids[1]])
        #expect(try latest(people[0], hub) == "58 kg")
        #expect(try messages().suffix(2) == ["-1 of 1", "+1 of 1"])
        try hub.decide(.move(person: nil), on: [ids[1]])
        #expect(try hub.unassignedReadings().total == 1 && latest(people[0], hub) == "72 kg")
    }

    @Test("A decision without effect, or of somebody who may not see the reading, is refused", arguments: StoreKind.all)
    func refusals(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (hub, people) = (temporary.store, try people(temporary.store))
        let results = try store([weight("72", daysAgo: 3), weight("58", daysAgo: 2)], hub)
        let ids = results.compactMap { $0.id.flatMap { Int64($0) } }
        #expect(hub.perform(.decide(.accept, readings: [ids[0]])).code == .conflict)
        #expect(hub.perform(.decide(.accept, readings: [99])).code == .notFound)
        #expect(hub.perform(.decide(.exclude(reason: " "), readings: [ids[0]])).code == .invalid)
        #expect(hub.perform(.decide(.move(person: 9), readings: [ids[0]])).code == .notFound)
        #expect(hub.perform(.decide(.move(person: people[0]), readings: [ids[0]])).code == .conflict)
        // All or none.
        #expect(hub.perform(.decide(.exclude(reason: "x"), readings: [ids[0], 99])).code == .notFound)
        #expect(try latest(people[0], hub) == "72 kg")
        let (own, foreign) = (AccessScope(people: [people[0]]), AccessScope(people: [people[1]]))
        #expect(throws: HubProblem.self) { try hub.decide(.accept, on: [ids[1]], scope: foreign) }
        #expect(throws: HubProblem.self) { try hub.decide(.move(person: people[1]), on: [ids[1]], scope: own) }
        try hub.decide(.accept, on: [ids[1]], scope: own)
        _ = try hub.deletePerson(people[0])
        #expect(try hub.database.read { try !$0.isTrue("SELECT EXISTS(SELECT 1 FROM decision)") })
    }

    @Test("A weight that waits is compared again when the weights before it change", arguments: StoreKind.all)
    func comparesAgain(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (hub, people) = (temporary.store, try people(temporary.store))
        func waiting() throws -> [String] { try hub.waitingReadings(of: people[0]).map(\.text.description) }
        func ids(_ readings: [SubmittedReading]) throws -> [Int64] {
            try store(readings, hub).map { try #require($0.id.flatMap { Int64($0) }) }
        }
        let first = try ids([weight("72", daysAgo: 9), weight("58", daysAgo: 8), weight("59", daysAgo: 7)])
        #expect(try waiting() == ["59 kg", "58 kg"])
        try hub.decide(.move(person: people[1]), on: [first[0]])
        #expect(try waiting().isEmpty && latest(people[0], hub) == "59 kg")
        // Several decisions at once.
        let two = try ids([weight("72", daysAgo: 6), weight("73", daysAgo: 5)])
        try hub.decide(.accept, on: two)
        let next = try ids([weight("60", daysAgo: 4)])
        #expect(try hub.waitingReadings()[0].reason == "13.0 kg less than the last weight")
        try hub.decide(.exclude(reason: "a guest"), on: [two[1]])
        #expect(try hub.waitingReadings()[0].reason == "12.0 kg less than the last weight")
        try hub.decide(.exclude(reason: "a guest"), on: [two[0]])
        #expect(try waiting().isEmpty && latest(people[0], hub) == "60 kg")
        // The weights of a device that belongs to somebody else now.
        try store([weight("91", daysAgo: 3, serial: "HS-2")], hub)
        _ = try hub.assign("HS-2", to: people[0])
        try hub.decide(.accept, on: hub.waitingReadings().compactMap { Int64($0.id) })
        try store([weight("61", daysAgo: 2)], hub)
        #expect(try waiting() == ["61 kg"])
        _ = try hub.assign("HS-2", to: people[1])
        #expect(try waiting().isEmpty && latest(people[0], hub) == "61 kg" && latest(people[1], hub) == "91 kg")
        // An earlier weight arrives late.
        try store([weight("67", daysAgo: 0)], hub)
        #expect(try waiting() == ["67 kg"])
        try store([weight("63", daysAgo: 1)], hub)
        #expect(try waiting().isEmpty && latest(people[0], hub) == "67 kg")
        try hub.decide(.move(person: nil), on: next)
        #expect(try hub.unassignedReadings().total == 1)
    }

    @Test("Weights that an assignment gives to a person wait if they are implausible", arguments: StoreKind.all)
    func assignment(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (hub, people) = (temporary.store, try people(temporary.store))
        try store(
            [
                weight("72", daysAgo: 3, serial: "HS-2"), weight("58", daysAgo: 2, serial: "HS-2"),
                weight("71", daysAgo: 4),
            ],
            hub)
        _ = try hub.assign("HS-2", to: people[0])
        #expect(try hub.waitingReadings().map(\.text) == ["58 kg"])
        #expect(try latest(people[0], hub) == "72 kg")
    }

    @Test("The sender's retraction and a person's exclusion do not undo each other", arguments: StoreKind.all)
    func retraction(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (hub, people) = (temporary.store, try people(temporary.store))
        let id = try #require(try store([weight("72", daysAgo: 3)], hub)[0].id.flatMap { Int64($0) })
        try hub.database.write(.readings) { db in
            let gateway = try #require(try HubStore.gatewayID("g", db))
            _ = try HubStore.noteObservation("o", of: id, from: gateway, isNew: true, isUpdate: false, db)
        }
        func retract() throws {
            try hub.database.write(.readings) { db in _ = try HubStore.retractObservation("o", of: "g", db) }
        }
        try hub.decide(.exclude(reason: "a suitcase"), on: [id])
        try retract()
        // The sender takes the retraction back.
        try hub.database.write(.readings) { db in
            let gateway = try #require(try HubStore.gatewayID("g", db))
            _ = try HubStore.noteObservation("o", of: id, from: gateway, isNew: false, isUpdate: true, db)
        }
        #expect(try hub.readings(of: people[0], kind: nil, since: .distantPast)?.readings.map(\.excluded) == [true])
        try retract()
        #expect(try latest(people[0], hub) == nil)
        try hub.decide(.accept, on: [id])
        #expect(try latest(people[0], hub) == nil)
        #expect(try hub.readings(of: people[0], kind: nil, since: .distantPast)?.readings.map(\.retracted) == [true])
        #expect(hub.perform(.decide(.accept, readings: [id])).code == .conflict)
    }

    @Test("A weight that waits counts when the sender retracts the weight before it", arguments: StoreKind.all)
    func retractionOfTheLastWeight(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (hub, people) = (temporary.store, try people(temporary.store))
        let ids = try store([weight("72", daysAgo: 3), weight("58", daysAgo: 2)], hub)
            .map { try #require($0.id.flatMap { Int64($0) }) }
        try hub.database.write(.readings) { db in
            let gateway = try #require(try HubStore.gatewayID("g", db))
            _ = try HubStore.noteObservation("o", of: ids[0], from: gateway, isNew: true, isUpdate: false, db)
            _ = try HubStore.retractObservation("o", of: "g", db)
        }
        #expect(try hub.waitingReadings().isEmpty && latest(people[0], hub) == "58 kg")
    }

    @Test("An urgent value of a shared device is told at once, if it is theirs", arguments: StoreKind.all)
    func shared(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (hub, people) = (temporary.store, try people(temporary.store))
        _ = try hub.assign("BP-1", to: people[0])
        var reading = SubmittedReading()
        reading.device = .init(serial: "BP-1")
        reading.fields = [
            "systolic": ["value": "190", "unit": "mmHg"], "diastolic": ["value": "125", "unit": "mmHg"],
        ]
        reading.time = now.formatted(.iso8601)
        try store([reading], hub)
        func sentence() throws -> String {
            try #require(try hub.state(of: people[0], now: now)?.notices.first).sentence.description
        }
        #expect(try !sentence().contains("If this is yours"))
        _ = try hub.assign("BP-1", to: people[1], user: 2)
        #expect(try sentence().contains("If this is yours"))
    }

    // MARK: A device without a clock

    private func temperature(_ value: String, at seconds: Double, _ gateway: String) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: "T-1")
        (reading.id, reading.gateway) = ("\(gateway)-\(value)-\(seconds)", gateway)
        reading.fields = ["temperature": ["value": .string(value), "unit": "°C"]]
        reading.time = now.addingTimeInterval(seconds).formatted(.iso8601)
        return reading
    }

    @Test("A reading without a clock that two gateways heard is one", arguments: StoreKind.all, [false, true])
    func twins(_ kind: StoreKind, inOneTransaction: Bool) throws {
        let temporary = try TemporaryStore(kind)
        let (hub, people) = (temporary.store, try people(temporary.store))
        _ = try hub.assign("T-1", to: people[0])
        let readings = [
            temperature("36.6", at: -600, "a"), temperature("36.6", at: -598, "b"), temperature("36.7", at: -599, "b"),
            // The same gateway measured twice, and another one much later.
            temperature("36.6", at: -590, "a"), temperature("36.6", at: -500, "b"),
        ]
        let results =
            try inOneTransaction ? store(readings, hub) : readings.flatMap { try store([$0], hub) }
        #expect(results.map(\.status) == [.stored, .known, .stored, .stored, .stored])
        #expect(results[1].id == results[0].id)
    }
}
