extension CheckReport {
    /// Returns the report as JUnit XML, with a test case for each rule. Warnings fail a test case only if `severity` is
    /// `warning`.
    package func junit(device: String, failsOn severity: CheckRule.Severity) -> String {
        var failures = 0
        let cases = outcomes.map { outcome -> String in
            let rule = outcome.rule
            let head = "    <testcase classname=\"harald.check\" name=\"\(rule.id.xmlEscaped)\""
            if let reason = outcome.verdict.reason {
                return head + ">\n      <skipped message=\"\(reason.xmlEscaped)\"/>\n    </testcase>"
            }
            let mine = findings.filter { $0.rule.id == rule.id }.map(\.finding)
            guard !mine.isEmpty else { return head + "/>" }
            let text = mine.map { "\($0.handle.map { hexHandle($0) + ": " } ?? "")\($0.message) (\($0.evidence))" }
                .joined(separator: "\n")
            guard rule.severity == .error || severity == .warning else {
                return head + ">\n      <system-out>\(text.xmlEscaped)</system-out>\n    </testcase>"
            }
            failures += 1
            return head + ">\n      <failure type=\"\(rule.severity.rawValue)\" message=\"\(rule.text.xmlEscaped)\">"
                + "\(text.xmlEscaped)\n\(rule.section.xmlEscaped)</failure>\n    </testcase>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
              <testsuite name="harald check \(device.xmlEscaped)" tests="\(outcomes.count)" failures="\(failures)" \
            skipped="\(notRun.count)">
            \(cases.joined(separator: "\n"))
              </testsuite>
            </testsuites>

            """
    }
}
