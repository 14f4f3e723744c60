import Foundation
import HealthHub
import Testing

@testable import HaraldCommand

/// The people of `harald hub --demo`.
@Suite struct HubDemoTests {
    private let zone = TimeZone(identifier: "Europe/Zurich") ?? .gmt

    @Test("The same time gives the same readings, in mornings and evenings, and none in the future")
    func history() {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let readings = DemoHistory(now: now, zone: zone).readings
        #expect(readings == DemoHistory(now: now, zone: zone).readings)
        let own = readings.filter { $0.device?.serial == "HS0001" }
        #expect((30...45).contains(own.count) && Set(readings.compactMap { $0.device?.serial }).count == 8)
        #expect(readings.allSatisfy { $0.simulated == true && $0.time ?? "" < now.formatted(.iso8601) })
        let hours = readings.filter { $0.device?.serial == "BP0002" }.compactMap { $0.time?.dropFirst(11).prefix(2) }
        #expect(Set(hours).isSubset(of: ["18", "19", "20"]), "the evening of the zone: \(Set(hours))")
    }

    @Test("One urgent value is open, one was seen, one person is overdue, and no reading waits")
    func people() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "d\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try HubStore(path: directory.appending(path: "hub.sqlite").path, assessor: Assessor())
        try HubDemo.fill(store, now: Date(), zone: zone)
        let states = try store.people().map { try #require(try store.state(of: $0.id)) }
        #expect(states.count == 5 && states.allSatisfy { $0.waiting.isEmpty && !$0.latest.isEmpty })
        let urgent = states.map { $0.notices.filter(\.urgent) }
        #expect(urgent.map(\.count) == [1, 0, 0, 0, 1])
        #expect(urgent[0].first?.acknowledged != nil && urgent[4].first?.acknowledged == nil)
        #expect(states.map { $0.overdue.map(\.kind) } == [[], [], [], ["bloodPressure"], []])
        #expect(states[0].targets.count == 1 && states[1].continuousGlucose?.timeInRanges != nil)
        try store.close()
    }
}
