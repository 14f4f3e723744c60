import Synchronization
import Workbench

final class ScriptReport: Sendable {
    private let script: Script
    private let file: OutputFile
    private let problem = Mutex<(any Error)?>(nil)

    init(_ script: Script, file: OutputFile) { (self.script, self.file) = (script, file) }

    /// Writes the steps, and the error that ended the script. ``check()`` throws a failure.
    ///
    /// The report is written before the devices are disconnected, for which the time may be too short.
    func write(_ steps: [StepResult], _ error: (any Error)? = nil) {
        var report = JUnitReport(name: script.name)
        for step in steps where !step.isBlock {
            var test = JUnitReport.Case(
                name: step.heading, group: "\(script.file):\(step.line)", seconds: step.seconds)
            test.isSkipped = step.outcome == .skipped
            if step.outcome == .failed {
                test.failure = (step.expected.map { "expected \($0), got " } ?? "") + (step.got ?? "nothing")
                test.isError = step.error != nil
            }
            report.cases.append(test)
        }
        // A step that was interrupted is in the report.
        let isTold = error is CancellationError && report.cases.contains { $0.failure != nil }
        if let error, !isTold {
            var test = JUnitReport.Case(name: "script", group: script.file, seconds: 0)
            (test.failure, test.isError) = (error is CancellationError ? "interrupted" : "\(error)", true)
            report.cases.append(test)
        }
        do { try file.write(report.xml) } catch { problem.withLock { $0 = error } }
    }

    /// - Throws: ``ProgramError`` if the report could not be written.
    func check() throws { if let problem = problem.withLock({ $0 }) { throw problem } }
}
