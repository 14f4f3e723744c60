extension Diagnosis {
    /// A line for each finding, its cure under it, and the verdict.
    var lines: [String] {
        var lines: [String] = []
        for finding in findings {
            let mark = finding.level.rawValue
            lines.append(mark + String(repeating: " ", count: 9 - mark.count) + TerminalText.safe(finding.text))
            if let cure = finding.cure { lines.append("         -> " + TerminalText.safe(cure)) }
        }
        lines.append(
            adapter.map { "A scan works, with --adapter \($0)." }
                ?? "A scan does not work; the virtual radio does (--adapter virtual:).")
        return lines
    }

    /// The same as JSON.
    var json: JSONValue {
        .object([
            "ready": .bool(isReady), "adapter": .optional(adapter),
            "findings": .array(
                findings.map { finding in
                    .object([
                        "subject": .string(finding.subject.rawValue), "level": .string(finding.level.rawValue),
                        "text": .string(finding.text), "cure": .optional(finding.cure),
                    ])
                }),
        ])
    }
}
