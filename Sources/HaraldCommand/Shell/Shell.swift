import ArgumentParser
import Explorer
import Foundation
import Harald
import Synchronization
import VirtualDevices

/// The commands of the program on an open adapter and an open connection, line by line.
final class Shell: Sendable {
    /// A command that runs while lines are entered.
    private struct Job {
        var text: String
        var task: Task<Void, Never>
    }

    private let context: ShellContext
    private let options: SharedOptions
    private let completion = Mutex(ShellCompletion())
    private let jobs = Mutex((next: 1, all: [Int: Job]()))
    /// The command that Ctrl-C ends.
    private let running = Mutex<Task<Void, any Error>?>(nil)

    init(_ context: ShellContext, _ options: SharedOptions) { (self.context, self.options) = (context, options) }

    /// Reads and runs lines until `quit` or the end of the input.
    /// - Throws: `CancellationError`; without a terminal the first error of a command, at the end.
    func run() async throws {
        if Terminal.isInteractive { try await runAtTerminal() } else { try await runLines() }
        for job in jobs.withLock({ Array($0.all.values) }) { job.task.cancel() }
        for job in jobs.withLock({ Array($0.all.values) }) { await job.task.value }
    }

    /// Connects to a device, which is the current one from now on.
    func connect(_ words: [String]) async throws {
        let options = try DeviceOptions.parse([])
        let (selector, _) = try options.split(words, needing: [])
        let peripheral = try await options.peripheral(
            selector, on: context.adapter.central, within: self.options.patience)
        if let last = context.peripheral, last != peripheral { await last.disconnect() }
        context.peripheral = peripheral
        do {
            try await peripheral.connect(timeout: self.options.patience)
            try await peripheral.discoverAll(timeout: self.options.patience)
        } catch {
            context.peripheral = nil
            await withoutCancellation { await peripheral.disconnect() }
            throw error
        }
        completion.withLock { $0.learn(peripheral) }
        Console.line("connected to \(TerminalText.safe("\(peripheral)")), MTU \(peripheral.mtu)")
    }

    // MARK: Lines

    private func runAtTerminal() async throws {
        var history = ShellHistory(directory: options.dataDirectory)
        let editor = ShellEditor()
        // While a line is edited, Ctrl-C is a key.
        Interruption.shared.intercept { [self] in running.withLock { $0 }?.cancel() }
        defer { Interruption.shared.intercept(nil) }
        let listening = Task { await listen() }
        defer { listening.cancel() }
        Console.line("'help' lists the commands, tab completes, Ctrl-C ends a command, Ctrl-D ends the shell")
        while !Task.isCancelled {
            let input = await editor.line(prompt, history: history.lines) { [self] text in
                completion.withLock { $0.candidates(for: text) }
            }
            guard case .line(let text) = input else { break }
            history.add(text)
            history.save()
            do {
                guard try await perform(text) else { break }
            } catch {
                report(error)
            }
        }
        try Task.checkCancellation()
    }

    private var prompt: String {
        guard let peripheral = context.peripheral else { return "harald> " }
        let name = TerminalText.cut(TerminalText.safe(peripheral.name ?? "\(peripheral.id)"), to: 20)
        return peripheral.isConnected ? "\(name)> " : "\(name) (lost)> "
    }

    /// Runs the lines of a pipe or a file. The first error is the result; the lines after it run all the same.
    private func runLines() async throws {
        var first: (any Error)?
        for await line in StandardInput.lines {
            do {
                guard try await perform(line) else { break }
            } catch {
                if error is CancellationError, Task.isCancelled { throw error }
                report(error)
                first = first ?? error
            }
        }
        try Task.checkCancellation()
        if let first { throw ExitCode(status(of: first)) }
    }

    private func status(of error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if error is ProgramError || error is BluetoothError || error is InputError {
            return ProgramError(error).status.rawValue
        }
        return ExitStatus.usage.rawValue
    }

    /// Prints the error of a command.
    private func report(_ error: any Error) {
        switch error {
        case is CancellationError: Console.message("ended")
        case let error as BluetoothError where error.code == .cancelled: Console.message("ended")
        case is ProgramError, is BluetoothError, is InputError: Console.message(ProgramError(error).message)
        case let code as ExitCode where code == .success: break
        default:
            // Help is no error, and goes to standard output.
            let text = HaraldProgram.message(for: error)
            if HaraldProgram.exitCode(for: error) == .success { Console.line(text) } else { Console.message(text) }
        }
    }

    /// Keeps the names of the devices in range, for completion.
    private func listen() async {
        while !Task.isCancelled {
            do throws(BluetoothError) {
                for try await found in context.adapter.central.scan() {
                    guard let name = found.name ?? found.peripheral.address?.text else { continue }
                    completion.withLock { if !$0.devices.contains(name) { $0.devices.append(name) } }
                }
                return
            } catch {
                // The adapter may be switched on again; each command reports its state.
                try? await Task.sleep(for: .seconds(2))
            }
        }
    }

    // MARK: Commands

    /// Runs a line. Returns false after `quit`.
    private func perform(_ text: String) async throws -> Bool {
        guard let line = try ShellLine(text) else { return true }
        let (name, rest) = (line.words[0], Array(line.words.dropFirst()))
        switch name {
        case "quit", "exit": return false
        case "help" where rest.isEmpty: help()
        case "jobs":
            for (number, job) in jobs.withLock({ $0.all.sorted { $0.key < $1.key } }) {
                Console.line("\(number)  \(TerminalText.safe(job.text))")
            }
        case "stop": try stop(rest)
        case "devices":
            completion.withLock { $0.devices }.sorted().forEach { Console.line(TerminalText.safe($0)) }
        case "disconnect":
            let peripheral = context.peripheral
            context.peripheral = nil
            await peripheral?.disconnect()
            completion.withLock { $0.learn(nil) }
        case "sleep":
            guard let seconds = rest.first.flatMap(Double.init), seconds >= 0, seconds <= 1e6 else {
                throw InputError("expected 'sleep SECONDS'")
            }
            try await foreground { try await Task.sleep(for: .seconds(seconds)) }
        case "connect":
            guard !rest.isEmpty else { throw InputError("connect requires the name or the address of a device") }
            try await foreground { try await self.connect(rest) }
        default:
            let command = try command(name, rest)
            if line.isBackground { begin(text, command) } else { try await foreground { try await command.perform() } }
            if name == "write" || name == "read" { learnValue(rest) }
        }
        return true
    }

    /// Parses a command of the program. Commands on a device get the current one.
    private func command(_ name: String, _ rest: [String]) throws -> any ProgramCommand {
        let known = ShellLine.commands
        guard known.contains(name) else {
            let meant = Spelling.nearest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
            throw InputError("unknown command '\(name)'\(meant); 'help' lists the commands")
        }
        var words = [name] + rest
        if name == "help" { words = rest + ["--help"] }
        let isHelp = words.contains("--help") || words.contains("-h")
        if ShellLine.deviceCommands.contains(name), !isHelp {
            guard let peripheral = context.peripheral else {
                throw InputError("'\(name)' requires a device; use 'connect DEVICE' first")
            }
            words.insert(peripheral.id.description, at: 1)
        }
        let parsed = try HaraldProgram.parseAsRoot(words)
        guard let command = parsed as? any ProgramCommand else {
            var other = parsed
            try other.run()
            throw ExitCode.success
        }
        return command
    }

    /// Runs a command that Ctrl-C ends.
    private func foreground(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let context = context
        let task = Task { try await ShellContext.$current.withValue(context) { try await body() } }
        running.withLock { $0 = task }
        defer { running.withLock { $0 = nil } }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func begin(_ text: String, _ command: any ProgramCommand) {
        let context = context
        let number = jobs.withLock { jobs in
            defer { jobs.next += 1 }
            return jobs.next
        }
        Console.line("[\(number)] started; 'stop \(number)' ends it")
        let task = Task { [self] in
            do {
                try await ShellContext.$current.withValue(context) { try await command.perform() }
            } catch {
                if !(error is CancellationError) { report(error) }
            }
            jobs.withLock { $0.all[number] = nil }
        }
        jobs.withLock { $0.all[number] = Job(text: text, task: task) }
    }

    private func stop(_ rest: [String]) throws {
        let all = jobs.withLock { $0.all }
        guard let word = rest.first else {
            for job in all.values { job.task.cancel() }
            return
        }
        guard let number = Int(word), let job = all[number] else {
            throw InputError("there is no background command '\(word)'; 'jobs' lists them")
        }
        job.task.cancel()
    }

    /// Keeps a value that was written, for completion.
    private func learnValue(_ words: [String]) {
        guard words.count > 1, !words[1].hasPrefix("-") else { return }
        completion.withLock { $0.values[words[0]] = words[1] }
    }

    private func help() {
        Console.line("connect DEVICE, disconnect, devices: select the device of the other commands")
        for command in HaraldProgram.configuration.subcommands {
            let name = command.configuration.commandName ?? ""
            guard ShellLine.commands.contains(name) else { continue }
            Console.line("\(TerminalText.fit(name, to: 10))  \(command.configuration.abstract)", indent: 12)
        }
        for (name, text) in [
            ("jobs, stop", "List background commands (ending in '&'), end one or all."),
            ("sleep", "Wait for that many seconds."),
            ("quit", "End the shell."),
        ] {
            Console.line("\(TerminalText.fit(name, to: 10))  \(text)", indent: 12)
        }
        Console.line("'help COMMAND' shows the options of a command; DEVICE is omitted here: read 180F/2A19 --as u8")
    }
}
