#if Programs
import ArgumentParser
import Foundation

#if HARALD_FAULTS
import BluetoothModel
#endif

/// `harald-simulate`: runs random worlds from seeds and reports violated invariants.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "harald-simulate",
        abstract: "Runs whole worlds from seeds: hosts, links, operations and faults, with a clock that is stepped.",
        discussion: """
            A seed decides everything: what the hosts do and when, what goes wrong, the order of tasks, addresses and \
            keys. Each world runs twice, and both runs have to do the same. Documentation/Simulation.md says what has \
            to hold.

            Status 0 when all held, 1 when something did not, 64 for wrong usage.
            """)

    @Option(name: .customLong("for"), help: "Go on with further seeds for so many seconds; without, one world.")
    var duration: Int?

    @Option(help: "The first seed: a number, or 0x and hexadecimal digits.", transform: Self.seed)
    var seed: UInt64?

    @Option(help: "Run the program of this file in place of a seed's.")
    var program: String?

    @Option(help: "Find a fault that this build has: stops at the first failure; 'list' names them.")
    var fault: String?

    @Flag(help: "Print the program of the seed and do not run it.")
    var show = false

    @Flag(help: "Print every event of the world, and what it came to.")
    var trace = false

    @Flag(help: .hidden)
    var worker = false

    static func seed(_ text: String) throws -> UInt64 {
        let number = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
        guard let number else {
            throw ValidationError("'\(text)' is no seed: give a number, or 0x and hexadecimal digits")
        }
        return number
    }

    func validate() throws {
        if let duration, !(1...1_000_000).contains(duration) {
            throw ValidationError("--for takes 1 to 1000000 seconds")
        }
        if program != nil, seed != nil || duration != nil {
            throw ValidationError("--program has its seed in the file; leave --seed and --for out")
        }
        if let fault, fault != "list" {
            guard !Self.faults.isEmpty else {
                throw ValidationError("this build has no faults; 'make simulate FAULT=\(fault)' makes one that has")
            }
            guard Self.faults.contains(fault) else {
                throw ValidationError("there is no fault '\(fault)'; --fault list names them")
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
#endif
