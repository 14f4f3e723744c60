import Foundation
import JSON
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("The state of a person", .blocksThread, .timeLimit(.minutes(5)))
struct StateTests {
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func pressure(_ systolic: Int, _ diastolic: Int, daysAgo: Double) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: "BP-1")
        reading.fields = [
            "systolic": .object(["value": .decimal("\(systolic)"), "unit": .string("mmHg")]),
            "diastolic": .object(["value": .decimal("\(diastolic)"), "unit": .string("mmHg")]),
        ]
        reading.time = now.addingTimeInterval(-daysAgo * 86400).formatted(.iso8601)
        return reading
    }

    @Test("An assessment of blood pressure requires three days", arguments: StoreKind.all)
    func verdict(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        _ = try store.store(
            [pressure(140, 88, daysAgo: 0.1), pressure(142, 90, daysAgo: 1.1)], gateway: "g", arrived: now)
        var summary = try #require(try store.state(of: anna.id, now: now)?.summaries["bloodPressure"])
        #expect(summary.verdict?.code == nil)
        #expect(
            summary.verdict
                == .notJudged(reason: "an assessment requires readings on 3 days of the last 7; there are 2"))
        _ = try store.store([pressure(132, 83, daysAgo: 2.1)], gateway: "g", arrived: now)
        summary = try #require(try store.state(of: anna.id, now: now)?.summaries["bloodPressure"])
        #expect(summary.periods[0].mean["systolic"] == 138 && summary.periods[0].daysWithReadings == 3)
        #expect(summary.verdict?.code == "hypertension")
        if case .judged(_, let sentence)? = summary.verdict {
            #expect(sentence == "mean of 7 days 138/87 mmHg: in the range of hypertension at home, ESC 2024")
        }
        #expect(summary.byTimeOfDay?.isEmpty == false)
    }

    @Test("People who are not judged have that reason, however few their readings are", arguments: StoreKind.all)
    func notJudged(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1991-04-30", pregnant: true)
        _ = try store.assign("BP-1", to: anna.id)
        _ = try store.store([pressure(140, 88, daysAgo: 0.1)], gateway: "g", arrived: now)
        let summary = try #require(try store.state(of: anna.id, now: now)?.summaries["bloodPressure"])
        let reason = try #require(anna.reasonNotToJudge(at: now))
        #expect(summary.verdict == .notJudged(reason: reason))
    }

    @Test("An urgent value is an immediate notice, for one day", arguments: StoreKind.all)
    func urgent(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30", guideline: .accAHA)
        _ = try store.assign("BP-1", to: anna.id)
        _ = try store.store([pressure(190, 100, daysAgo: 0.5)], gateway: "g", arrived: now)
        #expect(try store.state(of: anna.id, now: now)?.notices.map(\.code) == ["severe"])
        #expect(try store.state(of: anna.id, now: now.addingTimeInterval(86400))?.notices.isEmpty == true)
    }

    @Test("A later value in range does not remove an urgent notice", arguments: StoreKind.all)
    func urgentBeforeOthers(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        let readings = [
            pressure(190, 125, daysAgo: 0.5), pressure(118, 68, daysAgo: 0.25), pressure(185, 112, daysAgo: 0.3),
        ]
        _ = try store.store(readings, gateway: "g", arrived: now)
        let notices = try #require(try store.state(of: anna.id, now: now)).notices
        #expect(notices.map(\.urgent) == [true])
        #expect(notices.first?.sentence.hasPrefix("185/112 mmHg") == true)
        // In pregnancy only urgent values are judged, by limits of their own.
        _ = try store.changePerson(anna.id) { $0.pregnant = true }
        let own = try #require(try store.state(of: anna.id, now: now)).notices
        #expect(own.map(\.code) == ["severe"] && own[0].source.contains("Committee Opinion 767"))
    }

    @Test("The state includes everything stored or changed before", arguments: StoreKind.all)
    func current(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        func latest() async throws -> JSONValue? {
            try await store.currentStateJSON(of: anna.id).map { try JSONValue(parsing: Array($0.utf8)) }?["latest"]?
                .elements
                .first
        }
        for number in 1...20 {
            _ = try store.store([pressure(120 + number, 80, daysAgo: 1)], gateway: "g", arrived: now)
            #expect(try await latest()?["text"]?.string == "\(120 + number)/80 mmHg")
            #expect(try await latest()?["text"]?.string == "\(120 + number)/80 mmHg")
        }
        _ = try store.changePerson(anna.id) { $0.pregnant = true }
        #expect(try await latest()?["judgement"]?["code"] == .null)
        _ = try store.deletePerson(anna.id)
        #expect(try await store.currentStateJSON(of: anna.id) == nil)
    }

    @Test("With a person's height, a weight has a body mass index", arguments: StoreKind.all)
    func height(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("S-1", to: anna.id)
        var reading = SubmittedReading()
        reading.device = .init(serial: "S-1")
        reading.id = "1"
        reading.fields = ["weight": .object(["value": .string("72.25"), "unit": .string("kg")])]
        var result = try #require(try store.store([reading], gateway: "g").results.first)
        #expect(result.judgement?.code == nil)
        for (height, code) in [("1.70 m", "overweight"), ("170 cm", "overweight"), ("1.71", "normal")] {
            _ = try store.changePerson(anna.id) { $0.settings.height = try PersonSettings.height(height) }
            result = try #require(try store.store([reading], gateway: "g").results.first)
            #expect(result.judgement?.code == code, "\(height)")
        }
        for wrong in ["", "170", "0", "-1.7 m", "1,70 m", "tall"] {
            #expect(throws: HubProblem.self) { try PersonSettings.height(wrong) }
        }
    }

    @Test("Continuous glucose: ranges, GMI and coverage", arguments: StoreKind.all)
    func continuousGlucose(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("CGM-1", to: anna.id)
        func values(_ range: Range<Int>) -> [SubmittedReading] {
            range.map { index in
                var reading = SubmittedReading()
                reading.id = "\(index)"
                reading.device = .init(serial: "CGM-1")
                // One in ten is 10.0 mmol/L, which is in range; one in ten is 200 mg/dL.
                let (value, unit): (Decimal, String) =
                    index % 10 == 0 ? (10, "mmol/L") : index % 10 == 1 ? (200, "mg/dL") : (100, "mg/dL")
                reading.fields = [
                    "cgmGlucoseConcentration": .object(["value": .decimal("\(value)"), "unit": .string(unit)])
                ]
                reading.time = now.addingTimeInterval(-Double(index) * 300 - 1).formatted(.iso8601)
                return reading
            }
        }
        for start in stride(from: 0, to: 2000, by: 1000) {
            _ = try store.store(values(start..<start + 1000), gateway: "g", arrived: now)
        }
        var glucose = try #require(try store.state(of: anna.id, now: now)?.continuousGlucose)
        #expect(glucose.gmi == nil && glucose.reason?.contains("70 %") == true)
        for start in stride(from: 2000, to: 4000, by: 1000) {
            _ = try store.store(values(start..<start + 1000), gateway: "g", arrived: now)
        }
        glucose = try #require(try store.state(of: anna.id, now: now)?.continuousGlucose)
        #expect(glucose.timeInRanges?["inRange"] == 90 && glucose.timeInRanges?["high"] == 10)
        // The mean is (0.8 × 100 + 0.1 × 200 + 0.1 × 180.16) mg/dL.
        #expect(glucose.mean == 118 && glucose.gmi == 6.13)
        let (count, coverage) = (glucose.count, glucose.coverage)
        _ = try store.changePerson(anna.id) { $0.pregnant = true }
        glucose = try #require(try store.state(of: anna.id, now: now)?.continuousGlucose)
        #expect(glucose.timeInRanges == nil && glucose.gmi == nil && glucose.mean == nil)
        #expect(glucose.count == count && glucose.coverage == coverage)
        #expect(glucose.reason?.contains("pregnancy") == true)
    }

    @Test("A reading that does not count is not due, and has no value of a target", arguments: StoreKind.all)
    func notCounted(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        for device in ["BP-1", "GM-1"] { _ = try store.assign(device, to: anna.id) }
        _ = try store.changePerson(anna.id) {
            try $0.settings.change(
                targets: ["systolic=120..129 mmHg"], withoutTargets: [], every: ["glucose=1", "bloodPressure=1"])
        }
        func glucose(daysAgo: Double, location: Decimal) -> SubmittedReading {
            var reading = SubmittedReading()
            reading.device = .init(serial: "GM-1")
            reading.fields = [
                "glucose": .object(["value": .number(100), "unit": .string("mg/dL")]),
                "sampleLocation": .object(["value": .decimal("\(location)")]),
            ]
            reading.time = now.addingTimeInterval(-daysAgo * 86400).formatted(.iso8601)
            return reading
        }
        var loose = pressure(150, 95, daysAgo: 0.1)
        loose.fields?["measurementStatus"] = .object(["value": .number(2)])
        // Location 4 is a control solution.
        let readings = [
            glucose(daysAgo: 5, location: 1), glucose(daysAgo: 0.1, location: 4),
            pressure(128, 78, daysAgo: 0.5), loose,
        ]
        let results = try store.store(readings, gateway: "g", arrived: now).results
        #expect(results.map(\.status) == [.stored, .stored, .stored, .stored])
        let state = try #require(try store.state(of: anna.id, now: now))
        #expect(state.latest.map(\.counted) == [false, false])
        #expect(state.targets.map(\.value) == [128] && state.targets.map(\.outcome) == ["within"])
        #expect(state.targets.map(\.min) == [120] && state.targets.map(\.max) == [129])
        #expect(state.overdue.map(\.kind) == ["glucose"])
        #expect(state.overdue.first?.last == now.addingTimeInterval(-5 * 86400).formatted(.iso8601))
    }

    private func weight(_ value: String, daysAgo: Double) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: "S-1")
        reading.fields = ["weight": .object(["value": .string(value), "unit": .string("kg")])]
        reading.time = now.addingTimeInterval(-daysAgo * 86400).formatted(.iso8601)
        return reading
    }

    @Test(
        "A gain of exactly 2 kg is no notice, whatever the decimals",
        arguments: [
            ("62.9", "64.9", false), ("62.9", "65.0", true), ("62.9", "64.905", true), ("70.15", "72.15", false),
            ("102.35", "104.35", false),
        ])
    func weightGainLimit(first: String, last: String, isNotice: Bool) throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("S-1", to: anna.id)
        _ = try store.store([weight(first, daysAgo: 2), weight(last, daysAgo: 1)], gateway: "g", arrived: now)
        let codes = try #require(try store.state(of: anna.id, now: now)).notices.map(\.code)
        #expect(codes == (isNotice ? ["weight-gain"] : []))
    }

    @Test("A gain of more than 2 kg in 3 days is a notice", arguments: StoreKind.all)
    func weightGain(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("S-1", to: anna.id)
        _ = try store.store([weight("80.00", daysAgo: 2.5), weight("82.00", daysAgo: 1)], gateway: "g", arrived: now)
        #expect(try store.state(of: anna.id, now: now)?.notices.isEmpty == true)
        _ = try store.store([weight("82.10", daysAgo: 0.5)], gateway: "g", arrived: now)
        #expect(try store.state(of: anna.id, now: now)?.notices.map(\.code) == ["weight-gain"])
    }

    @Test(
        "The three days of a weight gain are calendar days before the last weight",
        arguments: [(3.05, 0.05, true), (3.4, 1, true), (3.5, 0.05, true), (4.1, 0.05, false), (3.9, 3.1, false)])
    func weightGainDays(first: Double, last: Double, isNotice: Bool) throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("S-1", to: anna.id)
        // 18:00 in UTC.
        let now = Date(timeIntervalSince1970: 1_794_938_400)
        let readings = [("80.00", first), ("83.00", last)].map { value, days in
            var reading = weight(value, daysAgo: days)
            reading.time = now.addingTimeInterval(-days * 86400).formatted(.iso8601)
            return reading
        }
        _ = try store.store(readings, gateway: "g", arrived: now)
        let state = try #require(try store.state(of: anna.id, now: now, zone: .gmt))
        #expect(state.notices.map(\.code) == (isNotice ? ["weight-gain"] : []))
        if isNotice { #expect(state.notices.first?.sentence == "Weight: 3.0 kg more within 3 days") }
    }
}
