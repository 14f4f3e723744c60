import Foundation

/// The settings that a person and their doctor agreed on: targets, and intervals between measurements.
package struct PersonSettings: Sendable, Equatable, Codable {
    /// A target range for a quantity in one unit; borders are never converted.
    package struct Target: Sendable, Equatable, Codable {
        /// The name of the quantity: "systolic".
        package var quantity: String
        package var unit: String
        /// The inclusive lower border; nil for none.
        package var min: Decimal?
        /// The inclusive upper border; nil for none.
        package var max: Decimal?

        /// Parses a text such as `systolic=120..129 mmHg`; either border may be omitted.
        /// - Throws: ``HubProblem`` with the correct form.
        package init(_ text: String) throws {
            let form = /\s*([A-Za-z0-9]+)\s*=\s*(-?[0-9]+(?:\.[0-9]+)?)?\.\.(-?[0-9]+(?:\.[0-9]+)?)?\s+(\S+)\s*/
            guard let match = text.wholeMatch(of: form), match.2 != nil || match.3 != nil else {
                throw HubProblem(
                    .invalid, "'\(text)' is not a target; expected a form such as 'systolic=120..129 mmHg'")
            }
            quantity = String(match.1)
            unit = String(match.4)
            min = match.2.flatMap { Decimal(string: String($0)) }
            max = match.3.flatMap { Decimal(string: String($0)) }
            let kind = try PersonSettings.quantity(quantity)
            let stored: String
            do { stored = try kind.stored(1, unit).unit } catch { throw HubProblem(.invalid, "\(error)") }
            // A unit that is converted when a reading arrives would apply to none.
            guard stored == unit else {
                throw HubProblem(
                    .invalid, "readings of \(quantity) in '\(unit)' are stored in \(stored); use '\(stored)'")
            }
            for limit in [min, max].compactMap({ $0 }) {
                guard let problem = kind.problem(Quantity(quantity, limit, unit: unit)) else { continue }
                throw HubProblem(.invalid, "'\(text)': \(problem)")
            }
            for limit in [min, max].compactMap({ $0 }) {
                // Below 88 % a value is an emergency also for people with a chronic disease of the lung: NEWS2, SpO2
                // scale 2 (Royal College of Physicians, 2017).
                if quantity == "spO2", limit < 88 {
                    throw HubProblem(.invalid, "'\(text)': a limit of spO2 is at least 88 %, not \(limit) %")
                }
                guard quantity != "spO2", let rule = Assessor.urgentRule(for: quantity, limit, unit) else { continue }
                throw HubProblem(
                    .invalid,
                    "'\(text)': \(limit) \(unit) is urgent (\(rule.range), \(rule.sourceName)); use another limit")
            }
            if let min, let max, min > max {
                throw HubProblem(.invalid, "'\(text)': the lower limit is above the upper limit")
            }
        }

        /// "systolic 120 to 129 mmHg".
        package var text: HubText {
            let name = QuantityKind.label(quantity)
            return switch (min, max) {
            case (let min?, let max?): "\(name) \(min) to \(max) \(unit)"
            case (let min?, nil): "\(name) at least \(min) \(unit)"
            case (nil, let max?): "\(name) at most \(max) \(unit)"
            case (nil, nil): name
            }
        }

        /// "within the target (systolic 120 to 129 mmHg)".
        func sentence(_ value: Decimal) -> HubText {
            switch outcome(value) {
            case "below": "below the target (\(text))"
            case "above": "above the target (\(text))"
            default: "within the target (\(text))"
            }
        }

        /// `within`, `below` or `above`.
        package func outcome(_ value: Decimal) -> String {
            if let min, value < min { return "below" }
            if let max, value > max { return "above" }
            return "within"
        }
    }

    /// The targets, one for each quantity and unit.
    package var targets: [Target] = []
    /// The interval between readings in days, by kind.
    package var every: [String: Double] = [:]
    /// The height in metres; nil if unknown.
    package var height: Decimal?

    /// True for a person with diabetes; nil if unknown.
    package var diabetes: Bool?

    /// Creates empty settings.
    package init() {}

    /// Parses a height such as `1.72 m`, `172 cm` or `1.72`.
    /// - Returns: the height in metres.
    /// - Throws: ``HubProblem`` with the correct form.
    package static func height(_ text: String) throws -> Decimal {
        let match = text.wholeMatch(of: /\s*([0-9]+(?:\.[0-9]+)?)\s*(cm|m)?\s*/)
        if let match, let number = Decimal(string: String(match.1), locale: Locale(identifier: "en_US_POSIX")) {
            let metres = match.2 == "cm" ? number / 100 : number
            if metres >= 0.3, metres <= 2.8 { return metres }
        }
        throw HubProblem(.invalid, "'\(text.prefix(32))' is not a height; expected a form such as '1.72 m' or '172 cm'")
    }

    /// The intervals between readings as text: "bloodPressure: every 2 days".
    var intervals: [String] {
        every.sorted { $0.key < $1.key }.map { kind, days in
            let number = days == days.rounded() ? String(Int(days)) : String(days)
            return "\(kind): every \(days == 1 ? "day" : "\(number) days")"
        }
    }

    /// Returns the quantity with this name.
    /// - Throws: ``HubProblem`` with the names for an unknown quantity.
    @discardableResult
    private static func quantity(_ name: String) throws(HubProblem) -> QuantityKind {
        let names = Set(MeasurementKind.allCases.flatMap(\.storedQuantities))
        if names.contains(name), let quantity = QuantityKind[name] { return quantity }
        let list = names.sorted().joined(separator: ", ")
        throw HubProblem(.invalid, "there is no quantity '\(name)'; the quantities are \(list)")
    }

    /// Changes the settings.
    /// - Parameters:
    ///   - targets: texts in the form of ``Target/init(_:)``; each replaces the target of the same quantity and unit.
    ///   - withoutTargets: the quantities whose targets, if there are any, are removed.
    ///   - every: texts such as `bloodPressure=1`; 0 days removes an interval.
    /// - Throws: ``HubProblem`` for an invalid text.
    package mutating func change(targets: [String], withoutTargets: [String], every texts: [String]) throws {
        for name in withoutTargets { try Self.quantity(name) }
        self.targets.removeAll { withoutTargets.contains($0.quantity) }
        for target in try targets.map(Target.init) {
            self.targets.removeAll { $0.quantity == target.quantity && $0.unit == target.unit }
            self.targets.append(target)
        }
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1)
            // Readings of the kind `other` have nothing in common.
            let kinds = MeasurementKind.allCases.filter { $0 != .other }
            if let name = parts.first, parts.count == 2, !kinds.contains(where: { $0.name == name }) {
                let names = kinds.map(\.name).joined(separator: ", ")
                throw HubProblem(.invalid, "there is no kind '\(name)'; the kinds are \(names)")
            }
            guard parts.count == 2, let kind = MeasurementKind.named(String(parts[0])),
                parts[1].wholeMatch(of: /[0-9]+(\.[0-9]+)?/) != nil, let days = Double(parts[1]), days <= 366
            else {
                throw HubProblem(
                    .invalid, "'\(text)' is not an interval; expected a form such as 'bloodPressure=1', in days")
            }
            every[kind.name] = days == 0 ? nil : days
        }
    }
}

/// A change of a person, or a new one. What is nil stays as it is.
package struct PersonChange: Codable, Sendable, Equatable {
    package var name, born: String?
    package var guideline: Rule.Guideline?
    package var setting: Rule.Setting?
    package var pregnant, diabetes: Bool?
    package var height: Height?
    /// See ``PersonSettings/change(targets:withoutTargets:every:)``.
    package var targets, withoutTargets, every: [String]?

    /// A text such as `1.72 m`, or a number of metres.
    package struct Height: Codable, Sendable, Equatable, ExpressibleByStringLiteral {
        let text: String

        package init(stringLiteral text: String) { self.text = text }

        package init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            text = try (try? value.decode(Decimal.self)).map { "\($0) m" } ?? value.decode(String.self)
        }

        package func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
    }

    /// Creates a change of nothing, or a new person.
    package init(name: String? = nil, born: String? = nil) { (self.name, self.born) = (name, born) }

    /// - Throws: ``HubProblem`` for an invalid text.
    package func apply(to person: inout Person) throws {
        if let height { person.settings.height = try PersonSettings.height(height.text) }
        person.name = name ?? person.name
        person.born = born ?? person.born
        person.guideline = guideline ?? person.guideline
        person.setting = setting ?? person.setting
        person.pregnant = pregnant ?? person.pregnant
        person.settings.diabetes = diabetes ?? person.settings.diabetes
        try person.settings.change(
            targets: targets ?? [], withoutTargets: withoutTargets ?? [], every: every ?? [])
    }
}

extension PersonState {
    /// A target with the latest value.
    package struct TargetState: Sendable, Encodable {
        package var quantity: String
        /// The symbol of the unit of the target and of the value.
        package var unit: String
        package var text: HubText
        /// The inclusive borders of the target; nil for none.
        package var min, max: Decimal?
        /// The latest value in the unit of the target; nil if there is none.
        package var value: Decimal?
        /// `within`, `below` or `above`; nil without a value.
        package var outcome: String?
    }

    /// A kind of reading that is overdue.
    package struct Overdue: Sendable, Encodable {
        package var kind: String
        /// The days between readings.
        package var everyDays: Double
        /// The time of the latest reading that counts (RFC 3339); nil if there is none.
        package var last: String?
        /// The time at which the next reading was due (RFC 3339).
        package var due: String?
    }
}
