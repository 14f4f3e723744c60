import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("The values of a state", .blocksThread)
struct StateValueTests {
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func reading(_ fields: [String: String], _ unit: String, hoursAgo: Double) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: "D-1")
        reading.fields = fields.mapValues { .object(["value": .string($0), "unit": .string(unit)]) }
        reading.time = now.addingTimeInterval(-hoursAgo * 3600).formatted(.iso8601)
        return reading
    }

    /// Stores readings of one device, and returns the state of its person.
    private func state(
        _ readings: [SubmittedReading], _ kind: StoreKind, guideline: Rule.Guideline = .esc,
        setting: Rule.Setting = .home, change: @escaping @Sendable (inout PersonSettings) throws -> Void = { _ in }
    ) throws -> PersonState {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30", guideline: guideline, setting: setting)
        _ = try store.assign("D-1", to: anna.id)
        _ = try store.changePerson(anna.id) { try change(&$0.settings) }
        let results = try store.store(readings, gateway: "g", arrived: now).results
        #expect(results.allSatisfy { $0.status == .stored })
        return try #require(try store.state(of: anna.id, now: now))
    }

    @Test("A height or a body mass index is no weight", arguments: StoreKind.all)
    func weight(_ kind: StoreKind) throws {
        let readings = [
            reading(["weight": "72.5"], "kg", hoursAgo: 50), reading(["bmi": "24.2"], "kg/m²", hoursAgo: 5),
            reading(["height": "1.73"], "m", hoursAgo: 1),
        ]
        let change: @Sendable (inout PersonSettings) throws -> Void = {
            try $0.change(targets: ["weight=70..75 kg"], withoutTargets: [], every: ["weight=1"])
        }
        let state = try state(readings, kind, change: change)
        #expect(state.latest.map(\.text) == ["72.5 kg"])
        #expect(state.targets.map(\.outcome) == ["within"])
        #expect(state.overdue.map(\.last) == [now.addingTimeInterval(-50 * 3600).formatted(.iso8601)])
        let without = try self.state(Array(readings.dropFirst()), kind, change: change)
        #expect(without.latest.isEmpty && without.targets.map(\.value) == [nil])
        #expect(without.overdue.map(\.kind) == ["weight"] && without.overdue.first?.last == nil)
    }

    @Test("Readings of other characteristics are no values of the person", arguments: StoreKind.all)
    func otherKind(_ kind: StoreKind) throws {
        var weight = reading(["weight": "72"], "kg", hoursAgo: 1)
        weight.characteristic = "2A98"
        var room = reading(["temperature": "21.5"], "°C", hoursAgo: 2)
        room.characteristic = "2A6E"
        let readings = [weight, room, reading(["temperature": "36.8"], "°C", hoursAgo: 3)]
        let state = try state(readings, kind) {
            try $0.change(
                targets: ["temperature=36..38 °C", "weight=70..75 kg"], withoutTargets: [],
                every: ["weight=1", "temperature=1"])
        }
        let values = Dictionary(uniqueKeysWithValues: state.targets.map { ($0.quantity, $0.outcome) })
        #expect(values == ["temperature": "within", "weight": nil])
        #expect(state.overdue.map(\.kind) == ["weight"])
    }

    @Test("A height without a weight has a reason of its own")
    func heightReason() throws {
        let person = Person(id: 1, name: "A", born: "1961-04-30", guideline: .esc, setting: .home, pregnant: false)
        let height = HealthMeasurement(kind: .weight, quantities: [Quantity("height", 1.73, unit: "m")])
        let judgement = try Assessor().judge(height, of: person, at: now)
        #expect(judgement == .notJudged(reason: "weight is missing"))
    }

    @Test("The fat of a body composition counts without a weight", arguments: StoreKind.all)
    func composition(_ kind: StoreKind) throws {
        let fat = reading(["bodyFatPercentage": "21.5"], "%", hoursAgo: 1)
        let state = try state([fat], kind) {
            try $0.change(targets: [], withoutTargets: [], every: ["bodyComposition=1"])
        }
        #expect(state.latest.map(\.text) == ["21.5 %"] && state.overdue.isEmpty)
    }

    @Test(
        "The means of body fat include those without a weight, trend and change only weights", arguments: StoreKind.all)
    func compositionMeans(_ kind: StoreKind) throws {
        var weighed = (0..<2).map { reading(["bodyFatPercentage": "30"], "%", hoursAgo: 100 - Double($0) * 96) }
        for (index, weight) in ["80", "82"].enumerated() {
            weighed[index].fields?["weight"] = .object(["value": .string(weight), "unit": .string("kg")])
        }
        let others = ["20", "22", "24"].enumerated().map { index, fat in
            reading(["bodyFatPercentage": fat], "%", hoursAgo: 150 + Double(index))
        }
        let only = try state(others, kind).summaries["bodyComposition"]?.periods.first
        #expect(only?.count == 3 && only?.mean == ["bodyFat": 22] && only?.change == nil)
        let all = try #require(try state(weighed + others, kind).summaries["bodyComposition"]?.periods.first)
        #expect(all.count == 5 && all.mean == ["bodyFat": 25.2, "weight": 81])
        #expect(all.counts == ["bodyFat": 5, "weight": 2] && all.change == 2 && all.trendPerDay == 0.5)
    }

    @Test("A weight is not overdue after a body composition that has one", arguments: StoreKind.all)
    func overdueWeight(_ kind: StoreKind) throws {
        var weighed = reading(["bodyFatPercentage": "22"], "%", hoursAgo: 24)
        weighed.fields?["weight"] = .object(["value": .string("80"), "unit": .string("kg")])
        let last = reading(["bodyFatPercentage": "23"], "%", hoursAgo: 1)
        func overdue(_ days: Int) throws -> [PersonState.Overdue] {
            try state([weighed, last], kind) {
                try $0.change(targets: [], withoutTargets: [], every: ["weight=\(days)"])
            }.overdue
        }
        #expect(try overdue(2).isEmpty)
        #expect(try overdue(1).map(\.last) == [now.addingTimeInterval(-24 * 3600).formatted(.iso8601)])
    }

    @Test("A target of the body mass index has the value that is computed from the height", arguments: StoreKind.all)
    func targetOfComputedIndex(_ kind: StoreKind) throws {
        let state = try state([reading(["weight": "80"], "kg", hoursAgo: 1)], kind) {
            $0.height = 2
            try $0.change(targets: ["bmi=18..19.5 kg/m²"], withoutTargets: [], every: [])
        }
        #expect(state.targets.map(\.value) == [20] && state.targets.map(\.outcome) == ["above"])
        let long = try self.state([reading(["weight": "88"], "kg", hoursAgo: 1)], kind) {
            $0.height = Decimal(string: "1.72")
            try $0.change(targets: ["bmi=20..22 kg/m²"], withoutTargets: [], every: [])
        }
        #expect(long.targets.map(\.value) == [Decimal(string: "29.7")])
    }

    @Test("A gain of weight is in the unit of the scale, too")
    func gainInPounds() throws {
        let weights = [("100.0", 48.0), ("106.0", 1.0)].map { reading(["weight": $0], "lb", hoursAgo: $1) }
        #expect(try state(weights, .sqlite).notices.map(\.sentence) == ["Weight: 6.0 lb (2.72 kg) more within 3 days"])
    }

    private func pressures(_ values: [[String: String]], _ unit: String = "mmHg") -> [SubmittedReading] {
        values.enumerated().map { reading($1, unit, hoursAgo: Double($0 % 3) * 24 + Double($0) / 100 + 1) }
    }

    @Test("The reason of a missing verdict is that of the readings", arguments: StoreKind.all)
    func verdictReasons(_ kind: StoreKind) throws {
        func reason(_ values: [[String: String]]) throws -> String? {
            guard case .notJudged(let reason)? = try state(pressures(values), kind).summaries["bloodPressure"]?.verdict
            else { return nil }
            return reason.description
        }
        let without = ["systolic": "130"]
        #expect(
            try reason([without, without, without])
                == "diastolic is missing in all readings of the last 7 days")
        let failed = ["systolic": "130", "diastolic": "NaN"]
        let text = try reason([failed, failed, failed])
        #expect(text?.hasPrefix("no reading of the last 7 days counts; the latest: ") == true, "\(text ?? "")")
        // The readings of a verdict are complete.
        #expect(
            try reason([["systolic": "130", "diastolic": "80"], without, without])
                == "an assessment requires readings on 3 days of the last 7; there are 1")
    }

    @Test("The mean of a verdict is rounded once", arguments: StoreKind.all)
    func roundedOnce(_ kind: StoreKind) throws {
        let values = (0..<101).map { ["systolic": $0 < 51 ? "134" : "135", "diastolic": "80"] }
        let verdict = try state(pressures(values), kind).summaries["bloodPressure"]?.verdict
        #expect(verdict?.code == "elevated")
        if case .judged(_, let sentence)? = verdict { #expect(sentence.hasPrefix("mean of 7 days 134/80 mmHg")) }
    }

    @Test(
        "Each reading in kPa has the range of its mean",
        arguments: [
            ("18.67", "10.67", "hypertension"), ("18.70", "10.0", "hypertension"), ("18.5", "10.0", "elevated"),
            ("18.54", "10.0", "elevated"), ("18.60", "10.0", "elevated"), ("18.64", "10.0", "elevated"),
            ("18.65", "10.0", "hypertension"),
        ])
    func kilopascals(systolic: String, diastolic: String, code: String) throws {
        let values = Array(repeating: ["systolic": systolic, "diastolic": diastolic], count: 3)
        let state = try state(pressures(values, "kPa"), .sqlite, setting: .office)
        #expect(state.latest.first?.judgement.code == code)
        #expect(state.summaries["bloodPressure"]?.verdict?.code == code)
    }

    @Test("Means of pressures are in kPa if all readings are, else in mmHg", arguments: StoreKind.all)
    func unitsOfMeans(_ kind: StoreKind) throws {
        let values = [["systolic": "18.6", "diastolic": "10.0"], ["systolic": "18.7", "diastolic": "10.0"]]
        let kilopascals = pressures(values + values, "kPa")
        let mean = try state(kilopascals, kind, setting: .office).summaries["bloodPressure"]?.mean
        #expect(mean == "18.7/10.0 kPa")
        let mixed =
            Array(kilopascals.dropLast())
            + Array(pressures([[:], [:], [:], ["systolic": "120", "diastolic": "80"]]).suffix(1))
        let summary = try state(mixed, kind, setting: .office).summaries["bloodPressure"]
        #expect(summary?.mean == "135/76 mmHg" && summary?.verdict?.code == "elevated")
    }

    @Test("A pressure in kPa that is rounded to an urgent limit is a notice")
    func urgentKilopascals() throws {
        let values = ["systolic": "23.96", "diastolic": "12.0"]
        let state = try state(pressures([values], "kPa"), .sqlite)
        #expect(state.latest.first?.judgement.code == "severe")
        #expect(state.notices.map(\.urgent) == [true])
    }

    @Test("A target has the latest value in its unit", arguments: StoreKind.all)
    func valuesOfTargets(_ kind: StoreKind) throws {
        let pulse = reading(["systolic": "120", "diastolic": "80"], "mmHg", hoursAgo: 3)
        var withPulse = pulse
        withPulse.fields?["pulseRate"] = .object(["value": .number(72), "unit": .string("bpm")])
        withPulse.time = now.addingTimeInterval(-5 * 3600).formatted(.iso8601)
        let readings = [
            reading(["glucose": "5.5"], "mmol/L", hoursAgo: 9), reading(["glucose": "6.1"], "mmol/L", hoursAgo: 8),
            reading(["glucose": "120"], "mg/dL", hoursAgo: 2), reading(["weight": "154.3"], "lb", hoursAgo: 30),
            reading(["weight": "70"], "kg", hoursAgo: 4), withPulse, pulse,
        ]
        let targets = [
            "glucose=4..7 mmol/L", "glucose=70..180 mg/dL", "weight=..150 lb", "pulseRate=50..100 bpm",
            "temperature=36..37 °C",
        ]
        let state = try state(readings, kind) { try $0.change(targets: targets, withoutTargets: [], every: []) }
        let values = Dictionary(uniqueKeysWithValues: state.targets.map { ($0.text.description, $0) })
        #expect(values["glucose 4 to 7 mmol/L"]?.value.map { "\($0)" } == "6.1")
        #expect(values["glucose 70 to 180 mg/dL"]?.value == 120)
        #expect(values["weight at most 150 lb"]?.outcome == "above")
        #expect(values["pulse 50 to 100 bpm"]?.value == 72)
        #expect(values["temperature 36 to 37 °C"].map { $0.value == nil } == true)
    }

    @Test("A target must have a unit of its quantity")
    func targetUnits() throws {
        for (text, units) in [
            ("systolic=120..129 kg", "mmHg, kPa"), ("weight=..80 mmHg", "kg, lb"), ("systolic=..16000 Pa", "kPa"),
            ("weight=..80000 g", "kg"), ("systolic=..129 bar", "mmHg, kPa"),
        ] {
            #expect {
                try PersonSettings.Target(text)
            } throws: { error in
                (error as? HubProblem)?.description.contains(units) == true
            }
        }
        for text in ["systolic=120..129 mmHg", "systolic=16.0..17.2 kPa", "weight=..176 lb", "bmi=..25 kg/m²"] {
            #expect(throws: Never.self, "\(text)") { try PersonSettings.Target(text) }
        }
    }

    @Test(
        "Lost values of a continuous monitor are not covered",
        arguments: [(lost: 3, isSent: false), (lost: 2, isSent: true), (lost: 2, isSent: false)])
    func lostValues(lost: Int, isSent: Bool) throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("D-1", to: anna.id)
        // A value each five minutes for 14 days. Three of five are lost at no regular interval, or every second one is
        // not a number.
        var generator = SystemRandomNumberGenerator()
        let values = (0..<4032).compactMap { index -> SubmittedReading? in
            let isLost = isSent ? index % 2 == 0 : UInt.random(in: 0..<5, using: &generator) < lost
            if isLost, !isSent { return nil }
            var value = reading(
                ["cgmGlucoseConcentration": isLost ? "NaN" : "100"], "mg/dL", hoursAgo: Double(index) / 12 + 0.001)
            value.id = "\(index)"
            return value
        }
        for start in stride(from: 0, to: values.count, by: 1000) {
            let part = Array(values[start..<min(start + 1000, values.count)])
            #expect(try store.store(part, gateway: "g", arrived: now).results.allSatisfy { $0.status == .stored })
        }
        let glucose = try #require(try store.state(of: anna.id, now: now)?.continuousGlucose)
        let expected = isSent ? 50 : Double(5 - lost) * 20
        #expect(abs(glucose.coverage - expected) < 6, "\(glucose.coverage) %")
        #expect(glucose.gmi == nil && glucose.reason != nil)
    }

    @Test("The weight of a body composition is a weight", arguments: StoreKind.all)
    func weightOfComposition(_ kind: StoreKind) throws {
        let weights = [(80.0, 47.0), (84, 1)].map { weight, hours in
            var value = reading(["weight": "\(weight)"], "kg", hoursAgo: hours)
            value.fields?["bodyFatPercentage"] = .object(["value": .string("20"), "unit": .string("%")])
            return value
        }
        let state = try state(weights, kind) { try $0.change(targets: [], withoutTargets: [], every: ["weight=1"]) }
        #expect(state.notices.map(\.code) == ["weight-gain"])
        #expect(state.overdue.isEmpty)
    }

    @Test("The coverage of continuous values is not rounded up", arguments: StoreKind.all)
    func coverage(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("CGM-1", to: anna.id)
        // Values for 900 s each, which cover 64.96 % of 14 days: 873 of 1,344 intervals.
        let values = (0..<873).map { index in
            var reading = SubmittedReading()
            reading.id = "\(index)"
            reading.device = .init(serial: "CGM-1")
            reading.fields = ["cgmGlucoseConcentration": .object(["value": .number(100), "unit": .string("mg/dL")])]
            reading.time = now.addingTimeInterval(-Double(index) * 900 - 1).formatted(.iso8601)
            return reading
        }
        _ = try store.store(values, gateway: "g", arrived: now)
        let glucose = try #require(try store.state(of: anna.id, now: now)?.continuousGlucose)
        #expect(glucose.coverage == 64.9)
        #expect(glucose.reason?.hasSuffix("there are 64.9 %") == true)
    }
}
