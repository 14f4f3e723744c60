import Foundation

/// The search for urgent readings of a kind, of people with the same guideline and setting.
struct UrgentSearch: Sendable {
    let kind: MeasurementKind
    /// The number of rules that can apply.
    let ruleCount: Int
    /// An SQL condition that holds for each reading to which a rule applies, and for few others.
    let condition: String
    /// The arguments of the condition, from the eighth of the query on.
    let arguments: StoreArguments

    /// Creates a search; nil if no rule is urgent.
    /// - Parameter rules: the rules for the kind, the guideline and the setting.
    init?(_ kind: MeasurementKind, _ rules: [Rule]) {
        let urgent = rules.filter(\.isUrgent)
        guard !urgent.isEmpty else { return nil }
        (self.kind, ruleCount) = (kind, urgent.count)
        // A value beyond the range of the device has no number. Many values of a stream have none: of an oximeter, only
        // those with the special value -INF after the flags (Pulse Oximeter Service 1.0.1, 3.1.1 and 3.2.1).
        let infinite = " AND (fields IS NOT NULL OR substr(raw, 2, 2) = ?8)"
        arguments = kind.isStreamed ? [Data([0x02, 0x08])] : []
        condition = (urgent.map { "(\($0.candidates))" } + ["v1 IS NULL" + (kind.isStreamed ? infinite : "")])
            .joined(separator: " OR ")
    }
}

extension Rule {
    /// An SQL condition that holds for each reading to which the rule applies, and for few others: a day of a monitor
    /// has too many values to decode them all.
    fileprivate var candidates: String {
        var conditions: [String] = []
        for (name, units) in bounds {
            guard let value = kind.column(of: name) else {
                // The quantity has no column.
                if matchesAny { return "1 = 1" }
                continue
            }
            let alternatives = units.map { unit, borders in
                func number(_ border: Decimal) -> Double { Quantity(name, border, unit: unit).canonical ?? 0 }
                var parts = ["\(value) IS NOT NULL"]
                // The tolerance is that of the conversion.
                if let lower = [borders.min, borders.above].compactMap({ $0 }).max() {
                    parts.append("\(value) >= \(number(lower - tolerance(unit)) - 0.001)")
                }
                if let upper = [borders.max, borders.below].compactMap({ $0 }).min() {
                    parts.append("\(value) <= \(number(upper + tolerance(unit)) + 0.001)")
                }
                return "(" + parts.joined(separator: " AND ") + ")"
            }
            conditions.append("(" + alternatives.sorted().joined(separator: " OR ") + ")")
        }
        guard !conditions.isEmpty else { return "1 = 1" }
        return conditions.sorted().joined(separator: matchesAny ? " OR " : " AND ")
    }
}
