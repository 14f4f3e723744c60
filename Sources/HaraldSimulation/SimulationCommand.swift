import ArgumentParser
import BluetoothModel
import Foundation

/// `harald-simulate`: runs random worlds from seeds and reports violated invariants.
struct SimulationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "harald-simulate",
        abstract: "Simulate worlds from seeds: hosts, links, operations and faults, with a stepped clock.",
        discussion: """
            A seed determines everything: the operations of the hosts and their times, the faults, the order of tasks, \
            addresses and keys. Each world runs twice, and both runs must be identical. Documentation/Simulation.md \
            describes the invariants.

            The status is 0 if all invariants held, 1 if one failed, and 64 for an invalid command line.
            """)

    @Option(name: .customLong("for"), help: "Run further seeds for this number of seconds; without it, one world.")
    var duration: Int?

    @Option(help: "The first seed: a number, or 0x and hexadecimal digits.", transform: Self.seed)
    var seed: UInt64?

    @Option(help: "Run the program in this file instead of a seed.")
    var program: String?

    @Option(help: "Search for a fault of this build, and stop at the first failure; 'list' lists the faults.")
    var fault: String?

    @Flag(help: "Print the program of the seed and do not run it.")
    var show = false

    @Flag(help: "Print every event of the world, and its result.")
    var trace = false

    @Flag(help: .hidden)
    var worker = false

    static func seed(_ text: String) throws -> UInt64 {
        guard let number = UInt64(decimalOrHex: text) else {
            throw ValidationError("'\(text)' is not a seed; expected a number, or 0x and hexadecimal digits")
        }
        return number
    }

    func validate() throws {
        if let duration, !(1...1_000_000).contains(duration) {
            throw ValidationError("--for must be from 1 to 1000000 seconds")
        }
        if program != nil, seed != nil || duration != nil {
            throw ValidationError("--program contains its seed and cannot be combined with --seed and --for")
        }
        if let fault, fault != "list" {
            guard !Self.faults.isEmpty else {
                throw ValidationError("this build has no faults; 'make simulate FAULT=\(fault)' builds one with faults")
            }
            guard Self.faults.contains(fault) else {
                throw ValidationError("there is no fault '\(fault)'; --fault list lists the faults")
            }
        }
        if let program {
            guard let text = try? String(contentsOfFile: program, encoding: .utf8) else {
                throw ValidationError("the file \(program) cannot be read")
            }
            do { _ = try Program(text) } catch { throw ValidationError("\(program): \(error)") }
        }
    }

    /// The names of the faults of this build.
    private static var faults: [String] {
        #if HARALD_FAULTS
        SimulatedFault.names
        #else
        []
        #endif
    }

    func run() throws {
        if worker { return Worker.run() }
        if fault == "list" {
            for name in Self.faults { say(name) }
            return
        }
        if show || trace { return explain() }
        let session = Session(seconds: duration, seed: seed ?? 1, file: program, fault: fault)
        guard session.run() else { throw ExitCode.failure }
    }

    private func explain() {
        guard let program = Worker.program(self.program ?? "\(seed ?? 1)") else { return }
        guard trace else { return say(program.description, "") }
        if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
            for (name, value) in Worker.environment { setenv(name, value, 1) }
            var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
            execv("/proc/self/exe", &arguments)
        }
        let world = World(program, keepsLines: true)
        world.run()
        for line in world.trace.lines { say(line) }
        if let failure = world.failure {
            say("\(Trace.text(of: failure.time)) \(failure.invariant): \(failure.detail)")
        }
    }
}
