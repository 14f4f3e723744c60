import Foundation

/// One invocation of the program: runs worlds one after the other, and totals their results.
final class Session {
    private let seconds: Int?
    private let firstSeed: UInt64
    private let file: String?
    private let stopsAtFailure: Bool
    private let worker: WorkerProcess
    private var programs = 0
    private var (worlds, hours, operations, faults, failures) = (0, 0.0, 0, 0, 0)
    private var tally: [String: Int] = [:]
    /// The number of further failures to shrink.
    private var shrinksLeft = 3
    /// From this duration on, in seconds, each kind of operation and fault must occur.
    private static let wholeTime = 120

    init(seconds: Int?, seed: UInt64, file: String?, fault: String? = nil) {
        self.seconds = seconds
        stopsAtFailure = fault != nil
        worker = WorkerProcess(fault: fault)
        firstSeed = seed
        self.file = file
    }

    /// Runs the worlds. Returns false if an invariant was violated.
    func run() -> Bool {
        defer { worker.stop() }
        if let file {
            one(file, "program=\(file)", replay: "PROGRAM=\(file)")
        } else {
            let end = Date().addingTimeInterval(Double(seconds ?? 0))
            if seconds != nil { runCorpus(until: end) }
            var seed = firstSeed
            while worlds == 0 || Date() < end && !isDone {
                one("\(seed)", "seed=\(seed)", replay: "SEED=\(seed)")
                seed &+= 1
            }
        }
        let missing = Verb.allCases.map(\.rawValue).filter { tally[$0] == nil }
        if let seconds, seconds >= Self.wholeTime, !missing.isEmpty {
            failures += 1
            say("FAILED: these never happened: " + missing.joined(separator: ", "))
        }
        say(
            "simulate: seeds=\(worlds - programs) programs=\(programs) hours=\(String(format: "%.2f", hours)) operations=\(operations) faults=\(faults) "
                + "failures=\(failures)")
        return failures == 0
    }

    private var isDone: Bool { stopsAtFailure && failures > 0 }

    /// Runs the stored programs, which are short.
    private func runCorpus(until end: Date) {
        for file in Corpus.files where Date() < end && !isDone {
            let name = URL(fileURLWithPath: file).lastPathComponent
            one(file, "program=\(name)", replay: "PROGRAM=Tests/HaraldSimulationTests/Programs/\(name)")
            programs += 1
        }
    }

    /// Shrinks the program of a failure and writes it into a file.
    private func shrink(_ world: String, _ invariant: String) {
        guard shrinksLeft > 0, let program = Worker.program(world) else { return }
        shrinksLeft -= 1
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("harald-simulate").path
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let file = "\(directory)/\(program.seed).program"
        let shrinker = Shrinker(program, invariant: invariant, file: file) { [worker] in worker.run($0, limit: $1) }
        let short = shrinker.shrink()
        let end = shrinker.isCutShort ? ", after \(Int(Shrinker.limit)) s of shortening" : ""
        say("  \(program.steps.count) steps became \(short.steps.count)\(end): make simulate PROGRAM=\(file)")
        for line in short.description.split(separator: "\n") { say("    \(line)") }
    }

    private func one(_ world: String, _ name: String, replay: String) {
        let line = worker.run(world)
        worlds += 1
        hours += line.seconds / 3600
        operations += line.operations
        faults += line.faults
        tally.merge(line.tally, uniquingKeysWith: +)
        guard let invariant = line.invariant else { return }
        failures += 1
        say("FAILED \(name) step=\(line.step) invariant=\(invariant)")
        say("  at \(Trace.text(of: line.time)): \(line.detail)")
        say("  replay: make simulate \(replay)")
        if !stopsAtFailure { shrink(world, invariant) }
    }
}
