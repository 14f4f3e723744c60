import Explorer

/// The result of a check, less the findings of a baseline.
package struct CheckReport: Sendable {
    package let outcomes: [DeviceCheck.Outcome]
    /// The findings that are not in the baseline, in the order of the rules.
    package let findings: [(rule: CheckRule, finding: CheckFinding)]
    /// The number of findings that are in the baseline.
    package let known: Int

    /// - Parameter baseline: findings to leave out.
    package init(_ outcomes: [DeviceCheck.Outcome], baseline: CheckBaseline = CheckBaseline()) {
        self.outcomes = outcomes
        let all = outcomes.flatMap { outcome in outcome.findings.map { (rule: outcome.rule, finding: $0) } }
        findings = all.filter { !baseline.contains($0.rule, $0.finding) }
        known = all.count - findings.count
    }

    /// The rules that were judged.
    package var run: [CheckRule] { outcomes.filter { $0.verdict.reason == nil }.map(\.rule) }
    /// The rules without findings.
    package var passed: [CheckRule] { outcomes.compactMap { $0.verdict == .passed ? $0.rule : nil } }
    /// The rules that were not judged, with the reasons.
    package var notRun: [(rule: CheckRule, reason: String)] {
        outcomes.compactMap { outcome in outcome.verdict.reason.map { (outcome.rule, $0) } }
    }
    /// The number of rules that were not judged because the device has nothing that they judge.
    package var notApplicableCount: Int {
        outcomes.count { if case .notApplicable = $0.verdict { true } else { false } }
    }

    /// The number of rules that were not judged because the check was interrupted.
    package var interruptedCount: Int { outcomes.count { $0.verdict == .notRun(DeviceCheck.interruption) } }

    /// True if there is a finding of at least this severity.
    package func fails(on severity: CheckRule.Severity) -> Bool {
        findings.contains { $0.rule.severity == .error || severity == .warning }
    }

    /// The lines of the JSON report: one for each finding, then the summary.
    package var json: [JSONValue] {
        findings.map { rule, finding in
            [
                "rule": .string(rule.id), "severity": .string(rule.severity.rawValue), "section": .string(rule.section),
                "handle": .optional(finding.handle.map(Int.init)), "evidence": .string(finding.evidence),
                "message": .string(finding.message),
            ]
        } + [summary]
    }

    private var summary: JSONValue {
        [
            "summary": [
                "run": .int(run.count), "passed": .int(passed.count), "findings": .int(findings.count),
                "known": .int(known), "interrupted": .bool(interruptedCount > 0),
                "notRun": .array(notRun.map { ["rule": .string($0.rule.id), "reason": .string($0.reason)] }),
            ]
        ]
    }
}

extension CheckRule {
    /// The rule as a line of `check --list --json`.
    package var json: JSONValue {
        [
            "rule": .string(id), "severity": .string(severity.rawValue), "section": .string(section),
            "writes": .bool(needs.contains(.writes)), "test": .optional(test), "sends": .bool(sends),
            "needs": .array(needs.options.map { .string($0) }), "text": .string(text), "advice": .string(advice),
        ]
    }
}
