import Foundation
import Testing

@testable import HealthHub

@Suite("Assessment rules")
struct RuleTests {
    private let assessor: Assessor
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    init() throws { assessor = try Assessor() }

    private func person(
        _ guideline: Rule.Guideline = .esc, _ setting: Rule.Setting = .home, born: String = "1961-04-30",
        pregnant: Bool = false, diabetes: Bool? = nil
    ) -> Person {
        var person = Person(id: 1, name: "A", born: born, guideline: guideline, setting: setting, pregnant: pregnant)
        person.settings.diabetes = diabetes
        return person
    }

    private func pressure(_ systolic: Decimal, _ diastolic: Decimal, unit: String = "mmHg") -> HealthMeasurement {
        HealthMeasurement(
            kind: .bloodPressure,
            quantities: [Quantity("systolic", systolic, unit: unit), Quantity("diastolic", diastolic, unit: unit)])
    }

    @Test(
        "AHA/ACC 2025 at its limits, which are the same at home and in the office but for stage 2",
        arguments: [
            (119, 79, "normal", "normal"), (120, 79, "elevated", "elevated"), (129, 79, "elevated", "elevated"),
            (130, 79, "stage-1", "stage-1"), (119, 80, "stage-1", "stage-1"), (134, 84, "stage-1", "stage-1"),
            (135, 79, "stage-1", "stage-2"), (119, 85, "stage-1", "stage-2"), (139, 89, "stage-1", "stage-2"),
            (140, 79, "stage-2", "stage-2"), (119, 90, "stage-2", "stage-2"), (180, 120, "stage-2", "stage-2"),
            (181, 79, "severe", "severe"), (119, 121, "severe", "severe"), (90, 60, "normal", "normal"),
            (89, 60, "low", "low"), (90, 59, "low", "low"),
        ])
    func accAHA(systolic: Int, diastolic: Int, office: String, home: String) {
        for (setting, code) in [(Rule.Setting.office, office), (.home, home)] {
            let judgement = assessor.judge(
                pressure(Decimal(systolic), Decimal(diastolic)), of: person(.accAHA, setting), at: now)
            #expect(judgement.code == code)
            if case .judged(let rule, _) = judgement, code == "stage-2" {
                #expect(rule.source.hasSuffix(setting == .home ? "table 11" : "table 4"))
            }
        }
    }

    @Test(
        "ESC 2024 at home and in the office",
        arguments: [
            (119, 69, Rule.Setting.home, "non-elevated"), (120, 69, .home, "elevated"), (119, 70, .home, "elevated"),
            (134, 84, .home, "elevated"), (135, 69, .home, "hypertension"), (119, 85, .home, "hypertension"),
            (139, 89, .office, "elevated"), (140, 69, .office, "hypertension"), (119, 90, .office, "hypertension"),
            (135, 85, .office, "elevated"), (89, 60, .home, "low"),
        ])
    func esc(systolic: Int, diastolic: Int, setting: Rule.Setting, code: String) {
        let judgement = assessor.judge(
            pressure(Decimal(systolic), Decimal(diastolic)), of: person(.esc, setting), at: now)
        #expect(judgement.code == code)
    }

    @Test("Every glucose limit is declared in both units")
    func glucoseBorders() {
        let cases: [(String, String, String)] = [
            ("53", "mg/dL", "hypoglycaemia-level-2"), ("54", "mg/dL", "hypoglycaemia-level-1"),
            ("69", "mg/dL", "hypoglycaemia-level-1"), ("70", "mg/dL", "in-range"), ("180", "mg/dL", "in-range"),
            ("181", "mg/dL", "high"), ("250", "mg/dL", "high"), ("251", "mg/dL", "very-high"),
            ("2.9", "mmol/L", "hypoglycaemia-level-2"), ("3.0", "mmol/L", "hypoglycaemia-level-1"),
            ("3.8", "mmol/L", "hypoglycaemia-level-1"), ("3.9", "mmol/L", "in-range"), ("10.0", "mmol/L", "in-range"),
            ("10.1", "mmol/L", "high"), ("13.9", "mmol/L", "high"), ("14.0", "mmol/L", "very-high"),
            ("180.16", "mg/dL", "high"),
        ]
        for (value, unit, code) in cases {
            for kind in [MeasurementKind.glucose, .continuousGlucose] {
                let measurement = HealthMeasurement(
                    kind: kind, quantities: [Quantity("glucose", Decimal(string: value), unit: unit)])
                #expect(
                    assessor.judge(measurement, of: person(diabetes: true), at: now).code == code, "\(value) \(unit)")
            }
        }
    }

    @Test("Readings that are not assessed have a reason")
    func reasons() {
        let high = pressure(150, 95)
        func reason(_ measurement: HealthMeasurement, _ person: Person?) -> String? {
            if case .notJudged(let reason) = assessor.judge(measurement, of: person, at: now) {
                return reason.description
            }
            return nil
        }
        #expect(reason(high, nil)?.contains("not assigned") == true)
        #expect(reason(high, person(pregnant: true))?.contains("pregnancy") == true)
        #expect(reason(high, person(born: "2012-01-01"))?.contains("under 18") == true)
        #expect(reason(high, person()) == nil)
        var solution = high
        solution.reservation = "a control solution was measured, not blood"
        #expect(reason(solution, person())?.contains("control solution") == true)
        var special = high
        special.quantities[0] = Quantity("systolic", nil, text: "NaN", unit: "mmHg")
        #expect(reason(special, person())?.contains("NaN") == true)
        #expect(
            reason(HealthMeasurement(kind: .heartRate, quantities: [Quantity("heartRate", 72, unit: "bpm")]), person())?
                .contains("context") == true)
        #expect(
            reason(HealthMeasurement(kind: .weight, quantities: [Quantity("weight", 80, unit: "kg")]), person())?
                .contains("height") == true)
        #expect(reason(pressure(150, 95, unit: "bar"), person())?.contains("bar") == true)
    }

    @Test("Readings are assessed from the eighteenth birthday")
    func birthday() throws {
        let born = person(born: "2008-05-01")
        let before = try #require(Person.date("2026-04-30"))
        let after = try #require(Person.date("2026-05-01"))
        #expect(born.reasonNotToJudge(at: before, in: .gmt) != nil)
        #expect(born.reasonNotToJudge(at: after, in: .gmt) == nil)
    }

    @Test(
        "The eighteenth birthday is a day of the hub's time zone",
        arguments: [
            ("America/Los_Angeles", "2026-11-26T07:59:59Z", false),
            ("America/Los_Angeles", "2026-11-26T08:00:00Z", true),
            ("Pacific/Auckland", "2026-11-25T10:59:59Z", false), ("Pacific/Auckland", "2026-11-25T11:00:00Z", true),
        ])
    func birthdayInZone(_ zone: String, _ time: String, isAdult: Bool) throws {
        let zone = try #require(TimeZone(identifier: zone))
        let time = try Date(time, strategy: .iso8601)
        let born = person(born: "2008-11-26")
        #expect((born.reasonNotToJudge(at: time, in: zone) == nil) == isAdult)
        #expect((assessor.judge(pressure(142, 88), of: born, at: time, in: zone).code != nil) == isAdult)
        #expect(born.age(at: time, in: zone) == (isAdult ? 18 : 17))
    }

    @Test("The sentence of a home value names the range and the source")
    func sentence() throws {
        guard case .judged(let rule, let sentence) = assessor.judge(pressure(142, 88), of: person(), at: now) else {
            Issue.record("not judged")
            return
        }
        #expect(sentence == "142/88 mmHg: in the range of hypertension at home, ESC 2024")
        #expect(rule.interpretation == "H" && !rule.isUrgent && rule.source.contains("McEvoy"))
    }

    @Test("The error of an invalid rule file names the rule")
    func wrongFile() {
        let text = """
            source: a
            name: a
            year: 2020
            version: "1"
            rules:
              - {id: x, kinds: [pulse], all: {a: {b: {min: 1}}}, code: c, range: r, interpretation: N}
            """
        #expect(throws: RuleProblem("mine.yaml: rule 'x': unknown kind 'pulse'")) {
            try RuleFile(text, name: "mine.yaml")
        }
    }

    @Test("Every built-in rule has a source with a year")
    func sources() {
        #expect(assessor.rules.count > 30)
        for rule in assessor.rules {
            #expect(rule.source.contains { $0.isNumber } && rule.year >= 2000, "\(rule.id)")
        }
    }
}
