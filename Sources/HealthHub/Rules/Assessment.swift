import Foundation
import JSON

/// The result of assessing a reading: the range of a rule, or the reason why there is none.
package enum Judgement: Sendable, Equatable {
    /// The reading lies in the range of a rule.
    case judged(Rule, sentence: HubText)
    case notJudged(reason: HubText)

    /// The slug of the range; nil if the reading is not judged.
    package var code: String? {
        if case .judged(let rule, _) = self { return rule.code }
        return nil
    }

    /// True for a value that needs attention at once.
    var isUrgent: Bool {
        if case .judged(let rule, _) = self { return rule.isUrgent }
        return false
    }
}

extension Judgement: Encodable {
    /// Returns the judgement as the API answers it.
    package func json(in language: Language = .english) -> JSONValue {
        func string(_ text: HubText) -> JSONValue { .string(text.text(in: language)) }
        return switch self {
        case .notJudged(let reason): ["code": .null, "reason": string(reason)]
        case .judged(let rule, let sentence):
            .known([
                "action": rule.action.map(string), "code": .string(rule.code),
                "interpretation": .string(rule.interpretation), "rule": .string(rule.id),
                "sentence": string(sentence), "source": .string(rule.source), "urgent": .bool(rule.isUrgent),
                "version": .string(rule.version),
            ])
        }
    }

    package func encode(to encoder: any Encoder) throws { try json(in: .of(encoder)).encode(to: encoder) }
}

/// Applies rules to readings.
package struct Assessor: Sendable {
    /// The rules for one kind of reading of people with the same guideline and setting.
    private struct Selection: Sendable {
        var rules: [Rule] = []
        /// The search for readings to which urgent rules apply; nil if there are none.
        var urgent: UrgentSearch?
        /// The quantities that the rules need, by name, each with the units for which a border is declared.
        var needed: [(name: String, units: Set<String>)] = []
    }

    private struct Selector: Hashable {
        let kind: MeasurementKind
        let guideline: Rule.Guideline
        let setting: Rule.Setting
        let group: Person.Group
    }

    /// Returns an urgent rule for adults that contains a value; nil if there is none.
    static func urgentRule(for quantity: String, _ value: Decimal, _ unit: String) -> Rule? {
        (try? builtIn.get())?.rules.first {
            $0.isUrgent && $0.groups.contains(.adult) && $0.bounds[quantity]?[unit]?.contains(value) == true
        }
    }

    /// The rules; the first that matches decides.
    package let rules: [Rule]
    private let selections: [Selector: Selection]

    /// Creates an assessor with the built-in rules.
    /// - Throws: ``RuleProblem``; a test reads every built-in file.
    package init() throws(RuleProblem) { self = try Self.builtIn.get() }

    /// The files are read once: they are the same for every assessor.
    private static let builtIn = Result<Assessor, RuleProblem> { () throws(RuleProblem) in
        var rules: [Rule] = []
        for file in BuiltInRules.files { rules += try RuleFile(file.text, name: file.name).rules }
        return Assessor(rules: rules)
    }

    /// Creates an assessor with other rules.
    package init(rules: [Rule]) {
        self.rules = rules
        var selections: [Selector: Selection] = [:]
        for kind in MeasurementKind.allCases {
            for guideline in Rule.Guideline.allCases {
                for setting in Rule.Setting.allCases {
                    for group in Person.Group.allCases {
                        let relevant = rules.filter {
                            $0.kind == kind && ($0.guideline ?? guideline) == guideline
                                && ($0.setting ?? setting) == setting && $0.groups.contains(group)
                        }
                        let selector = Selector(kind: kind, guideline: guideline, setting: setting, group: group)
                        selections[selector] = Selection(
                            rules: relevant,
                            urgent: UrgentSearch(kind, relevant),
                            needed: Set(relevant.flatMap(\.bounds.keys)).sorted().map { name in
                                (name, Set(relevant.flatMap { $0.bounds[name]?.keys.map { $0 } ?? [] }))
                            })
                    }
                }
            }
        }
        self.selections = selections
    }

    private func selection(
        _ kind: MeasurementKind, _ person: Person, at time: Date, in zone: TimeZone
    ) -> Selection {
        let group = person.group(at: time, in: zone)
        return selections[
            Selector(kind: kind, guideline: person.guideline, setting: person.setting, group: group),
            default: Selection()]
    }

    func urgentSearches(for person: Person, at time: Date, in zone: TimeZone) -> [UrgentSearch] {
        MeasurementKind.allCases.compactMap { selection($0, person, at: time, in: zone).urgent }
    }

    /// Judges one reading. Of a person who is not judged only the urgent limits of their group hold.
    /// - Parameters:
    ///   - person: the person to whom the reading belongs; nil if unassigned.
    ///   - time: the time of the measurement.
    ///   - zone: the hub's time zone, whose days decide on the age of the person.
    package func judge(
        _ measurement: HealthMeasurement, of person: Person?, at time: Date, in zone: TimeZone = .current
    ) -> Judgement {
        guard let person else { return .notJudged(reason: "the device is not assigned to a person") }
        let exclusion = person.reasonNotToJudge(at: time, in: zone)
        func notJudged(_ reason: HubText) -> Judgement { .notJudged(reason: exclusion ?? reason) }
        if let reservation = measurement.reservation, !measurement.isBeyondRange { return notJudged(reservation) }
        if measurement.kind == .heartRate {
            return notJudged("a heart rate without its context (rest, activity) is not judged")
        }
        let relevant = selection(measurement.kind, person, at: time, in: zone)
        guard !relevant.rules.isEmpty else { return notJudged("there is no rule for this kind of reading") }
        let measurement = measurement.withBodyMassIndex(height: person.settings.height)
        let rules = replacing(relevant.rules, measurement, by: person.settings.targets)
        let rule = rules.first { $0.applies(to: person, measurement) && $0.matches(measurement) == true }
        // One quantity can be urgent without the others.
        if rule?.isUrgent != true, let reason = missing(measurement, relevant) { return notJudged(reason) }
        guard let rule else {
            return notJudged(
                measurement.kind == .glucose && person.settings.diabetes != true
                    ? "a range of glucose depends on diabetes and on meals; state in your data if you have diabetes"
                    : "no declared range contains the value")
        }
        if let site = measurement.qualifiers.first(where: rule.exceptedSites.contains) {
            return notJudged("the limit of \(rule.range) does not hold for the site of measurement (\(site))")
        }
        if let exclusion, !rule.isUrgent { return .notJudged(reason: exclusion) }
        return .judged(rule, sentence: sentence(measurement, rule, person))
    }

    /// Returns the reason why the quantities do not suffice for the rules; nil if they do.
    private func missing(_ measurement: HealthMeasurement, _ selection: Selection) -> HubText? {
        for (name, units) in selection.needed {
            guard let quantity = measurement[name] else {
                if measurement.kind == .weight, measurement["weight"] == nil { return "weight is missing" }
                return measurement.kind == .weight && name == "bmi"
                    ? "the height is not known, so the body mass index cannot be computed; state it in your data"
                    : "\(QuantityKind.label(name)) is missing"
            }
            guard quantity.comparable != nil else {
                return "\(QuantityKind.label(name)) is not a number (\(quantity.text))"
            }
            if quantity.value != nil, !units.contains(quantity.unit) {
                return "no limit is defined for \(QuantityKind.label(name)) in \(quantity.unit)"
            }
        }
        return nil
    }

    /// Returns the rules with the limits of the person's targets.
    private func replacing(
        _ rules: [Rule], _ measurement: HealthMeasurement, by targets: [PersonSettings.Target]
    ) -> [Rule] {
        guard !targets.isEmpty, rules.contains(where: \.isReplacedByTarget) else { return rules }
        var rules = rules
        for target in targets where measurement[target.quantity]?.unit == target.unit {
            let limits = rules.compactMap { $0.bounds[target.quantity]?[target.unit] }.flatMap { [$0.min, $0.below] }
            guard let highest = limits.compactMap({ $0 }).max() else { continue }
            rules = rules.map { $0.with(target, highest: highest) }
        }
        return rules
    }

    private func sentence(_ measurement: HealthMeasurement, _ rule: Rule, _ person: Person) -> HubText {
        let value = measurement.words
        let targets = person.settings.targets.compactMap { target -> HubText? in
            guard let quantity = measurement[target.quantity], quantity.unit == target.unit else { return nil }
            return quantity.value.map(target.sentence)
        }
        // The published source does not speak for a limit of the person.
        if rule.isPersonal { return "\(value): \(HubText.joined(targets, by: "; "))" }
        let place: HubText =
            rule.kind != .bloodPressure ? "" : person.setting == .home ? " at home" : " in the office"
        let sentence: HubText =
            rule.range.description.hasPrefix("the ")
            ? "\(value): in \(rule.range)\(place), \(rule.sourceName)"
            : "\(value): in the range of \(rule.range)\(place), \(rule.sourceName)"
        return .joined([sentence] + targets, by: "; ")
    }
}
