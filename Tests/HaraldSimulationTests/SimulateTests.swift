import Foundation
import Testing

@testable import HaraldSimulation

/// The program, run as a person would: worlds take over all tasks of their process, so they have one of their own.
@Suite(.serialized) struct SimulateTests {
    private func simulate(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("harald-simulate")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    @Test(arguments: [11, 12, 13]) func aSeedHoldsAndPrintsTheSameTwice(seed: Int) throws {
        let first = try simulate(["--seed", "\(seed)"])
        #expect(first.status == 0, "\(first.output)")
        #expect(first.output.hasPrefix("simulate: seeds=1 hours=0.0"), "\(first.output)")
        #expect(first.output.hasSuffix(" failures=0\n"))
        let second = try simulate(["--seed", "\(seed)"])
        #expect(first.output == second.output)
    }

    /// Programs that once failed.
    @Test func keptProgramsHold() throws {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "program" {
            let result = try simulate(["--program", file.path])
            #expect(result.status == 0, "\(file.lastPathComponent): \(result.output)")
        }
    }

    @Test(
        arguments: [
            (["--seed", "x"], "is no seed"), (["--for", "0"], "1 to 1000000"),
            (["--program", "/nowhere"], "cannot be read"),
            (["--program", "/dev/null", "--seed", "1"], "leave --seed"),
        ]) func wrongUsageIsStatus64(_ arguments: [String], _ reason: String) throws
    {
        let result = try simulate(arguments)
        #expect(result.status == 64)
        #expect(result.output.contains(reason), "\(result.output)")
    }
}
