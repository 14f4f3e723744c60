import Explorer

extension Diagnosis {
    /// One line for each finding with its cure below, and the verdict. If a width is given, longer lines are wrapped to
    /// it.
    func lines(width: Int?) -> [String] {
        var lines: [String] = []
        func add(_ line: String, indent: Int) {
            let indent = String(repeating: " ", count: indent)
            lines += width.map { TerminalText.wrap(line, to: $0, indent: indent) } ?? [line]
        }
        for finding in findings {
            add(TerminalText.fit(finding.level.rawValue, to: 9) + TerminalText.safe(finding.text), indent: 9)
            if let cure = finding.cure { add("         -> " + TerminalText.safe(cure), indent: 12) }
        }
        add(
            adapter.map { "A scan works, with --adapter \($0)." }
                ?? "A scan does not work; the virtual radio does (--adapter virtual:).", indent: 0)
        return lines
    }

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
