import Foundation
import TestSupport
import Testing

@testable import HealthHub

/// Every declared rule at its borders, in each of its units. The numbers stand here once more, from the sources.
@Suite("Limits of the rules", .blocksThread)
struct RuleBorderTests {
    private let assessor: Assessor
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    init() throws { assessor = try Assessor() }

    private func judge(
        _ kind: MeasurementKind, _ values: [(String, String, String)], _ guideline: Rule.Guideline = .esc,
        _ setting: Rule.Setting = .home
    ) -> (code: String?, rule: Rule?, sentence: String) {
        var person = Person(
            id: 1, name: "A", born: "1961-04-30", guideline: guideline, setting: setting, pregnant: false)
        person.settings.diabetes = true
        let measurement = HealthMeasurement(
            kind: kind, quantities: values.map { Quantity($0.0, Decimal(string: $0.1), text: $0.1, unit: $0.2) })
        guard case .judged(let rule, let sentence) = assessor.judge(measurement, of: person, at: now) else {
            return (nil, nil, "")
        }
        return (rule.code, rule, sentence.description)
    }

    @Test(
        "Blood pressure in kPa at each limit and one step beside it",
        arguments: [
            ("acc-aha", "home", "15.9", "10.6", "normal"), ("acc-aha", "home", "16.0", "10.6", "elevated"),
            ("acc-aha", "home", "17.2", "10.6", "elevated"), ("acc-aha", "home", "17.3", "10.6", "stage-1"),
            ("acc-aha", "home", "15.9", "10.7", "stage-1"), ("acc-aha", "home", "17.9", "11.2", "stage-1"),
            ("acc-aha", "home", "18.0", "10.6", "stage-2"), ("acc-aha", "home", "15.9", "11.3", "stage-2"),
            ("acc-aha", "office", "15.9", "10.7", "stage-1"), ("acc-aha", "office", "18.6", "11.9", "stage-1"),
            ("acc-aha", "office", "18.7", "10.6", "stage-2"), ("acc-aha", "office", "15.9", "12.0", "stage-2"),
            ("acc-aha", "home", "24.0", "16.0", "stage-2"), ("acc-aha", "home", "24.1", "10.6", "severe"),
            ("acc-aha", "home", "15.9", "16.1", "severe"), ("acc-aha", "home", "12.0", "8.0", "normal"),
            ("acc-aha", "home", "11.9", "8.0", "low"), ("acc-aha", "home", "12.0", "7.9", "low"),
            ("esc", "home", "15.9", "9.2", "non-elevated"), ("esc", "home", "16.0", "9.2", "elevated"),
            ("esc", "home", "15.9", "9.3", "elevated"), ("esc", "home", "17.9", "11.2", "elevated"),
            ("esc", "home", "18.0", "9.2", "hypertension"), ("esc", "home", "15.9", "11.3", "hypertension"),
            ("esc", "office", "18.6", "11.9", "elevated"), ("esc", "office", "18.7", "9.2", "hypertension"),
            ("esc", "office", "15.9", "12.0", "hypertension"), ("esc", "home", "12.0", "8.0", "non-elevated"),
            ("esc", "home", "11.9", "8.0", "low"), ("esc", "home", "12.0", "7.9", "low"),
        ])
    func kilopascals(guideline: String, setting: String, systolic: String, diastolic: String, code: String) throws {
        let result = judge(
            .bloodPressure, [("systolic", systolic, "kPa"), ("diastolic", diastolic, "kPa")],
            try #require(Rule.Guideline(rawValue: guideline)), try #require(Rule.Setting(rawValue: setting)))
        #expect(result.code == code)
    }

    @Test("Severe values are urgent from the limit of the guideline")
    func severe() {
        let cases: [(Rule.Guideline, String, String, String, Bool)] = [
            (.esc, "179", "109", "mmHg", false), (.esc, "180", "80", "mmHg", true), (.esc, "120", "110", "mmHg", true),
            (.esc, "23.9", "14.6", "kPa", false), (.esc, "24.0", "10.0", "kPa", true),
            (.esc, "16.0", "14.7", "kPa", true), (.accAHA, "180", "120", "mmHg", false),
            (.accAHA, "181", "80", "mmHg", true), (.accAHA, "120", "121", "mmHg", true),
        ]
        for (guideline, systolic, diastolic, unit, isUrgent) in cases {
            let result = judge(
                .bloodPressure, [("systolic", systolic, unit), ("diastolic", diastolic, unit)], guideline)
            #expect(result.rule?.isUrgent == isUrgent, "\(guideline) \(systolic)/\(diastolic) \(unit)")
            #expect(result.rule?.interpretation == (isUrgent ? "HH" : "H"))
        }
    }

    @Test(
        "Temperature, oxygen saturation and body mass index",
        arguments: [
            ("temperature", "34.9", "°C", "hypothermia", "LL"), ("temperature", "35.0", "°C", "normal", "N"),
            ("temperature", "37.9", "°C", "normal", "N"), ("temperature", "38.0", "°C", "fever", "H"),
            ("temperature", "94.9", "°F", "hypothermia", "LL"), ("temperature", "95.0", "°F", "normal", "N"),
            ("temperature", "100.3", "°F", "normal", "N"), ("temperature", "100.4", "°F", "fever", "H"),
            ("spO2", "89", "%", "very-low", "LL"), ("spO2", "90", "%", "low", "L"), ("spO2", "94", "%", "low", "L"),
            ("spO2", "95", "%", "normal", "N"), ("bmi", "18.4", "kg/m²", "underweight", "L"),
            ("bmi", "18.5", "kg/m²", "normal", "N"), ("bmi", "24.9", "kg/m²", "normal", "N"),
            ("bmi", "25.0", "kg/m²", "overweight", "H"), ("bmi", "29.9", "kg/m²", "overweight", "H"),
            ("bmi", "30.0", "kg/m²", "obese", "H"),
        ])
    func others(quantity: String, value: String, unit: String, code: String, interpretation: String) throws {
        let kinds: [String: MeasurementKind] = ["temperature": .temperature, "spO2": .oxygenSaturation, "bmi": .weight]
        let result = judge(try #require(kinds[quantity]), [(quantity, value, unit)])
        #expect(result.code == code && result.rule?.interpretation == interpretation)
    }

    @Test("The skin below 35 °C is no hypothermia", arguments: ["armpit", "finger", "toe", "ear", "mouth"])
    func sites(site: String) throws {
        let person = Person(id: 1, name: "A", born: "1961-04-30", guideline: .esc, setting: .home, pregnant: false)
        func judgement(_ value: Decimal) -> Judgement {
            var measurement = HealthMeasurement(
                kind: .temperature, quantities: [Quantity("temperature", value, unit: "°C")])
            measurement.qualifiers = [site]
            return assessor.judge(measurement, of: person, at: Date())
        }
        #expect(judgement(38).code == "fever")
        if ["ear", "mouth"].contains(site) {
            #expect(judgement(34).code == "hypothermia")
        } else {
            let reason: HubText = "the limit of hypothermia does not hold for the site of measurement (\(site))"
            #expect(judgement(34) == .notJudged(reason: reason))
        }
    }

    @Test("Interpretation codes of glucose")
    func glucoseInterpretations() {
        for (value, interpretation, isUrgent) in [
            ("53", "LL", true), ("54", "L", false), ("70", "N", false), ("181", "H", false), ("251", "HH", false),
        ] {
            let rule = judge(.glucose, [("glucose", value, "mg/dL")]).rule
            #expect(rule?.interpretation == interpretation && rule?.isUrgent == isUrgent, "\(value)")
        }
    }

    @Test("A sentence names the source of its own rule")
    func sentences() {
        let low = judge(.bloodPressure, [("systolic", "85", "mmHg"), ("diastolic", "55", "mmHg")])
        #expect(low.sentence == "85/55 mmHg: in the range of low blood pressure at home, NHLBI 2022")
        #expect(low.rule?.year == 2022)
        let cold = judge(.temperature, [("temperature", "34.0", "°C")])
        #expect(cold.sentence == "34.0 °C: in the range of hypothermia, ERC 2021")
        for rule in assessor.rules {
            #expect(rule.source.contains(String(rule.year)) || rule.sourceName == "WHO 2011", "\(rule.id)")
        }
    }

    @Test("The ranges of a quantity have no gaps")
    func withoutGaps() {
        for tenth in stride(from: 300, through: 2500, by: 1) {
            let text = "\(tenth / 10).\(tenth % 10)"
            #expect(judge(.glucose, [("glucose", text, "mg/dL")]).code != nil, "\(text) mg/dL")
            #expect(judge(.temperature, [("temperature", text, "°F")]).code != nil, "\(text) °F")
            for guideline in Rule.Guideline.allCases {
                let values = [("systolic", text, "mmHg"), ("diastolic", "75.5", "mmHg")]
                #expect(judge(.bloodPressure, values, guideline).code != nil, "\(text) mmHg")
            }
        }
    }

    @Test("Targets include their limits, and apply to their unit only")
    func targets() throws {
        var person = Person(id: 1, name: "A", born: "1961-04-30", guideline: .esc, setting: .home, pregnant: false)
        person.settings.diabetes = true
        try person.settings.change(
            targets: ["glucose=4.0..8.0 mmol/L", "systolic=120..129 mmHg"], withoutTargets: [], every: [])
        func sentence(_ value: String, _ unit: String) -> String {
            let measurement = HealthMeasurement(
                kind: .glucose, quantities: [Quantity("glucose", Decimal(string: value), text: value, unit: unit)])
            if case .judged(_, let text) = assessor.judge(measurement, of: person, at: now) { return text.description }
            return ""
        }
        #expect(sentence("4.0", "mmol/L").hasSuffix("; within the target (glucose 4 to 8 mmol/L)"))
        #expect(sentence("3.9", "mmol/L").contains("; below the target"))
        #expect(sentence("8.1", "mmol/L").contains("; above the target"))
        #expect(!sentence("100", "mg/dL").contains("the target ("))
        try person.settings.change(targets: [], withoutTargets: ["glucose"], every: [])
        #expect(person.settings.targets.map(\.quantity) == ["systolic"])
        for text in [
            "", "systolic", "systolic=..", "systolic=130..120 mmHg", "pulse=1..2 bpm", "systolic=1..2 bar",
            "spO2=50..80 %", "spO2=..87 %", "glucose=1..50 mg/dL", "glucose=2.. mmol/L", "glucose=..300 mg/dL",
            "systolic=200.. mmHg", "systolic=..69 mmHg", "diastolic=..121 mmHg", "temperature=20..30 °C",
            "temperature=..41 °C",
        ] {
            #expect(throws: HubProblem.self, "\(text)") { try PersonSettings.Target(text) }
        }
        let quantity = #expect(throws: HubProblem.self) {
            try person.settings.change(targets: [], withoutTargets: ["foo"], every: [])
        }
        #expect(quantity?.description.contains("there is no quantity 'foo'; the quantities are bmi, ") == true)
        let kind = #expect(throws: HubProblem.self) {
            try person.settings.change(targets: [], withoutTargets: [], every: ["foo=1"])
        }
        #expect(kind?.description.hasPrefix("there is no kind 'foo'; the kinds are bloodPressure, ") == true)
        for text in ["bloodPressure", "bloodPressure=x", "pulse=1", "bloodPressure=-1"] {
            #expect(throws: HubProblem.self, "\(text)") {
                try person.settings.change(targets: [], withoutTargets: [], every: [text])
            }
        }
    }

    @Test("The state contains overdue readings, targets and the weight change")
    func state() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        _ = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("S-1", to: 1)
        _ = try store.changePerson(1) { person in
            try person.settings.change(
                targets: ["weight=..80 kg"], withoutTargets: [], every: ["weight=2", "bloodPressure=1"])
        }
        for (value, days) in [("82.0", 6.0), ("80.5", 1.0)] {
            var reading = SubmittedReading()
            reading.device = .init(serial: "S-1")
            reading.fields = ["weight": .object(["value": .string(value), "unit": .string("kg")])]
            reading.time = now.addingTimeInterval(-days * 86400).formatted(.iso8601)
            _ = try store.store([reading], gateway: "g", arrived: now)
        }
        var state = try #require(try store.state(of: 1, now: now))
        #expect(state.overdue.map(\.kind) == ["bloodPressure"] && state.overdue[0].last == nil)
        #expect(state.targets.map(\.outcome) == ["above"] && state.targets[0].value == Decimal(string: "80.5"))
        #expect(state.summaries["weight"]?.periods.map(\.change) == [-1.5, -1.5, -1.5])
        state = try #require(try store.state(of: 1, now: now.addingTimeInterval(86401)))
        #expect(state.overdue.map(\.kind) == ["bloodPressure", "weight"])
        #expect(state.overdue[1].due == now.addingTimeInterval(86400).formatted(.iso8601))
    }
}
