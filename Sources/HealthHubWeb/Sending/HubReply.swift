#if Programs
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

    /// Returns a result as text: "142/88 mmHg: in the range of hypertension at home, ESC 2024; mean of 7 days 138/86
    /// mmHg".
    func text(of result: Result, _ measurement: HealthMeasurement?) -> String {
        let name = measurement?.text ?? "reading"
        if result.status == "refused" { return "\(name): refused: \(result.problem ?? "no reason")" }
        guard let sentence = result.judgement?["sentence"]?.text else {
            return "\(name): not assessed: \(result.judgement?["reason"]?.text ?? "no reason")"
        }
        let urgent = result.judgement?["urgent"] == .flag(true) ? " URGENT" : ""
        return sentence + mean(of: result, measurement) + urgent
    }

    private func mean(of result: Result, _ measurement: HealthMeasurement?) -> String {
        guard let measurement, let states, let state = result.person.flatMap({ states[$0] }) ?? states.onlyValue,
            let summary = state.summaries?[measurement.kind.name],
            let period = summary.periods?.first(where: { $0.days == 7 }), period.count > 0
        else { return "" }
        if let mean = summary.mean { return "; mean of 7 days \(mean)" }
        // Earlier hubs send only the means of all readings, with two decimals.
        if let systolic = period.mean["systolic"], let diastolic = period.mean["diastolic"] {
            let means = String(format: "%.0f/%.0f", systolic, diastolic)
            return "; mean of 7 days \(means) \(summary.unit ?? "mmHg")"
        }
        guard let name = measurement.kind.storedQuantities.first, let mean = period.mean[name] else { return "" }
        let unit = summary.unit ?? ""
        if let own = measurement[name]?.unit, let text = Quantity(name, Decimal(mean), unit: unit).text(in: own) {
            return "; mean of 7 days \(text) \(own)"
        }
        return "; mean of 7 days \((mean * 10).rounded() / 10) \(unit)"
    }
}

extension Dictionary {
    fileprivate var onlyValue: Value? { count == 1 ? first?.value : nil }
}
#endif
