import Foundation

/// Shrinks a failing program while it fails with the same invariant: removes steps and hosts, and shortens its
/// duration.
final class Shrinker {
    /// Runs the program of a file, with a limit in seconds.
    private let run: (String, Double) -> WorkerLine
    private let clock: () -> Date
    private let invariant: String
    private let file: String
    private var program: Program
    /// The remaining number of runs.
    private var runsLeft = 400
    /// The limit of real time, in seconds. After it the shortest program found so far is the result, so that one
    /// failure does not delay the others.
    static let limit = 60.0
    private let deadline: Date
    /// Seconds after which a candidate counts as a hang; candidates usually take a few tenths of a second.
    private static let hangs = 10.0
    /// True if shrinking ended at the time limit.
    private(set) var isCutShort = false

    init(
        _ program: Program, invariant: String, file: String, clock: @escaping () -> Date = { Date() },
        run: @escaping (String, Double) -> WorkerLine
    ) {
        deadline = clock().addingTimeInterval(Self.limit)
        self.clock = clock
        self.program = program
        self.invariant = invariant
        self.run = run
        self.file = file
    }

    /// Returns the shortest program found, which is also in the file.
    func shrink() -> Program {
        removeSteps()
        removeDoors()
        removeHosts()
        shorten()
        removeSteps()
        write(program)
        isCutShort = secondsLeft <= 0
        return program
    }

    private func removeSteps() {
        var size = max(program.steps.count / 2, 1)
        while runsLeft > 0, secondsLeft > 0 {
            var start = 0
            while start < program.steps.count {
                var shorter = program
                shorter.steps.removeSubrange(start..<min(start + size, program.steps.count))
                if !takes(shorter) { start += size }
            }
            if size == 1 { break }
            size /= 2
        }
    }

    /// Gives all hosts the same front door.
    private func removeDoors() {
        for door in [\Program.coreCentral, \.coreDevice, \.privateCentral] where program[keyPath: door] != nil {
            var plainer = program
            plainer[keyPath: door] = nil
            _ = takes(plainer)
        }
    }

    /// Removes hosts that no step names, from the last one down.
    private func removeHosts() {
        while program.hosts > 2 {
            let last = program.hosts - 1
            guard !program.steps.contains(where: { $0.host == last || ($0.verb.hasTarget && $0.target == last) }),
                ![program.coreCentral, program.coreDevice, program.privateCentral].contains(last)
            else { return }
            var smaller = program
            smaller.hosts -= 1
            guard takes(smaller) else { return }
        }
    }

    /// Ends the program with its last step, and removes flags.
    private func shorten() {
        var shorter = program
        shorter.seconds = min(program.seconds, (program.steps.last?.time ?? 0) / 1000 + 1)
        if shorter != program { _ = takes(shorter) }
        for flag in [\Program.isPaced, \Program.prefersLoop, \Program.isTight, \Program.isLate, \Program.isOld]
        where program[keyPath: flag] {
            var plainer = program
            plainer[keyPath: flag] = false
            _ = takes(plainer)
        }
        if program.mtu != nil {
            var plainer = program
            plainer.mtu = nil
            _ = takes(plainer)
        }
    }

    /// Keeps a candidate if it fails with the same invariant.
    private func takes(_ candidate: Program) -> Bool {
        let left = secondsLeft
        guard runsLeft > 0, left > 0 else { return false }
        runsLeft -= 1
        write(candidate)
        // A candidate that would not end in the remaining time is no evidence.
        let line = run(file, min(left, Self.hangs))
        guard line.invariant == invariant, left >= Self.hangs || secondsLeft > 0 else { return false }
        program = candidate
        return true
    }

    private var secondsLeft: Double { deadline.timeIntervalSince(clock()) }

    private func write(_ program: Program) {
        try? program.description.write(toFile: file, atomically: true, encoding: .utf8)
    }
}
