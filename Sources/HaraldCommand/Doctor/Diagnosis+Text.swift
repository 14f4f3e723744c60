import Explorer

extension Diagnosis {
    /// A line for each finding, its cure under it, and the verdict. With a width no line has more columns, and what is
    /// longer goes on in the next one.
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
