#if Programs
import Foundation

/// A declared rule of assessment: a condition on the quantities of one kind of reading, and its result.
package struct Rule: Sendable, Equatable {
    /// Bounds of a quantity in one unit. All bounds that are present must hold.
    package struct Bounds: Sendable, Equatable, Codable {
        /// Smallest value.
        package var min: Decimal?
        /// Largest value.
        package var max: Decimal?
        /// Exclusive lower bound.
        package var above: Decimal?
        /// Exclusive upper bound.
        package var below: Decimal?

        /// The value lies within the bounds.
        package func contains(_ value: Decimal) -> Bool {
            if let min, value < min { return false }
            if let max, value > max { return false }
            if let above, value <= above { return false }
            if let below, value >= below { return false }
            return true
        }

        var isEmpty: Bool { min == nil && max == nil && above == nil && below == nil }
    }

    /// Where a measurement was taken.
    package enum Setting: String, Sendable, CaseIterable, Codable { case home, office }

    /// A recommendation by which blood pressure is classified.
    package enum Guideline: String, Sendable, CaseIterable, Codable {
        case accAHA = "acc-aha"
        case esc
    }

    /// Identifier, unique over all files: "esc-2024-home-hypertension".
    package var id: String
    /// Kind of readings.
    package var kind: ReadingKind
    /// Only for people who are judged by this guideline; nil for everyone.
    package var guideline: Guideline?
    /// Only for measurements in this setting; nil for both.
    package var setting: Setting?
    /// Bounds by quantity, then by unit. Borders are declared for each unit; they are never converted.
    package var bounds: [String: [String: Bounds]]
    /// The rule holds when one quantity is within its bounds, not only when all are.
    package var matchesAny: Bool
    /// Slug of the result: "stage-1".
    package var code: String
    /// Name of the range in a sentence: "stage 1 hypertension".
    package var range: String
    /// Code of the system v3-ObservationInterpretation: N, H, L, HH, LL, A.
    package var interpretation: String
    /// The reading calls for action at once.
    package var isUrgent: Bool
    /// Short name of the source in a sentence: "ESC 2024".
    package var sourceName: String
    /// The source.
    package var source: String
    /// Year of the source.
    package var year: Int
    /// Version of the rule file.
    package var version: String

    /// The condition holds.
    /// - Returns: nil where a quantity is missing or its unit has no declared border.
    func matches(_ measurement: HealthMeasurement) -> Bool? {
        var known = false
        for (name, byUnit) in bounds {
            guard let quantity = measurement[name], let value = quantity.value, let bounds = byUnit[quantity.unit]
            else {
                if matchesAny { continue }
                return nil
            }
            known = true
            let isWithin = bounds.contains(value)
            if matchesAny, isWithin { return true }
            if !matchesAny, !isWithin { return false }
        }
        return known ? !matchesAny : nil
    }
}
#endif
