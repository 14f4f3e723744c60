#if Programs
import ArgumentParser
import Explorer
import Foundation
import Harald
import Synchronization
import VirtualDevices
import Workbench

/// `harald run`
struct RunCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a script of steps with expectations on devices.",
        discussion: """
            SCRIPT is a YAML file (Documentation/Scripts.md describes it), or '-' for standard input:

              variables: {device: polar}
              steps:
                - connect: ${device}
                - {read: 180F/2A19, expect: {u8: {min: 1, max: 100}}}
                - {wait: 180D/2A37, within: 5 s}
                - {write: 180D/2A39, value: "02", expect: {error: 0x80}}

            The actions are \(ScriptActionName.allCases.map(\.rawValue).joined(separator: ", ")). Each step has a \
            timeout, 10 s unless 'within' or the script's 'timeout' sets another; --timeout limits the whole script. \
            Devices of the script ('devices:') run with it; a script that has devices and names no adapter uses a \
            virtual radio of its own.

            The script ends at the first failed step, or continues with --keep-going. With --json, one object per \
            step: line, action, target, device, result (passed, failed, skipped), seconds, expected, got.

            The status is 0 if all steps passed; 1 if a result was not as expected, or the device refused; 65 for an \
            invalid script, with file:line:column; 66 if there is no such script, device or attribute; 69 and 75 as \
            for every command.

            EXAMPLES
              harald run strap.yaml
              harald run strap.yaml --set device='Polar H10' --junit report.xml
              harald run strap.yaml --check
            """)

    @Argument(help: ArgumentHelp("The script.", valueName: "SCRIPT"), completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("Set a variable; can be repeated.", valueName: "name=value"))
    var set: [String] = []

    @Option(help: ArgumentHelp("Write a JUnit report.", valueName: "file"), completion: .file())
    var junit: String?

    @Flag(help: "Continue after a failed step.")
    var keepGoing = false

    @Flag(help: "Only read the script, and report its errors.")
    var check = false

    @OptionGroup var shared: SharedOptions

    func validate() throws { _ = try settings() }

    private func settings() throws -> [String: String] {
        var settings: [String: String] = [:]
        for setting in set {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValidationError("--set must be NAME=VALUE, not '\(setting)'")
            }
            settings[parts[0]] = parts[1]
        }
        return settings
    }

    static let reader = ScriptReader(
        checkPath: { _ = try AttributePath($0) }, checkAdapter: { _ = try AdapterChoice($0) })

    func perform() async throws {
        try shared.checkTimeout()
        try shared.checkStore()
        let script = try read()
        if check {
            Console.line("'\(TerminalText.safe(script.name))' is valid")
            return
        }
        let deadline = CommandDeadline.shared
        deadline.start(shared.timeout.map { .seconds($0) } ?? .seconds(30))
        defer { deadline.stop() }
        let log = ScriptLog(asJSON: shared.json)
        let failures: [StepResult]
        do {
            failures = try await CommandScriptWorld.run(script, shared) { world in
                // Only --timeout limits the steps; without it the deadline was that of opening the adapters.
                if shared.timeout == nil { deadline.stop() }
                return try await ScriptRunner(
                    script, reader: Self.reader, world: world, keepsGoing: keepGoing, report: { log.note($0) }
                ).run()
            }
        } catch {
            try writeReport(of: script, log, error)
            throw error
        }
        try writeReport(of: script, log, nil)
        try tell(failures, log)
    }

    private func read() throws -> Script {
        let text: String
        let name = file == "-" ? "/dev/stdin" : file
        do throws(TextFile.Problem) { text = try TextFile.read(name) } catch {
            switch error {
            case .missing: throw ProgramError(.notFound, "\(file): the file does not exist")
            case .unreadable: throw ProgramError(.notFound, "\(file): the file cannot be read")
            case .noText: throw ProgramError(.badFile, "\(file): the file must be UTF-8 text of at most 1 MB")
            }
        }
        let settings = try settings()
        let script = try Self.reader.script(yaml: text, file: file == "-" ? "stdin" : file, settings: settings)
        if let unknown = settings.keys.sorted().first(where: { !script.names.contains($0) }) {
            let meant = Spelling.nearest(to: unknown, among: Array(script.names)).map { "; did you mean '\($0)'?" }
            throw ProgramError(.usage, "--set: the script has no variable '\(unknown)'\(meant ?? "")")
        }
        return script
    }

    /// Tells how the script ended, and throws the status of the first failure.
    private func tell(_ failures: [StepResult], _ log: ScriptLog) throws {
        let steps = log.steps.filter { !$0.isBlock && $0.outcome != .skipped }
        let count = "\(steps.count) step\(steps.count == 1 ? "" : "s")"
        guard let first = failures.first else {
            if !shared.json { Console.line("passed: \(count)") }
            return
        }
        let status =
            first.error.map { error in error is ScriptNotFound ? .notFound : ProgramError(error).status } ?? .failed
        let expected = first.expected.map { "expected \($0), got " } ?? ""
        throw ProgramError(
            // The device answered; the arguments were those of the script.
            status == .usage || status == .interrupted ? .failed : status,
            "\(file):\(first.line): \(first.heading): \(expected)\(first.got ?? "nothing")"
                + (failures.count == 1 ? "" : "; \(failures.count) steps failed"))
    }

    private func writeReport(of script: Script, _ log: ScriptLog, _ error: (any Error)?) throws {
        guard let junit else { return }
        var report = JUnitReport(name: script.name)
        for step in log.steps where !step.isBlock {
            var test = JUnitReport.Case(
                name: step.heading, group: "\(script.file):\(step.line)", seconds: step.seconds)
            test.isSkipped = step.outcome == .skipped
            if step.outcome == .failed {
                test.failure = (step.expected.map { "expected \($0), got " } ?? "") + (step.got ?? "nothing")
                test.isError = step.error != nil
            }
            report.cases.append(test)
        }
        if let error {
            var test = JUnitReport.Case(name: "script", group: script.file, seconds: 0)
            (test.failure, test.isError) = (error is CancellationError ? "interrupted" : "\(error)", true)
            report.cases.append(test)
        }
        do { try Data(report.xml.utf8).write(to: URL(fileURLWithPath: junit)) } catch {
            throw ProgramError(.failed, "cannot write \(junit): \(error.localizedDescription)")
        }
    }
}

/// Prints the steps of a script as they end, and keeps them for the report.
final class ScriptLog: Sendable {
    private let asJSON: Bool
    private let all = Mutex<[StepResult]>([])

    init(asJSON: Bool) { self.asJSON = asJSON }

    /// The steps that ended.
    var steps: [StepResult] { all.withLock { $0 } }

    func note(_ event: ScriptRunner.Event) {
        switch event {
        case .began(let step):
            guard !asJSON else { return }
            let line = String(repeating: " ", count: max(0, 4 - "\(step.line)".count)) + "\(step.line)"
            let text = "...    \(line)  " + String(repeating: "  ", count: step.depth) + step.heading
            Console.line(TerminalText.safe(text), indent: 13)
        case .ended(let step):
            all.withLock { $0.append(step) }
            if asJSON { Console.json(step.json) } else { Console.line(TerminalText.safe(step.text), indent: 13) }
        case .text(let text): if asJSON { Console.message(text) }
        }
    }
}
#endif
