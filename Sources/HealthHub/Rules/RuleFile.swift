import Foundation
import Yams

/// A parsed rule file.
package struct RuleFile: Sendable {
    /// The rules in the order of the file. The first that matches decides.
    package let rules: [Rule]

    private struct Document: Decodable {
        let source: String
        let name: String
        let year: Int
        let version: String
        let guideline: Rule.Guideline?
        /// The decimals of the limits by unit, if values are rounded to them.
        let decimals: [String: Int]?
        let rules: [Entry]
    }

    private struct Entry: Decodable {
        let id: String
        let kind: String
        let setting: Rule.Setting?
        let any: [String: [String: Rule.Bounds]]?
        let all: [String: [String: Rule.Bounds]]?
        let code: String
        let range: String
        let interpretation: String
        let urgent: Bool?
        let action: String?
        let groups: Set<Person.Group>?
        let diabetes: Bool?
        let meals: Set<String>?
        let replacedByTarget: Bool?
        let exceptedSites: [String]?
        let source: String?
        let name: String?
        let year: Int?
    }

    /// Parses a rule file.
    /// - Parameters:
    ///   - text: the YAML text.
    ///   - name: the name of the file, for messages.
    /// - Throws: ``RuleProblem`` with the file and the rule.
    package init(_ text: String, name: String) throws(RuleProblem) {
        let document: Document
        do {
            document = try YAMLDecoder().decode(Document.self, from: text)
        } catch {
            throw RuleProblem("\(name): \(error)")
        }
        var rules: [Rule] = []
        for entry in document.rules {
            func wrong(_ reason: String) -> RuleProblem { RuleProblem("\(name): rule '\(entry.id)': \(reason)") }
            guard let kind = MeasurementKind.named(entry.kind) else { throw wrong("unknown kind '\(entry.kind)'") }
            guard (entry.any == nil) != (entry.all == nil), let bounds = entry.any ?? entry.all, !bounds.isEmpty else {
                throw wrong("must have either 'any' or 'all', with at least one quantity")
            }
            for (quantity, byUnit) in bounds where byUnit.isEmpty || byUnit.values.contains(where: \.isEmpty) {
                throw wrong("'\(quantity)' must have a unit with min, max, above or below")
            }
            guard ["N", "H", "HH", "L", "LL", "A"].contains(entry.interpretation) else {
                throw wrong("interpretation must be one of N, H, HH, L, LL, A")
            }
            guard entry.source == nil || (entry.name != nil && entry.year != nil) else {
                throw wrong("a rule with its own source must have its name and year")
            }
            guard (entry.urgent == true) == (entry.action != nil) else {
                throw wrong("an urgent rule, and no other, has an action")
            }
            guard !rules.contains(where: { $0.id == entry.id }) else { throw wrong("the identifier occurs twice") }
            rules.append(
                Rule(
                    id: entry.id, kind: kind, guideline: document.guideline, setting: entry.setting, bounds: bounds,
                    decimals: document.decimals ?? [:], matchesAny: entry.any != nil,
                    exceptedSites: Set(entry.exceptedSites ?? []), groups: entry.groups ?? [.adult],
                    hasDiabetes: entry.diabetes, meals: entry.meals ?? [], action: entry.action.map { HubText($0) },
                    code: entry.code,
                    range: HubText(entry.range), interpretation: entry.interpretation, isUrgent: entry.urgent ?? false,
                    isReplacedByTarget: entry.replacedByTarget ?? false,
                    sourceName: entry.name ?? document.name, source: entry.source ?? document.source,
                    year: entry.year ?? document.year,
                    version: document.version))
        }
        self.rules = rules
    }
}

/// The error for an invalid rule file.
package struct RuleProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file, the rule and the reason.
    package var description: String
    init(_ description: String) { self.description = description }
}
