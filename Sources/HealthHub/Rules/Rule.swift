import Foundation

/// A declarative rule for assessment: a condition on the quantities of one kind of reading, and its result.
package struct Rule: Sendable, Equatable {
    /// The bounds of a quantity in one unit. All bounds that are present must hold.
    package struct Bounds: Sendable, Equatable, Codable {
        /// The inclusive lower bound.
        package var min: Decimal?
        /// The inclusive upper bound.
        package var max: Decimal?
        /// The exclusive lower bound.
        package var above: Decimal?
        /// The exclusive upper bound.
        package var below: Decimal?

        /// Returns true if the value lies within the bounds.
        package func contains(_ value: Decimal) -> Bool {
            if let min, value < min { return false }
            if let max, value > max { return false }
            if let above, value <= above { return false }
            if let below, value >= below { return false }
            return true
        }

        var isEmpty: Bool { min == nil && max == nil && above == nil && below == nil }
    }

    package enum Setting: String, Sendable, CaseIterable, Codable { case home, office }

    /// A guideline for the classification of blood pressure.
    package enum Guideline: String, Sendable, CaseIterable, Codable {
        case accAHA = "acc-aha"
        case esc
    }

    /// The identifier, unique over all files: "esc-2024-home-hypertension".
    package var id: String
    package var kind: MeasurementKind
    /// The guideline of the people to whom the rule applies; nil for everyone.
    package var guideline: Guideline?
    /// The setting to which the rule applies; nil for both.
    package var setting: Setting?
    /// The bounds by quantity, then by unit. Borders are declared for each unit and never converted.
    package var bounds: [String: [String: Bounds]]
    /// The decimals to which values are rounded before they are compared, by unit; values in other units are not
    /// rounded.
    package var decimals: [String: Int] = [:]
    /// True if one quantity within its bounds suffices, false if all are required.
    package var matchesAny: Bool
    /// The sites of measurement, as qualifiers of a reading, at which the rule does not hold: a reading within the
    /// bounds is not judged.
    var exceptedSites: Set<String> = []
    /// The groups of people to whom the rule applies.
    var groups: Set<Person.Group> = [.adult]
    /// True for people with diabetes, false for others; nil for both.
    var hasDiabetes: Bool?
    /// The relations to a meal, as qualifiers of a reading, at which the rule holds; empty for any.
    var meals: Set<String> = []
    /// The advice of an urgent rule, in sentences.
    package var action: HubText?
    /// The slug of the result: "stage-1".
    package var code: String
    /// The name of the range in a sentence: "stage 1 hypertension".
    package var range: HubText
    /// The code of the system v3-ObservationInterpretation: N, H, L, HH, LL, A.
    package var interpretation: String
    /// True if the reading requires immediate action.
    package var isUrgent: Bool
    /// True if the target of a person replaces the limits.
    package var isReplacedByTarget = false
    /// True if a limit is that of a person's target, and not the published one.
    var isPersonal = false
    /// The short name of the source in a sentence: "ESC 2024".
    package var sourceName: String
    package var source: String
    package var year: Int
    /// The version of the rule file.
    package var version: String

    /// Returns the rule with the lower limit of a target in place of its own. A limit below it, such as that of an
    /// emergency, stays.
    /// - Parameter highest: the highest limit of all rules for the quantity.
    func with(_ target: PersonSettings.Target, highest: Decimal) -> Rule {
        guard isReplacedByTarget, let lower = target.min, var bounds = bounds[target.quantity]?[target.unit] else {
            return self
        }
        func replaced(_ limit: Decimal) -> Decimal {
            limit == highest && !isUrgent ? lower : Swift.min(limit, lower)
        }
        bounds.min = bounds.min.map(replaced)
        bounds.below = bounds.below.map(replaced)
        guard bounds != self.bounds[target.quantity]?[target.unit] else { return self }
        var rule = self
        rule.bounds[target.quantity]?[target.unit] = bounds
        (rule.isPersonal, rule.source) = (true, "the person's target")
        return rule
    }

    /// Returns a value as it is compared with the bounds.
    private func rounded(_ value: Decimal, _ unit: String) -> Decimal {
        guard let decimals = decimals[unit] else { return value }
        var (value, rounded) = (value, Decimal())
        NSDecimalRound(&rounded, &value, decimals, .plain)
        return rounded
    }

    /// Returns the most by which rounding changes a value in the unit.
    func tolerance(_ unit: String) -> Decimal {
        decimals[unit].map { Decimal(sign: .plus, exponent: -$0, significand: 1) / 2 } ?? 0
    }

    /// Returns true if the rule holds for a person with the context of a measurement.
    func applies(to person: Person, _ measurement: HealthMeasurement) -> Bool {
        (hasDiabetes ?? (person.settings.diabetes == true)) == (person.settings.diabetes == true)
            && (meals.isEmpty || measurement.qualifiers.contains(where: meals.contains))
    }

    /// Evaluates the condition.
    /// - Returns: nil if a quantity is missing or its unit has no declared border.
    func matches(_ measurement: HealthMeasurement) -> Bool? {
        var known = false
        for (name, byUnit) in bounds {
            guard let quantity = measurement[name], let value = quantity.comparable,
                let bounds = byUnit[quantity.unit] ?? (quantity.value == nil ? byUnit.values.first : nil)
            else {
                if matchesAny { continue }
                return nil
            }
            known = true
            let isWithin = bounds.contains(rounded(value, quantity.unit))
            if matchesAny, isWithin { return true }
            if !matchesAny, !isWithin { return false }
        }
        return known ? !matchesAny : nil
    }
}
