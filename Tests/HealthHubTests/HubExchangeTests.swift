import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

/// Readings that one hub sends or exports to another one.
@Suite("Readings between hubs", .blocksThread, .timeLimit(.minutes(5)))
struct HubExchangeTests {
    private let now = Date(timeIntervalSince1970: 1_795_200_000)

    /// 37.2 °C without a time, 142/88 mmHg at a device time, and a heart rate, from one device.
    private func readings(of serial: String) -> [SubmittedReading] {
        [
            ("2A1C", "00740100FF", "fever"), ("2A1C", "00740100FF", nil),
            ("2A35", "1E8E0058006900EA070B140800004800FF0000", "cuff"), ("2A37", "0648", nil),
        ].map { characteristic, hex, id in
            var reading = SubmittedReading()
            reading.device = .init(serial: serial)
            (reading.characteristic, reading.hex, reading.id) = (characteristic, hex, id)
            reading.time = "2026-11-20T08:00:00.25Z"
            return reading
        }
    }

    private func export(_ store: borrowing TemporaryStore, _ format: ExportFormat) throws -> [String] {
        let file = store.directory.appending(path: "export-\(UUID())").path
        _ = try store.store.export(to: file, format: format, person: nil)
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func batch(_ lines: [String]) throws -> [SubmittedReading] {
        try SubmittedReading.batch(Array(#"{"readings":[\#(lines.joined(separator: ","))]}"#.utf8))
    }

    private func statuses(_ store: HubStore, _ readings: [SubmittedReading]) throws -> [ReadingResult.Status] {
        try store.store(readings, gateway: "g", arrived: now).results.map(\.status)
    }

    @Test("Equal readings of the first devices of two hubs are different ones in a third hub", arguments: StoreKind.all)
    func differentDevices(_ kind: StoreKind) async throws {
        let first = try TemporaryStore(kind)
        let second = try TemporaryStore(kind)
        let all = Array(repeating: ReadingResult.Status.stored, count: 4)
        #expect(try statuses(first.store, readings(of: "A")) == all)
        #expect(try statuses(second.store, readings(of: "B")) == all)
        let third = try TemporaryStore(kind)
        #expect(try statuses(third.store, batch(export(first, .jsonl))) == all)
        #expect(try statuses(third.store, batch(export(second, .jsonl))) == all)
        let fourth = try TemporaryStore(kind)
        for bundle in try export(first, .fhir) + export(second, .fhir) {
            _ = try await fourth.store.storeFHIR(Array(bundle.utf8), gateway: "g", maySayPerson: true)
        }
        let count = try await fourth.store.database.read { try $0.value("SELECT count(*) FROM reading", []) as Int? }
        #expect(count == 8)
    }

    @Test("A reading that a gateway sends again is the imported one", arguments: StoreKind.all)
    func resentReadings(_ kind: StoreKind) throws {
        let origin = try TemporaryStore(kind)
        let sent = readings(of: "A")
        _ = try statuses(origin.store, sent)
        let other = try TemporaryStore(kind)
        // The first device of the other hub is another one.
        _ = try statuses(other.store, readings(of: "B"))
        let lines = try export(origin, .jsonl)
        #expect(lines.allSatisfy { !$0.contains(#""identity""#) })
        #expect(try statuses(other.store, batch(lines)) == Array(repeating: .stored, count: 4))
        #expect(try statuses(other.store, sent) == Array(repeating: .known, count: 4))
        // And the other way round.
        #expect(try statuses(origin.store, batch(export(other, .jsonl))).count { $0 == .known } == 4)
    }

    @Test("A reading that was queued for a week has the same time in another hub", arguments: StoreKind.all)
    func timeOfReception(_ kind: StoreKind) throws {
        let origin = try TemporaryStore(kind)
        // The device's clock is two hours ahead: the time of reception, a week ago, is the time of the measurement.
        var reading = readings(of: "A")[2]
        reading.time = "2026-11-20T06:00:00Z"
        #expect(try statuses(origin.store, [reading]) == [.stored])
        let other = try TemporaryStore(kind)
        #expect(try statuses(other.store, batch(export(origin, .jsonl))) == [.stored])
        for store in [origin.store, other.store] {
            let taken = try store.database.read { try $0.value("SELECT taken FROM reading", []) as Int64? }
            #expect(taken == 1_795_154_400)
        }
    }

    @Test(
        "Microseconds are the text again",
        arguments: [
            "2026-11-20T08:00:00Z", "2026-11-20T08:00:00.25Z", "2026-11-20T08:00:00.000001Z", "1969-12-31T23:59:59.5Z",
        ])
    func microseconds(_ text: String) throws {
        var reading = readings(of: "A")[0]
        reading.time = text
        let time = try ReadingTime(reading, HealthMeasurement(kind: .other), arrived: now, zone: .gmt)
        #expect(time.received.map(ReadingTime.text(microseconds:)) == text)
        #expect(ReadingTime.normalised(text) == text)
    }

    @Test("A person's Bundle is one that a hub accepts")
    func largeBundle() async throws {
        let origin = try TemporaryStore()
        let anna = try origin.store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try origin.store.assign("A", to: anna.id)
        let all = (0..<1001).map { index in
            var reading = readings(of: "A")[3]
            reading.id = "\(index)"
            return reading
        }
        for part in [all.prefix(1000), all.dropFirst(1000)] {
            _ = try origin.store.store(Array(part), gateway: "g", arrived: now)
        }
        let bundle = try #require(try origin.store.fhirBundle(of: anna.id)).text
        let other = try TemporaryStore()
        let answer = try await other.store.storeFHIR(Array(bundle.utf8), gateway: "g", maySayPerson: true)
        #expect(answer.status == 200)
        let count = try await other.store.database.read { try $0.value("SELECT count(*) FROM reading", []) as Int? }
        #expect(count == 997)
    }
}
