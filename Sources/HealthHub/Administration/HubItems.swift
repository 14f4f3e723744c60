import Foundation

/// A person in JSON, where identifiers are strings.
package struct PersonItem: Encodable, Sendable {
    let id, name, born: String
    let guideline: Rule.Guideline
    let setting: Rule.Setting
    let pregnant: Bool
    let targets: [String]
    let every: [String: Double]
    let height: Decimal?
    let diabetes: Bool?

    /// Creates the JSON form of a person.
    package init(_ person: Person) {
        id = String(person.id)
        (name, born, guideline) = (person.name, person.born, person.guideline)
        (setting, pregnant) = (person.setting, person.pregnant)
        targets = person.settings.targets.map(\.text.description)
        every = person.settings.every
        height = person.settings.height
        diabetes = person.settings.diabetes
    }
}

package struct RuleItem: Encodable, Sendable {
    private let id, kind, code, interpretation, source, name, version: String
    private let range: HubText
    private let guideline: Rule.Guideline?
    private let setting: Rule.Setting?
    private let bounds: [String: [String: Rule.Bounds]]
    private let action: HubText?
    private let groups: [Person.Group]
    private let diabetes: Bool?
    private let meals: [String]
    private let anyQuantity, urgent: Bool
    private let year: Int

    /// Creates the JSON form of a rule.
    package init(_ rule: Rule) {
        (id, kind, code, range) = (rule.id, rule.kind.name, rule.code, rule.range)
        (interpretation, source, name, version) = (rule.interpretation, rule.source, rule.sourceName, rule.version)
        (guideline, setting, bounds) = (rule.guideline, rule.setting, rule.bounds)
        groups = Person.Group.allCases.filter(rule.groups.contains)
        (action, diabetes, meals) = (rule.action, rule.hasDiabetes, rule.meals.sorted())
        (anyQuantity, urgent, year) = (rule.matchesAny, rule.isUrgent, rule.year)
    }
}
