import Foundation
import JSON
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("Lists of readings", .timeLimit(.minutes(5)), .blocksThread)
struct ListTests {
    /// A body temperature, an hour after the one before the last: two readings have the same time.
    private func temperature(_ number: Int) -> SubmittedReading {
        var reading = SubmittedReading()
        (reading.id, reading.device, reading.characteristic) = ("t\(number)", .init(serial: "T-1"), "2A1C")
        (reading.hex, reading.time) = ("006E0100FF", "2026-11-20T\(10 + number / 2):00:00Z")
        return reading
    }

    @Test("A list is read in parts, none of which repeats or omits a reading", arguments: StoreKind.all)
    func parts(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let results = try store.store((0..<25).map(temperature), gateway: "g").results
        #expect(results.allSatisfy { $0.status == .stored })
        func check(_ part: (ReadingPlace?) throws -> ReadingPage) throws {
            var (ids, sizes, place): ([Int], [Int], ReadingPlace?) = ([], [], nil)
            repeat {
                let page = try part(place)
                #expect(page.total == 25)
                ids += page.readings.compactMap { Int($0.id) }
                sizes.append(page.readings.count)
                place = try page.next.map { try #require(ReadingPlace($0.text)) }
            } while place != nil && sizes.count < 9
            #expect(sizes == [10, 10, 5])
            #expect(ids == Array((1...25).reversed()))
        }
        try check { try store.unassignedReadings(before: $0, limit: 10) }
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("T-1", to: anna.id)
        for kind in [nil, MeasurementKind.temperature] {
            try check {
                try #require(try store.readings(of: anna.id, kind: kind, since: .distantPast, before: $0, limit: 10))
            }
        }
        #expect(try store.readings(of: anna.id, kind: .weight, since: .distantPast)?.total == 0)
        #expect(try store.readings(of: anna.id, kind: nil, since: .distantPast, limit: 25)?.next == nil)
    }

    @Test("Devices have their assignments", arguments: StoreKind.all)
    func assignments(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        _ = try store.store([temperature(0)], gateway: "g")
        #expect(try store.devices().map(\.assignments) == [[]])
        let (anna, ben) = (
            try store.addPerson(name: "Anna", born: "1961-04-30"), try store.addPerson(name: "Ben", born: "1970-01-01")
        )
        _ = try store.assign("T-1", to: anna.id)
        _ = try store.assign("T-1", to: ben.id, user: 2)
        _ = try store.assign("BP-1", to: ben.id)
        let expected = [
            [DeviceAssignment(user: nil, person: "\(anna.id)"), DeviceAssignment(user: 2, person: "\(ben.id)")],
            [DeviceAssignment(user: nil, person: "\(ben.id)")],
        ]
        #expect(try store.devices().map(\.assignments) == expected)
    }

    @Test("Means have the number of their values, and a context of a glucose measurement is marked")
    func marks() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        func weight(_ id: String, _ fields: String) throws -> SubmittedReading {
            var reading = SubmittedReading()
            (reading.id, reading.device) = (id, .init(serial: "S-1"))
            reading.fields = try JSONValue(parsing: Array(fields.utf8)).members
            return reading
        }
        var context = SubmittedReading()
        (context.device, context.characteristic, context.hex) = (.init(serial: "S-1"), "2A34", "02070001")
        let results = try store.store(
            [
                try weight("a", #"{"weight":{"value":70,"unit":"kg"},"bmi":22}"#),
                try weight("b", #"{"weight":{"value":71,"unit":"kg"}}"#), context,
            ], gateway: "g"
        ).results
        #expect(results.allSatisfy { $0.status == .stored })
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("S-1", to: anna.id)
        let state = try #require(try store.state(of: anna.id))
        #expect(state.timeZone == TimeZone.current.identifier)
        #expect(state.summaries["weight"]?.periods.first?.counts == ["weight": 2, "bmi": 1])
        #expect(state.latest.map(\.glucoseContext) == [false, true])
        let list = try #require(try store.readings(of: anna.id, kind: nil, since: .distantPast)).readings
        #expect(list.filter(\.glucoseContext).map(\.kind) == ["other"])
    }

    @Test("Other texts are no place", arguments: ["", "1", "1_", "_1", "1_2_3", "a_b", "1_99999999999999999999"])
    func noPlace(_ text: String) { #expect(ReadingPlace(text) == nil) }
}
