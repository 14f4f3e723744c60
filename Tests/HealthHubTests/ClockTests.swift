import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("Device clocks and time zones", .blocksThread)
struct ClockTests {
    private let berlin = TimeZone(identifier: "Europe/Berlin")

    /// 2A35: 142/88 mmHg, pulse 72, user 1, at the wall time.
    private func cuff(_ month: Int, _ day: Int, _ hour: Int, _ minute: Int, pulse: Int = 72) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: "BP-1")
        reading.characteristic = "2A35"
        reading.hex =
            "1E8E0058006900EA07"
            + [month, day, hour, minute, 0].map { String(UInt8($0), radix: 16).leftPadded }.joined()
            + String(UInt8(pulse), radix: 16).leftPadded + "00010000"
        return reading
    }

    /// 2A18: 5.5 mmol/L in capillary blood, with a sequence number and the wall time.
    private func glucose(_ number: UInt8, day: UInt8, hour: UInt8) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: "GM-1")
        reading.characteristic = "2A18"
        reading.clockOffset = 0
        reading.hex =
            "06" + String(number, radix: 16).leftPadded + "00EA070B" + String(day, radix: 16).leftPadded
            + String(hour, radix: 16).leftPadded + "000037C011"
        return reading
    }

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    private func times(_ store: HubStore, of person: Int64, until now: Date) throws -> [String] {
        try #require(try store.readings(of: person, kind: nil, since: now - 400 * 86400)).readings.map(\.time).sorted()
    }

    @Test("A device without a known offset has local time, before and after both DST changes", arguments: StoreKind.all)
    func wallTime(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (store, zone) = (temporary.store, try #require(berlin))
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        let now = try date("2026-11-20T12:00:00Z")
        // The clock jumps from 2:00 to 3:00 on 2026-03-29, and back from 3:00 to 2:00 on 2026-10-25.
        let readings = [cuff(3, 29, 1, 59), cuff(3, 29, 3, 1), cuff(10, 25, 1, 59), cuff(10, 25, 3, 1)]
        let results = try store.store(readings, gateway: "g", arrived: now, zone: zone).results
        #expect(results.map(\.status) == [.stored, .stored, .stored, .stored])
        #expect(
            try times(store, of: anna.id, until: now) == [
                "2026-03-29T00:59:00Z", "2026-03-29T01:01:00Z", "2026-10-24T23:59:00Z", "2026-10-25T02:01:00Z",
            ])
    }

    @Test("Two readings in the repeated hour of the DST change are distinct", arguments: StoreKind.all)
    func repeatedHour(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (store, zone) = (temporary.store, try #require(berlin))
        let now = try date("2026-10-25T12:00:00Z")
        let readings = [cuff(10, 25, 2, 30), cuff(10, 25, 2, 30, pulse: 75)]
        let results = try store.store(readings, gateway: "g", arrived: now, zone: zone).results
        #expect(results.map(\.status) == [.stored, .stored])
        #expect(Set(results.map(\.id)).count == 2)
    }

    @Test("Times of day and days use the UTC offset at the time of each reading", arguments: StoreKind.all)
    func timesOfDay(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let (store, zone) = (temporary.store, try #require(berlin))
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        let now = try date("2026-10-26T12:00:00Z")
        // 12:30 is in the afternoon on the days before and after the change. 0:30 and 23:30 belong to one day each.
        let readings = [cuff(10, 24, 12, 30), cuff(10, 25, 0, 30), cuff(10, 25, 12, 30), cuff(10, 25, 23, 30)]
        _ = try store.store(readings, gateway: "g", arrived: now, zone: zone)
        let summary = try #require(
            try store.state(of: anna.id, now: now, zone: zone)?.summaries["bloodPressure"])
        #expect(summary.byTimeOfDay?.mapValues(\.count) == ["night": 1, "afternoon": 2, "evening": 1])
        #expect(summary.periods[0].daysWithReadings == 2)
    }

    @Test("After a reset of a meter, stored records are recognized and new ones are stored", arguments: StoreKind.all)
    func reset(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let now = try date("2026-11-20T12:00:00Z")
        let memory = (1...3).map { glucose($0, day: 10 + $0, hour: 8) }
        #expect(
            try store.store(memory, gateway: "g", arrived: now).results.map(\.status) == [.stored, .stored, .stored])
        // It sends its memory again, and numbers records from 1.
        let again = memory + [glucose(1, day: 20, hour: 8), glucose(2, day: 20, hour: 9)]
        #expect(
            try store.store(again, gateway: "g", arrived: now).results.map(\.status)
                == [.known, .known, .known, .stored, .stored])
    }

    @Test(
        "A reading is not later than its reception",
        arguments: [
            // The hub has UTC, and the device the time of Berlin; the gateway sends at once, or later.
            ("2026-11-20T08:01:00Z", "2026-11-20T08:01:05Z", "2026-11-20T08:01:00Z"),
            ("2026-11-20T08:01:00Z", "2026-11-20T15:00:00Z", "2026-11-20T08:01:00Z"),
            (nil, "2026-11-20T08:01:05Z", "2026-11-20T08:01:05Z"),
            // A reading from the memory of the device.
            ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z", "2026-11-20T09:00:00Z"),
            // The clock of the gateway was never set.
            ("2000-01-01T00:01:00Z", "2026-11-20T10:00:00Z", "2026-11-20T09:00:00Z"),
            ("2000-01-01T00:01:00Z", "2026-11-20T08:01:05Z", "2026-11-20T08:01:05Z"),
        ] as [(String?, String, String)])
    func reception(_ received: String?, _ arrived: String, _ taken: String) throws {
        var reading = cuff(11, 20, 9, 0)
        reading.time = received
        let prepared = try PreparedReading(reading, arrived: date(arrived), zone: .gmt)
        #expect(prepared.records[0].taken.formatted(.iso8601) == taken)
    }

    @Test("A reading of a device whose clock is ahead is in the state, and stored once", arguments: StoreKind.all)
    func clockAhead(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        let now = try date("2026-11-20T08:01:00Z")
        for (number, status) in [ReadingResult.Status.stored, .known].enumerated() {
            let arrived = now + Double(number) * 7200
            let results = try store.store([cuff(11, 20, 9, 0)], gateway: "g", arrived: arrived, zone: .gmt).results
            #expect(results.map(\.status) == [status])
        }
        #expect(try store.state(of: anna.id, now: now, zone: .gmt)?.latest.map(\.time) == ["2026-11-20T08:01:00Z"])
    }

    @Test("A reading of a clock that was never set has its reception time", arguments: StoreKind.all)
    func neverSet(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        let now = try date("2026-11-20T12:00:00Z")
        var reading = cuff(11, 20, 8, 0)
        // The year 1999.
        reading.hex = reading.hex?.replacing("EA07", with: "CF07")
        reading.time = "2026-11-20T11:59:00Z"
        _ = try store.store([reading], gateway: "g", arrived: now, zone: try #require(berlin))
        #expect(try times(store, of: anna.id, until: now) == ["2026-11-20T11:59:00Z"])
    }
}

extension String {
    /// Two digits.
    fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}
