import ArgumentParser
import BluetoothRuntime
import Explorer
import Foundation
import Harald
import VirtualDevices
import Workbench

struct CheckCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check whether a peripheral does what the specification demands.",
        discussion: """
            Listens to the device, connects, discovers its database with requests below the attribute client, sends \
            requests that a server has to refuse and judges the answers. --list lists the rules, with --json also \
            what each demands and how to cure it. Without further options it takes up to two minutes and changes \
            nothing but subscriptions, which it ends again.

            --writes adds rules that write: values that the device has, prepared writes, and control points. A faulty \
            device may lose data. --hostile sends malformed packets; only to a device that you own. Both ask at a \
            terminal, and --yes gives consent. --pair pairs with the device, which replaces its bond with this \
            adapter; it asks for passkeys and comparisons at a terminal, and --passkey gives the passkey of the \
            device. --slow waits until a private address has to change, 16 minutes. Without an option its rules are \
            reported as not run, as are those that the device or the adapter does not permit: BlueZ, for example, \
            gives no access to the frames of a link.

            With --json each finding is an object: rule, severity, section, handle (null if there is none), evidence, \
            message; the last line is summary, with run, passed, findings, known (in the baseline), interrupted, notRun \
            (rule and reason). With --list --json: rule, severity, section, writes, test (the SIG's test case, or null), sends, \
            needs, text, advice.

            The status is 1 if there is an error among the findings; with --fail-on warning also for a warning. \
            --write-baseline stores the findings, and --baseline leaves stored ones out: a finding is known by its \
            rule and handle. Ctrl-C ends the check: the findings so far are printed, the remaining rules are reported \
            as not run, and the status is 130.

            EXAMPLES
              harald check polar
              harald check gadget --writes --pair --hostile --yes --junit check.xml
              harald check gadget --write-baseline known.json; harald check gadget --baseline known.json
              harald check gadget --rule att-read-unknown --rule cccd-reconnect --json
              harald check --list
            """)

    @Argument(
        help: ArgumentHelp("The device; see 'harald --help'.", valueName: "DEVICE"), completion: Completions.devices)
    var words: [String] = []

    @OptionGroup var device: DeviceOptions

    @Flag(help: "List the rules instead of checking a device.")
    var list = false

    @Option(
        help: ArgumentHelp("Run only this rule, by its identifier; may be given several times.", valueName: "rule"),
        completion: .list(CheckRule.all.map(\.id)))
    var rule: [String] = []

    @Flag(help: "Run rules that write; the device may lose data.")
    var writes = false

    @Flag(help: "Run rules that pair; the device's bond with this adapter is replaced.")
    var pair = false

    @Option(
        help: ArgumentHelp(
            "The six-digit passkey that the device shows, for --pair without a terminal.", valueName: "digits"))
    var passkey: String?

    @Flag(help: "Run rules that wait for the device, 16 minutes.")
    var slow = false

    @Flag(help: "Run rules that send malformed packets; only to a device that you own.")
    var hostile = false

    @Flag(help: "Consent to --writes and --hostile without a question.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "A second adapter, for rules with two clients. On the virtual radio there is one.", valueName: "uri"),
        completion: Completions.adapters)
    var second: String?

    @Option(
        help: ArgumentHelp("End with status 1 on findings of this severity: error or warning.", valueName: "severity"),
        completion: .list(["error", "warning"]))
    var failOn = "error"

    @Option(help: ArgumentHelp("Leave out the findings of this file.", valueName: "file"), completion: .file())
    var baseline: String?

    @Option(help: ArgumentHelp("Write the findings to a file for --baseline.", valueName: "file"), completion: .file())
    var writeBaseline: String?

    @Option(help: ArgumentHelp("Write a report in JUnit's XML.", valueName: "file"), completion: .file())
    var junit: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard CheckRule.Severity(rawValue: failOn) != nil else {
            throw ValidationError("--fail-on is error or warning, not '\(failOn)'")
        }
        if list {
            if !words.isEmpty { throw ValidationError("--list cannot be combined with a device") }
        } else {
            let rest = try device.split(words, needing: []).rest
            if !rest.isEmpty { throw ValidationError("unexpected: \(rest.joined(separator: " "))") }
        }
        if let problem = TerminalPairing.problem(with: passkey) { throw ValidationError(problem) }
        let known = Set(CheckRule.all.map(\.id))
        for id in rule where !known.contains(id) {
            throw ValidationError("there is no rule '\(id)'; 'harald check --list' lists them")
        }
    }

    /// The severity that ends the command with status 1. ``validate()`` checked the word.
    private var severity: CheckRule.Severity { CheckRule.Severity(rawValue: failOn) ?? .error }

    func perform() async throws {
        if list { return CheckText.list(asJSON: shared.json) }
        let known = try knownFindings()
        let (baselineFile, junitFile) = (try writeBaseline.map(OutputFile.init), try junit.map(OutputFile.init))
        let options = try await options()
        let name: String
        let outcomes: [DeviceCheck.Outcome]
        do {
            (name, outcomes) = try await withStore { shared in try await check(options, shared) }
        } catch {
            if case .signal = Interruption.shared.reason { Console.message("interrupted before the first rule") }
            throw error
        }
        let report = CheckReport(outcomes, baseline: known)
        if shared.json {
            for line in report.json { Console.json(line) }
        } else {
            CheckText.show(report, device: name, isVerbose: shared.verbose)
        }
        try junitFile?.write(report.junit(device: name, failsOn: severity))
        guard report.interruptedCount == 0 else {
            let kept = writeBaseline.map { "; \($0) was not written" } ?? ""
            Console.message(
                "interrupted: \(report.interruptedCount) of \(outcomes.count.counted("rule was", "rules were")) not run\(kept)"
            )
            throw CancellationError()
        }
        try baselineFile?.write(CheckBaseline(outcomes).text)
        if report.fails(on: severity) { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    /// Runs `body` with a temporary store, so that the device does not know this client, and existing bonds are kept.
    /// `--store` selects another store.
    private func withStore<Result>(_ body: (SharedOptions) async throws -> Result) async throws -> Result {
        guard shared.store == nil else { return try await body(shared) }
        let directory = FileManager.default.temporaryDirectory.appending(path: "harald-check-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ProgramError(.failed, "\(directory.path) cannot be created: \(error.localizedDescription)")
        }
        defer { try? FileManager.default.removeItem(at: directory) }
        var shared = shared
        shared.store = directory.path
        return try await body(shared)
    }

    private func check(
        _ options: CheckOptions, _ shared: SharedOptions
    ) async throws -> (String, [DeviceCheck.Outcome]) {
        var options = options
        return try await OpenedAdapter.run(shared) { adapter in
            let selector = try device.split(words, needing: []).selector
            let found = try await device.find(
                selector, on: adapter.central, within: shared.patience, includesBeacons: true)
            return try await CommandDeadline.shared.whilePaused {
                if !shared.json {
                    let time = slow ? "20 minutes" : options.limit == nil ? "some minutes" : "two minutes"
                    Console.message("\(found.peripheral): up to \(time); Ctrl-C ends the check, and shows its findings")
                }
                let heard = try await listen(to: found, on: adapter.central)
                options.isHeardLater = { try await isHeardLater(found.id, on: adapter.central) }
                options.setPairing = { await adapter.central.setPairingDelegate($0) }
                options.person = person
                let outcomes = try await check(found.peripheral, heard, options, adapter)
                try await adapter.failIfLost()
                return ("\(found.peripheral)", outcomes)
            }
        }
    }

    private func knownFindings() throws -> CheckBaseline {
        guard let baseline else { return CheckBaseline() }
        guard let text = FileManager.default.contents(atPath: baseline) else {
            throw ProgramError(.notFound, "\(baseline) cannot be read")
        }
        do { return try CheckBaseline(text: text, file: baseline) } catch { throw ProgramError(.badFile, "\(error)") }
    }

    private func options() async throws -> CheckOptions {
        var options = CheckOptions()
        options.patience = shared.timeout.map { .seconds($0) } ?? options.patience
        options.connectTimeout = shared.patience
        options.only = rule.isEmpty ? nil : Set(rule)
        if writes { try await consent("--writes", "write to the device? It may lose data") }
        if hostile { try await consent("--hostile", "send malformed packets? It may stop the device") }
        if writes { options.allowed.insert(.writes) }
        if pair { options.allowed.insert(.pair) }
        if slow { options.allowed.insert(.slow) }
        if hostile { options.allowed.insert(.hostile) }
        if !options.allowed.isEmpty { options.limit = nil }
        return options
    }

    /// The terminal that answers pairing questions; nil if there is none.
    private var person: TerminalPairing? {
        guard passkey != nil || TerminalInput.isInteractive && !yes else { return nil }
        var person = TerminalPairing()
        person.givenPasskey = passkey.flatMap { TerminalPairing.passkey($0) }
        return person
    }

    private func consent(_ option: String, _ question: String) async throws {
        if yes { return }
        guard TerminalInput.isInteractive else {
            throw ProgramError(.usage, "nobody can be asked for consent to \(option); --yes gives it")
        }
        let answer = await CommandDeadline.shared.whilePaused { await TerminalInput.line("\(question) [y/N] ") }
        guard ["y", "yes"].contains(answer?.lowercased() ?? "") else {
            throw ProgramError(.usage, "nothing was sent; leave \(option) out to check without")
        }
    }

    private func listen(to device: ScanResult, on central: Central) async throws -> CheckAdvertising {
        var heard = CheckAdvertising()
        heard.note(device)
        shared.note("listening to \(device.peripheral)")
        for try await found in central.scan(duplicates: true, duration: .seconds(12)) where found.id == device.id {
            heard.note(found)
            if heard.isEnough { break }
        }
        try Task.checkCancellation()
        return heard
    }

    /// Returns true if the device is heard under its identifier after the longest life of a private address.
    private func isHeardLater(_ id: PeripheralID, on central: Central) async throws -> Bool {
        try await central.clock.sleep(for: .seconds(16 * 60))
        for try await found in central.scan(duplicates: true, duration: .seconds(10)) where found.id == id {
            return true
        }
        return false
    }

    private func check(
        _ peripheral: Peripheral, _ heard: CheckAdvertising, _ options: CheckOptions, _ adapter: OpenedAdapter
    ) async throws -> [DeviceCheck.Outcome] {
        let other = try await secondCentral(adapter)
        var check = DeviceCheck(options)
        check.progress = { outcome in
            let result =
                switch outcome.verdict {
                case .passed: "passed"
                case .found(let findings): findings.count.counted("finding")
                case .notRun(let reason), .notApplicable(let reason): "not run: \(reason)"
                }
            shared.note("\(outcome.rule.id): \(result)")
        }
        let outcomes = await check.run(
            peripheral, heard: heard, hasFrames: adapter.central.capabilities.contains(.rawFrames),
            second: await other?.peripheral(id: peripheral.id))
        await withoutCancellation { await other?.close() }
        return outcomes
    }

    /// Opens the second adapter; on an air of this process, another adapter on it.
    private func secondCentral(_ adapter: OpenedAdapter) async throws -> Central? {
        if let second {
            if second == adapter.central.adapter.uri {
                throw ProgramError(.usage, "--second has to be another adapter than --adapter")
            }
            var options = try shared.adapterOptions(at: second, for: "second central")
            options.storage = .none
            let central = try await Central(adapter: Adapter(second), options: options)
            try await central.waitUntilPoweredOn()
            return central
        }
        guard let radio = adapter.scene?.radio else { return nil }
        let central = try await Central(
            adapter: radio.adapter(named: "second central"), options: AdapterOptions(storage: .none))
        try await central.waitUntilPoweredOn()
        return central
    }
}
