import Explorer
import TerminalScreen
import Workbench

/// The output of `harald check` for people.
enum CheckText {
    /// Prints the rules.
    static func list(asJSON: Bool) {
        if asJSON { return CheckRule.all.forEach { Console.json($0.json) } }
        let width = CheckRule.all.map(\.id.count).max() ?? 0
        for rule in CheckRule.all {
            let options = rule.needs.options.map { " --\($0)" }.joined()
            let id = rule.id + String(repeating: " ", count: width - rule.id.count)
            let test = rule.test.map { " (\($0))" } ?? ""
            Console.line("\(id)  \(rule.severity.rawValue)  \(rule.section)\(test)\(options)", indent: 4)
        }
        Console.line(
            "\(CheckRule.all.count) rules, \(CheckRule.all.filter(\.sends).count) of which send something and judge the "
                + "answer")
    }

    /// Prints the findings by severity, the rules that were not run by reason, and a summary.
    static func show(_ report: CheckReport, device: String, isVerbose: Bool) {
        for severity in CheckRule.Severity.allCases {
            let all = report.findings.filter { $0.rule.severity == severity }
            guard !all.isEmpty else { continue }
            Console.line("\(severity == .error ? "ERRORS" : "WARNINGS")")
            var last: String?
            for (rule, finding) in all {
                if rule.id != last { head(rule) }
                last = rule.id
                let place = finding.handle.map { "#0x\($0.hexText(digits: 4)): " } ?? ""
                Console.line("    - \(place)\(finding.message)", indent: 6)
                Console.line("      \(finding.evidence)", indent: 8)
            }
            Console.line("")
        }
        notRun(report, isVerbose: isVerbose)
        Console.line(summary(report, device), indent: 2)
    }

    private static func head(_ rule: CheckRule) {
        Console.line("")
        Console.line("  \(rule.id)  \(rule.section)\(rule.test.map { ", \($0)" } ?? "")", indent: 4)
        Console.line("    \(rule.text)", indent: 4)
        Console.line("    To do: \(rule.advice)", indent: 4)
    }

    /// Prints the reasons, each with its rules. Rules for services that the device lacks are counted only.
    private static func notRun(_ report: CheckReport, isVerbose: Bool) {
        var reasons: [String] = []
        var rules: [String: [String]] = [:]
        for outcome in report.outcomes {
            guard let reason = outcome.verdict.reason else { continue }
            if case .notApplicable = outcome.verdict, !isVerbose { continue }
            if rules[reason] == nil { reasons.append(reason) }
            rules[reason, default: []].append(outcome.rule.id)
        }
        guard !report.notRun.isEmpty else { return }
        Console.line("NOT RUN")
        for reason in reasons {
            let ids = rules[reason] ?? []
            let names = isVerbose || ids.count <= 3 ? ids.joined(separator: ", ") : ids.count.counted("rule")
            Console.line("  \(reason): \(names)", indent: 4)
        }
        let count = report.notApplicableCount
        if !isVerbose, count > 0 {
            Console.line(
                "  about what the device does not have: \(count.counted("rule")) (--verbose lists them)", indent: 4)
        }
        Console.line("")
    }

    private static func summary(_ report: CheckReport, _ device: String) -> String {
        func count(_ severity: CheckRule.Severity, _ word: String) -> String {
            let number = report.findings.filter { $0.rule.severity == severity }.count
            return number.counted(word)
        }
        let known = report.known == 0 ? "" : ", \(report.known.counted("known finding")) left out"
        return
            "\(device): \(count(.error, "error")), \(count(.warning, "warning")) by \(report.run.count.counted("rule")); "
            + "\(report.passed.count) passed, \(report.notRun.count) not run\(known)"
    }
}
