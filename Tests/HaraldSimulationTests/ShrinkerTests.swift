import Foundation
import Testing

@testable import HaraldSimulation

/// Shrinking shortens a failing program, and terminates.
struct ShrinkerTests {
    private final class Clock {
        var now = Date(timeIntervalSince1970: 0)
    }

    /// Shrinks a program that fails while it has a `kick`; every run takes `secondsARun` seconds.
    private func shrink(_ program: Program, secondsARun: Double) throws -> (Program, Shrinker, runs: Int, file: String)
    {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).program").path
        let clock = Clock()
        var runs = 0
        let shrinker = Shrinker(program, invariant: "time", file: file, clock: { clock.now }) { file, limit in
            runs += 1
            clock.now += min(secondsARun, limit)
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            guard let candidate = try? Program(text), candidate.steps.contains(where: { $0.verb == .kick }) else {
                var line = WorkerLine(crash: "")
                line.invariant = nil
                return line
            }
            var line = WorkerLine(crash: "")
            line.invariant = "time"
            return line
        }
        return (shrinker.shrink(), shrinker, runs, file)
    }

    private var program: Program {
        var program = Program(seed: 1)
        program.steps.removeAll { $0.verb == .kick }
        program.steps.append(Step(time: program.seconds * 1000, host: 0, verb: .kick))
        return program
    }

    @Test func unnecessaryStepsAreRemoved() throws {
        let (short, shrinker, runs, file) = try shrink(program, secondsARun: 0.01)
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(short.steps.map(\.verb) == [.kick])
        #expect(short.hosts == 2)
        #expect(!shrinker.isCutShort)
        #expect(runs <= 400)
        #expect(try Program(String(contentsOfFile: file, encoding: .utf8)) == short)
    }

    /// One failure does not hold up the rest, also where every run of it takes long, or hangs.
    @Test(arguments: [8.0, 10.0, 1000.0]) func shrinkingIsLimitedInTime(secondsARun: Double) throws {
        let (short, shrinker, runs, file) = try shrink(program, secondsARun: secondsARun)
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(shrinker.isCutShort)
        #expect(runs <= Int(Shrinker.limit / min(secondsARun, 10)) + 1)
        #expect(short.steps.count < program.steps.count)
        #expect(short.steps.contains { $0.verb == .kick })
        #expect(try Program(String(contentsOfFile: file, encoding: .utf8)) == short, "the shortest so far is kept")
    }
}
