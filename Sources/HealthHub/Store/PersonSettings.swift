#if Programs
import Foundation

/// What a person and their doctor agreed: targets, and how often to measure.
package struct PersonSettings: Sendable, Equatable, Codable {
    /// A range for a quantity, in one unit: borders are never converted.
    package struct Target: Sendable, Equatable, Codable {
        /// Name of the quantity: "systolic".
        package var quantity: String
        /// Symbol of the unit.
        package var unit: String
        /// Least value; nil without a lower border.
        package var min: Decimal?
        /// Greatest value; nil without an upper border.
        package var max: Decimal?

        /// The target in a text such as `systolic=120..129 mmHg`; either border may be left out.
        /// - Throws: ``HubProblem`` that says how to write it.
        package init(_ text: String) throws {
            let form = /\s*([A-Za-z0-9]+)\s*=\s*(-?[0-9]+(?:\.[0-9]+)?)?\.\.(-?[0-9]+(?:\.[0-9]+)?)?\s+(\S+)\s*/
            guard let match = text.wholeMatch(of: form), match.2 != nil || match.3 != nil else {
                throw HubProblem(.invalid, "'\(text)' is no target; write it as 'systolic=120..129 mmHg'")
            }
            quantity = String(match.1)
            unit = String(match.4)
            min = match.2.flatMap { Decimal(string: String($0)) }
            max = match.3.flatMap { Decimal(string: String($0)) }
            guard ReadingKind.allCases.contains(where: { $0.storedQuantities.contains(quantity) }) else {
                let names = Set(ReadingKind.allCases.flatMap(\.storedQuantities)).sorted().joined(separator: ", ")
                throw HubProblem(.invalid, "there is no quantity '\(quantity)'; there are \(names)")
            }
            guard FHIRUnit.ucum(unit) != nil else { throw HubProblem(.invalid, "there is no unit '\(unit)'") }
            if let min, let max, min > max {
                throw HubProblem(.invalid, "'\(text)': the lower border is above the upper one")
            }
        }

        /// "systolic 120 to 129 mmHg".
        package var text: String {
            switch (min, max) {
            case (let min?, let max?): "\(quantity) \(min) to \(max) \(unit)"
            case (let min?, nil): "\(quantity) at least \(min) \(unit)"
            case (nil, let max?): "\(quantity) at most \(max) \(unit)"
            case (nil, nil): quantity
            }
        }

        /// `within`, `below` or `above`.
        package func outcome(_ value: Decimal) -> String {
            if let min, value < min { return "below" }
            if let max, value > max { return "above" }
            return "within"
        }
    }

    /// Targets, one for each quantity and unit.
    package var targets: [Target] = []
    /// Days between readings, by kind.
    package var every: [String: Double] = [:]
    /// Height in metres; nil where it is not known.
    package var height: Decimal?

    /// Nothing is agreed.
    package init() {}

    /// The height in a text such as `1.72 m`, `172 cm` or `1.72`.
    /// - Returns: metres.
    /// - Throws: ``HubProblem`` that says how to write it.
    package static func height(_ text: String) throws -> Decimal {
        let match = text.wholeMatch(of: /\s*([0-9]+(?:\.[0-9]+)?)\s*(cm|m)?\s*/)
        if let match, let number = Decimal(string: String(match.1), locale: Locale(identifier: "en_US_POSIX")) {
            let metres = match.2 == "cm" ? number / 100 : number
            if metres >= 0.3, metres <= 2.8 { return metres }
        }
        throw HubProblem(.invalid, "'\(text.prefix(32))' is no height; write it as '1.72 m' or '172 cm'")
    }

    /// Changes the settings.
    /// - Parameters:
    ///   - targets: as in ``Target/init(_:)``; each replaces the one of its quantity and unit.
    ///   - every: texts such as `bloodPressure=1`; 0 days removes one.
    /// - Throws: ``HubProblem``.
    package mutating func change(targets: [String], withoutTargets: [String], every texts: [String]) throws {
        self.targets.removeAll { withoutTargets.contains($0.quantity) }
        for target in try targets.map(Target.init) {
            self.targets.removeAll { $0.quantity == target.quantity && $0.unit == target.unit }
            self.targets.append(target)
        }
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let kind = ReadingKind(name: String(parts[0])), let days = Double(parts[1]),
                days >= 0, days <= 366
            else {
                throw HubProblem(.invalid, "'\(text)' is no interval; write it as 'bloodPressure=1', in days")
            }
            every[kind.name] = days == 0 ? nil : days
        }
    }
}

extension PersonState {
    /// A target with the latest value.
    package struct TargetState: Sendable, Encodable {
        /// Name of the quantity.
        package var quantity: String
        /// The target in words.
        package var text: String
        /// The latest value in the unit of the target; nil where there is none.
        package var value: Decimal?
        /// `within`, `below` or `above`; nil without a value.
        package var outcome: String?
    }

    /// A kind of reading of which one was expected.
    package struct Overdue: Sendable, Encodable {
        /// Kind.
        package var kind: String
        /// Days between readings.
        package var everyDays: Double
        /// When the latest one was taken (RFC 3339); nil where there never was one.
        package var last: String?
        /// When the next one was due (RFC 3339).
        package var due: String?
    }
}
#endif
