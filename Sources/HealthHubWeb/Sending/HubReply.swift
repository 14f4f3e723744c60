import Foundation
import HealthHub

/// The part of a hub's answer that a gateway uses.
struct HubReply: Decodable {
    struct Result: Decodable {
        let index: Int?
        let status: String
        let problem: String?
        let person: String?
        let judgement: FieldNode?
    }

    struct State: Decodable {
        let summaries: [String: Summary]?
    }

    struct Summary: Decodable {
        let unit: String?
        let mean: String?
        let periods: [Period]?
    }

    struct Period: Decodable {
        let days: Int
        let count: Int
        let mean: [String: Double]
    }

    let results: [Result]
    let states: [String: State]?

    /// The maximum length of a text of the hub, in Unicode scalars.
    private static let longestText = 300

    /// Returns a text of the hub as one line of limited length: printed as it is, it could imitate other messages.
    static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let start = String(String.UnicodeScalarView(scalars.prefix(longestText)))
        let line = start.split(whereSeparator: \.isNewline).joined(separator: " ")
        return scalars.dropFirst(longestText).isEmpty ? line : line + "…"
    }

    /// Returns a result as text: "142/88 mmHg: in the range of hypertension at home, ESC 2024; mean of 7 days 138/86
    /// mmHg".
    func text(of result: Result, _ measurement: HealthMeasurement?) -> String {
        let name = measurement?.text ?? "reading"
        if result.status == "refused" { return "\(name): refused: \(Self.line(result.problem ?? "no reason"))" }
        guard let sentence = result.judgement?["sentence"]?.text else {
            return "\(name): not assessed: \(Self.line(result.judgement?["reason"]?.text ?? "no reason"))"
        }
        let urgent = result.judgement?["urgent"] == .flag(true) ? " URGENT" : ""
        return Self.line(sentence) + mean(of: result, measurement) + urgent
    }

    private func mean(of result: Result, _ measurement: HealthMeasurement?) -> String {
        guard let measurement, let states, let state = result.person.flatMap({ states[$0] }) ?? states.onlyValue,
            let summary = state.summaries?[measurement.kind.name],
            let period = summary.periods?.first(where: { $0.days == 7 }), period.count > 0
        else { return "" }
        if let mean = summary.mean { return "; mean of 7 days \(Self.line(mean))" }
        // Earlier hubs send only the means of all readings, with two decimals.
        if let systolic = period.mean["systolic"], let diastolic = period.mean["diastolic"] {
            let means = String(format: "%.0f/%.0f", systolic, diastolic)
            return "; mean of 7 days \(means) \(Self.line(summary.unit ?? "mmHg"))"
        }
        guard let name = measurement.kind.storedQuantities.first, let mean = period.mean[name] else { return "" }
        let unit = Self.line(summary.unit ?? "")
        if let own = measurement[name]?.unit, let text = Quantity(name, Decimal(mean), unit: unit).text(in: own) {
            return "; mean of 7 days \(text) \(own)"
        }
        return "; mean of 7 days \((mean * 10).rounded() / 10) \(unit)"
    }
}

extension Dictionary {
    fileprivate var onlyValue: Value? { count == 1 ? first?.value : nil }
}
