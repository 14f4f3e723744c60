extension CheckReport {
    /// Returns the report as JUnit XML, with a test case for each rule. Warnings fail a test case only if `severity` is
    /// `warning`.
    package func junit(device: String, failsOn severity: CheckRule.Severity) -> String {
        var failures = 0
        let cases = outcomes.map { outcome -> String in
            let rule = outcome.rule
            let head = "    <testcase classname=\"harald.check\" name=\"\(Self.escaped(rule.id))\""
            if let reason = outcome.verdict.reason {
                return head + ">\n      <skipped message=\"\(Self.escaped(reason))\"/>\n    </testcase>"
            }
            let mine = findings.filter { $0.rule.id == rule.id }.map(\.finding)
            guard !mine.isEmpty else { return head + "/>" }
            let text = mine.map { "\($0.handle.map { hexHandle($0) + ": " } ?? "")\($0.message) (\($0.evidence))" }
                .joined(separator: "\n")
            guard rule.severity == .error || severity == .warning else {
                return head + ">\n      <system-out>\(Self.escaped(text))</system-out>\n    </testcase>"
            }
            failures += 1
            return head + ">\n      <failure type=\"\(rule.severity.rawValue)\" message=\"\(Self.escaped(rule.text))\">"
                + "\(Self.escaped(text))\n\(Self.escaped(rule.section))</failure>\n    </testcase>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
              <testsuite name="harald check \(Self.escaped(device))" tests="\(outcomes.count)" failures="\(failures)" \
            skipped="\(notRun.count)">
            \(cases.joined(separator: "\n"))
              </testsuite>
            </testsuites>

            """
    }

    /// Escapes the characters that XML reserves, and omits those that it does not permit.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            default: if scalar.value >= 0x20, scalar.value < 0xFFFE { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }
}
