import Foundation
import PeerSupport
import Testing

@testable import HaraldSimulation

/// Runs the program in a process of its own, because a world takes over all tasks of its process.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SimulateTests {
    private func simulate(_ arguments: [String]) async throws -> (exit: PeerExit, output: String) {
        // Does not use Foundation's `Process`, which reads past the end of the entries of a directory: a test with many
        // open descriptors can crash there.
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("harald-simulate").path
        let process = try PeerProcess(program, arguments)
        return (await process.exit(), process.transcript)
    }

    @Test(arguments: [11, 12, 13]) func aSeedHoldsAndPrintsIdenticalOutputTwice(seed: Int) async throws {
        let first = try await simulate(["--seed", "\(seed)"])
        #expect(first.exit == .status(0), "\(first.output)")
        #expect(first.output.hasPrefix("simulate: seeds=1 programs=0 hours=0."), "\(first.output)")
        #expect(first.output.hasSuffix(" failures=0"))
        let second = try await simulate(["--seed", "\(seed)"])
        #expect(first.output == second.output)
    }

    /// Programs that failed in the past.
    @Test func storedProgramsHold() async throws {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "program" {
            let result = try await simulate(["--program", file.path])
            #expect(result.exit == .status(0), "\(file.lastPathComponent): \(result.output)")
        }
    }

    @Test(
        arguments: [
            (["--seed", "x"], "is not a seed"), (["--for", "0"], "1 to 1000000"),
            (["--program", "/nowhere"], "cannot be read"),
            (["--program", "/dev/null", "--seed", "1"], "cannot be combined"),
        ]) func invalidUsageIsStatus64(_ arguments: [String], _ reason: String) async throws
    {
        let result = try await simulate(arguments)
        #expect(result.exit == .status(64))
        #expect(result.output.contains(reason), "\(result.output)")
    }
}
