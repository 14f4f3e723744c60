import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

/// Readings with a time on a clock that the hub ignores, and the times of gateways.
@Suite("Ignored clocks and the times of gateways", .blocksThread, .timeLimit(.minutes(5)))
struct IgnoredClockTests {
    private let now = Date(timeIntervalSince1970: 1_795_200_000)

    private func weight(
        clock: String?, id: String? = nil, time: String? = nil, serial: String = "D-1"
    ) throws -> SubmittedReading {
        var reading = try SubmittedReading.ofOneDevice(json: #"{"weight":{"value":"70","unit":"kg"}}"#, time: clock)
        (reading.id, reading.time, reading.device) = (id, time, .init(serial: serial))
        return reading
    }

    private func statuses(
        _ store: HubStore, _ readings: [SubmittedReading], arrived: Date? = nil
    ) throws -> [ReadingResult.Status] {
        try store.store(readings, gateway: "g", arrived: arrived ?? now, zone: .gmt).results.map(\.status)
    }

    @Test(
        "Equal values of a clock that was never set are different readings",
        arguments: ["1999-01-01T00:00:00", "2000-01-01T00:00:00", "2036-01-01T00:00:00"])
    func constantClock(_ clock: String) throws {
        let temporary = try TemporaryStore()
        let readings = try [
            weight(clock: clock, id: "a", time: "2026-11-19T08:00:00Z"),
            weight(clock: clock, id: "b", time: "2026-11-20T08:00:00Z"),
            weight(clock: clock, time: "2026-11-19T08:00:00Z"), weight(clock: clock, time: "2026-11-20T08:00:00Z"),
        ]
        #expect(try statuses(temporary.store, readings) == Array(repeating: .stored, count: 4))
        // The gateway sends its queue again.
        #expect(try statuses(temporary.store, readings) == Array(repeating: .known, count: 4))
        // Nothing else identifies these.
        let alone = try [weight(clock: clock), weight(clock: clock)]
        #expect(try statuses(temporary.store, alone) == [.stored, .known])
    }

    @Test("Equal values of an oximeter whose clock is not set are different readings", arguments: StoreKind.all)
    func flaggedClock(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        // Flags: time stamp, clock not set.
        let readings = try ["a", "b"].map { id in
            var reading = try SubmittedReading.ofOneDevice("2A5E", hex: "1161004800EA070B01080000", time: nil)
            (reading.id, reading.time) = (id, "2026-11-20T08:00:00Z")
            return reading
        }
        #expect(try statuses(temporary.store, readings) == [.stored, .stored])
        #expect(try statuses(temporary.store, readings) == [.known, .known])
        // One that is set identifies the reading.
        let set = try ["a", "b"].map { try weight(clock: "2026-11-01T08:00:00", id: $0) }
        #expect(try statuses(temporary.store, set) == [.stored, .known])
    }

    @Test(
        "A time that is out of range, and a date that does not exist, are ignored",
        arguments: [
            ("2A35", "028E0058006900FFFFFFFFFFFFFF"), ("2A35", "028E0058006900EA070D01080000"),
            ("2A35", "028E0058006900EA070B14180000"), ("2A35", "028E0058006900EA070B1408003C"),
            ("2A18", "060100FFFFFFFFFFFFFF37C011"), ("2A1C", "026C0100FFFFFFFFFFFFFFFF"),
            // 2026-02-31, and 60 minutes before it.
            ("2A18", "1DFFFFEA07021F000000C4FF0000"),
        ])
    func noSuchTime(_ uuid: String, _ hex: String) throws {
        var reading = try SubmittedReading.ofOneDevice(uuid, hex: hex, time: nil)
        (reading.id, reading.time) = ("a", "2026-11-20T08:00:00Z")
        let record = try PreparedReading(reading, arrived: now, zone: .gmt).records[0]
        #expect(record.taken.formatted(.iso8601) == "2026-11-20T08:00:00Z")
    }

    @Test("A blank identifier identifies nothing", arguments: ["", " ", "\n"])
    func blankIdentifier(_ id: String) throws {
        let temporary = try TemporaryStore()
        let readings = try [
            weight(clock: nil, id: id, time: "2026-11-20T08:00:00Z"),
            weight(clock: nil, id: id, time: "2026-11-20T09:00:00Z"), weight(clock: nil, id: id),
        ]
        #expect(try statuses(temporary.store, readings) == [.stored, .stored, .refused])
    }

    @Test("A reading of a clock that is ahead is the same when that time has come", arguments: StoreKind.all)
    func clockAhead(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let readings = try [
            weight(clock: "2026-11-24T08:00:00", id: "a", time: "2026-11-20T08:00:00Z"),
            weight(clock: "2026-11-24T08:00:00", id: "b"),
            weight(clock: "2026-11-24T08:00:00", time: "2026-11-20T09:00:00Z"),
        ]
        #expect(try statuses(temporary.store, readings) == [.stored, .stored, .stored])
        let later = now + 7 * 86400
        #expect(try statuses(temporary.store, readings, arrived: later) == [.known, .known, .known])
    }

    @Test("An export of readings of an ignored clock is the same in another hub", arguments: StoreKind.all)
    func export(_ kind: StoreKind) throws {
        let origin = try TemporaryStore(kind)
        var monitor = try SubmittedReading.ofOneDevice(
            "2AA7", hex: "060064000A0006006E000F00", time: "1999-01-01T00:00:00")
        (monitor.id, monitor.time) = ("c", "2026-11-20T08:00:00Z")
        let sent = try [
            weight(clock: "1999-01-01T00:00:00", id: "a", time: "2026-11-19T08:00:00Z"),
            weight(clock: "1999-01-01T00:00:00", id: "b", time: "2026-11-20T08:00:00Z"), monitor,
        ]
        #expect(try statuses(origin.store, sent) == [.stored, .stored, .stored])
        let other = try TemporaryStore(kind)
        let lines = try readings(of: origin)
        #expect(lines.count == 4)
        for status in [ReadingResult.Status.stored, .known] {
            #expect(try statuses(other.store, lines) == Array(repeating: status, count: 4))
        }
        #expect(try statuses(other.store, Array(sent.prefix(2))) == [.known, .known])
    }

    @Test("A time with more than six decimals is the same in an export", arguments: StoreKind.all)
    func nanoseconds(_ kind: StoreKind) throws {
        let origin = try TemporaryStore(kind)
        let sent = try weight(clock: nil, time: "2026-11-20T11:00:00.123456789Z")
        #expect(try statuses(origin.store, [sent]) == [.stored])
        let lines = try readings(of: origin)
        #expect(lines.map(\.time) == ["2026-11-20T11:00:00.123456Z"] && lines.map(\.identity) == [nil])
        let other = try TemporaryStore(kind)
        #expect(try statuses(other.store, lines) == [.stored])
        #expect(try statuses(other.store, [sent]) == [.known])
    }

    @Test("A reading of a gateway whose clock is ahead is in the state at once", arguments: StoreKind.all)
    func gatewayAhead(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("D-1", to: anna.id)
        let ahead = (now + 200).formatted(.iso8601)
        let readings = try [weight(clock: nil, id: "a", time: ahead), weight(clock: nil, time: ahead)]
        #expect(try statuses(store, readings) == [.stored, .stored])
        let state = try #require(try store.state(of: anna.id, now: now, zone: .gmt))
        #expect(state.latest.map(\.time) == [now.formatted(.iso8601)])
        #expect(state.summaries["weight"]?.periods[0].count == 2)
        // The identity has the time as sent.
        #expect(try statuses(store, readings, arrived: now + 600) == [.known, .known])
    }

    @Test(
        "The fraction and the time zone of a device's time are ignored",
        arguments: [
            "2026-11-20T08:00", "2026-11-20 08:00:00.250", " 2026-11-20T08:00:00Z ", "2026-11-20T08:00:00-08:00",
        ])
    func fraction(_ time: String) throws {
        let record = try PreparedReading(weight(clock: time), arrived: now, zone: .gmt).records[0]
        #expect(record.taken.formatted(.iso8601) == "2026-11-20T08:00:00Z")
    }

    /// Returns the readings of an export as JSON Lines.
    private func readings(of store: borrowing TemporaryStore) throws -> [SubmittedReading] {
        let file = store.directory.appending(path: "export-\(UUID())").path
        _ = try store.store.export(to: file, format: .jsonl, person: nil)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        return try SubmittedReading.batch(Array(#"{"readings":[\#(lines.joined(separator: ","))]}"#.utf8))
    }
}
