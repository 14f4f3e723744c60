import Foundation

/// Shrinks a failing program while it fails with the same invariant: removes steps and hosts, and shortens its
/// duration.
final class Shrinker {
    private let worker: WorkerProcess
    private let invariant: String
    private let file: String
    private var program: Program
    /// The remaining number of runs. The limit keeps the time at a few minutes and makes the result reproducible.
    private var runsLeft = 400

    init(_ program: Program, invariant: String, worker: WorkerProcess, file: String) {
        self.program = program
        self.invariant = invariant
        self.worker = worker
        self.file = file
    }

    /// Returns the shortest program found, which is also in the file.
    func shrink() -> Program {
        removeSteps()
        removeHosts()
        shorten()
        removeSteps()
        write(program)
        return program
    }

    private func removeSteps() {
        var size = max(program.steps.count / 2, 1)
        while runsLeft > 0 {
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

    /// Removes hosts that no step names, from the last one down.
    private func removeHosts() {
        while program.hosts > 2 {
            let last = program.hosts - 1
            guard !program.steps.contains(where: { $0.host == last || ($0.verb.hasTarget && $0.target == last) }) else {
                return
            }
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
        for flag in [\Program.isPaced, \Program.prefersLoop, \Program.isTight, \Program.isLate]
        where program[keyPath: flag] {
            var plainer = program
            plainer[keyPath: flag] = false
            _ = takes(plainer)
        }
    }

    /// Keeps a candidate if it fails with the same invariant.
    private func takes(_ candidate: Program) -> Bool {
        guard runsLeft > 0 else { return false }
        runsLeft -= 1
        write(candidate)
        guard worker.run(file).invariant == invariant else { return false }
        program = candidate
        return true
    }

    private func write(_ program: Program) {
        try? program.description.write(toFile: file, atomically: true, encoding: .utf8)
    }
}
