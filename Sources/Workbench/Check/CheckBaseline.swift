import Explorer
import Foundation

/// Known findings, which a check does not report again. A finding is identified by its rule and its attribute handle,
/// because values and answers may differ from check to check.
package struct CheckBaseline: Sendable, Hashable {
    private struct Entry: Hashable, Codable {
        var rule: String
        var handle: UInt16?
    }

    private struct Document: Codable {
        var baseline: [Entry]
    }

    private var entries: Set<Entry> = []

    /// Creates an empty baseline.
    package init() {}

    /// Creates a baseline of findings.
    package init(_ outcomes: [DeviceCheck.Outcome]) {
        for outcome in outcomes {
            for finding in outcome.findings { entries.insert(Entry(rule: outcome.rule.id, handle: finding.handle)) }
        }
    }

    /// Reads a baseline.
    /// - Throws: ``InputError`` for text that is no baseline.
    package init(text: Data, file: String) throws {
        do {
            entries = Set(try JSONDecoder().decode(Document.self, from: text).baseline)
        } catch {
            throw InputError("\(file) is not a baseline of a check; let a check write a new one")
        }
    }

    /// The text of the baseline file: one line for each finding, sorted for version control.
    package var text: String {
        let sorted = entries.sorted { ($0.rule, $0.handle ?? 0) < ($1.rule, $1.handle ?? 0) }
        let lines = sorted.map { entry in
            "    {\"rule\": \"\(entry.rule)\"" + (entry.handle.map { ", \"handle\": \($0)" } ?? "") + "}"
        }
        return "{\n  \"baseline\": [" + (lines.isEmpty ? "" : "\n" + lines.joined(separator: ",\n") + "\n  ") + "]\n}\n"
    }

    func contains(_ rule: CheckRule, _ finding: CheckFinding) -> Bool {
        entries.contains(Entry(rule: rule.id, handle: finding.handle))
    }
}
