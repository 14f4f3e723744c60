import Foundation
import HealthHub
import JSON

/// The part of a hub's answer that a gateway uses.
struct HubReply {
    struct Result {
        let index: Int?
        let status: String
        let problem, person: String?
        let judgement: JSONValue?
    }

    let results: [Result]
    private let states: [String: JSONValue]

    /// Creates the reply of a response; nil for a response that is not a hub's.
    init?(_ body: Data) {
        guard let json = try? JSONValue(parsing: Array(body)), case .array(let list)? = json["results"] else {
            return nil
        }
        var results: [Result] = []
        for json in list {
            guard let status = json["status"]?.string else { return nil }
            results.append(
                Result(
                    index: json["index"]?.integer, status: status, problem: json["problem"]?.string,
                    person: json["person"]?.string, judgement: json["judgement"].flatMap { $0 == .null ? nil : $0 }))
        }
        self.results = results
        states = if case .object(let states)? = json["states"] { states } else { [:] }
    }

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
        guard let sentence = result.judgement?["sentence"]?.string else {
            return "\(name): not assessed: \(Self.line(result.judgement?["reason"]?.string ?? "no reason"))"
        }
        let urgent = result.judgement?["urgent"] == .bool(true) ? " URGENT" : ""
        return Self.line(sentence) + mean(of: result, measurement) + urgent
    }

    private func mean(of result: Result, _ measurement: HealthMeasurement?) -> String {
        guard let measurement, let state = result.person.flatMap({ states[$0] }) ?? states.onlyValue,
            let summary = state["summaries"]?[measurement.kind.name],
            let period = summary["periods"]?.elements.first(where: { $0["days"]?.integer == 7 }),
            period["count"]?.integer ?? 0 > 0
        else { return "" }
        if let mean = summary["mean"]?.string { return "; mean of 7 days \(Self.line(mean))" }
        guard let name = measurement.kind.storedQuantities.first, let mean = period["mean"]?[name]?.number else {
            return ""
        }
        let unit = Self.line(summary["unit"]?.string ?? "")
        if let own = measurement[name]?.unit, let text = Quantity(name, Decimal(mean), unit: unit).text(in: own) {
            return "; mean of 7 days \(text) \(own)"
        }
        return "; mean of 7 days \((mean * 10).rounded() / 10) \(unit)"
    }
}

extension Dictionary {
    fileprivate var onlyValue: Value? { count == 1 ? first?.value : nil }
}
