import Foundation
import Yams

package struct RuleFile: Sendable {
    /// The rules in the order of the file. The first that matches decides.
    package let rules: [Rule]

    private struct Source: Decodable {
        let source, name: String
        let year: Int
    }

    private struct Document: Decodable {
        let source, name, version: String
        let year: Int
        /// The sources of rules that have another one, by a key.
        let sources: [String: Source]?
        let guideline: Rule.Guideline?
        /// The decimals of the limits by unit, if values are rounded to them.
        let decimals: [String: Int]?
        let rules: [Entry]
    }

    private struct Entry: Decodable {
        let id: String
        let kinds: [String]
        let setting: Rule.Setting?
        let any, all: [String: [String: Rule.Bounds]]?
        let code, range, interpretation: String
        let urgent: Bool?
        let action: String?
        let groups: Set<Person.Group>?
        let diabetes: Bool?
        let meals: Set<String>?
        let replacedByTarget: Bool?
        let exceptedSites: [String]?
        /// The key of the source; nil for that of the file.
        let source: String?
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
            guard (entry.any == nil) != (entry.all == nil), let bounds = entry.any ?? entry.all, !bounds.isEmpty else {
                throw wrong("must have either 'any' or 'all', with at least one quantity")
            }
            for (quantity, byUnit) in bounds where byUnit.isEmpty || byUnit.values.contains(where: \.isEmpty) {
                throw wrong("'\(quantity)' must have a unit with min, max, above or below")
            }
            guard ["N", "H", "HH", "L", "LL", "A"].contains(entry.interpretation) else {
                throw wrong("interpretation must be one of N, H, HH, L, LL, A")
            }
            var source = Source(source: document.source, name: document.name, year: document.year)
            if let key = entry.source {
                guard let other = document.sources?[key] else { throw wrong("there is no source '\(key)'") }
                source = other
            }
            guard (entry.urgent == true) == (entry.action != nil) else {
                throw wrong("an urgent rule, and no other, has an action")
            }
            guard !rules.contains(where: { $0.id == entry.id }) else { throw wrong("the identifier occurs twice") }
            for (index, name) in entry.kinds.enumerated() {
                guard let kind = MeasurementKind.named(name) else { throw wrong("unknown kind '\(name)'") }
                rules.append(
                    Rule(
                        id: index == 0 ? entry.id : "\(entry.id)-\(name)", kind: kind, guideline: document.guideline,
                        setting: entry.setting, bounds: bounds, decimals: document.decimals ?? [:],
                        matchesAny: entry.any != nil, exceptedSites: Set(entry.exceptedSites ?? []),
                        groups: entry.groups ?? [.adult], hasDiabetes: entry.diabetes, meals: entry.meals ?? [],
                        action: entry.action.map { HubText($0) }, code: entry.code, range: HubText(entry.range),
                        interpretation: entry.interpretation, isUrgent: entry.urgent ?? false,
                        isReplacedByTarget: entry.replacedByTarget ?? false, sourceName: source.name,
                        source: source.source, year: source.year, version: document.version))
            }
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
