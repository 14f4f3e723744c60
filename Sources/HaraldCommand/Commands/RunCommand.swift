import ArgumentParser
import Explorer
import Harald
import VirtualDevices
import Workbench

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
            step: line, action, target, device, result (passed, failed, skipped), seconds, expected, got. A step that \
            was running when the script was interrupted, or the time of --timeout was over, failed.

            The status is 0 if all steps passed; 1 if a result was not as expected, or the device refused; 65 for an \
            invalid script, with file:line:column; 66 if there is no such script, device or attribute; 69 and 75 as \
            for every command.

            EXAMPLES
              harald run strap.yaml
              harald run strap.yaml --set device='Polar H10' --junit report.xml
              harald run strap.yaml --check
            """)

    @Argument(help: ArgumentHelp("The script.", valueName: "SCRIPT"), completion: .file())
    var script: String?

    /// Not empty, but with `--keys`.
    private var file: String { script ?? "" }

    @Option(
        help: ArgumentHelp("Set a variable; can be repeated.", valueName: "name=value"))
    var set: [String] = []

    @Option(help: ArgumentHelp("Write a JUnit report.", valueName: "file"), completion: .file())
    var junit: String?

    @Flag(help: "Continue after a failed step.")
    var keepGoing = false

    @Flag(help: "Only read the script, and report its errors.")
    var check = false

    @Flag(help: "Only list the keys and actions of scripts, with their defaults.")
    var keys = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if script == nil, !keys { throw ValidationError("a script is missing: a YAML file, or - for standard input") }
        _ = try settings()
    }

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
        if keys { return FileKeysText.show(FileKeys.scripts, asJSON: shared.json) }
        try shared.checkTimeout()
        try shared.checkStore()
        let script = try read()
        if check {
            Console.line("'\(TerminalText.safe(script.name))' is valid")
            return
        }
        let report = try junit.map { ScriptReport(script, file: try OutputFile($0)) }
        let log = ScriptLog(asJSON: shared.json, report: report)
        let deadline = CommandDeadline.shared
        deadline.start(shared.timeout.map { .seconds($0) } ?? .seconds(30))
        let file = file
        deadline.describe { log.running.map { "\(file):\($0.line): \($0.heading)" } }
        defer { deadline.stop() }
        let failures: [StepResult]
        do {
            failures = try await CommandScriptWorld.run(script, shared) { world in
                // Only --timeout limits the steps; without it the deadline was that of opening the adapters.
                if shared.timeout == nil { deadline.stop() }
                return try await ScriptRunner(
                    script, reader: Self.reader, world: world, keepsGoing: keepGoing,
                    interruption: { [time = shared.patience.secondsText] in
                        if case .timeout = Interruption.shared.reason { return "not finished in \(time) (--timeout)" }
                        return "interrupted"
                    }, report: { log.note($0) }
                ).run()
            }
        } catch {
            report?.write(log.steps, error)
            throw error
        }
        do { try report?.check() } catch {
            if failures.isEmpty { throw error }
            Console.message("\(error)")
        }
        try reportOutcome(failures, log)
    }

    private func read() throws -> Script {
        let text = try DeviceDocument.text(of: file == "-" ? "/dev/stdin" : file)
        let settings = try settings()
        let script = try Self.reader.script(yaml: text, file: file == "-" ? "stdin" : file, settings: settings)
        if let unknown = settings.keys.sorted().first(where: { !script.names.contains($0) }) {
            let meant = Spelling.nearest(to: unknown, among: Array(script.names)).map { "; did you mean '\($0)'?" }
            throw ProgramError(.usage, "--set: the script has no variable '\(unknown)'\(meant ?? "")")
        }
        return script
    }

    /// Reports the outcome of the script, and throws the status of the first failure.
    private func reportOutcome(_ failures: [StepResult], _ log: ScriptLog) throws {
        let steps = log.steps.filter { !$0.isBlock && $0.outcome != .skipped }
        let count = steps.count.counted("step")
        // The loss of an adapter explains the failures before it.
        let loss = failures.first { ($0.error as? ProgramError)?.status == .noAdapter }
        guard let first = loss ?? failures.first else {
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
}
