#if os(Linux)
import Foundation
import PeerSupport

/// The program as a process of its own, as scripts use it.
final class ProgramProcess: Sendable {
    struct NotBuilt: Error, CustomStringConvertible {
        var description: String
    }

    /// The end of the program, and its standard error output.
    struct End: Sendable {
        /// The exit status; 128 and the signal where one ended it.
        var status: Int32
        var errors: String
    }

    /// The standard output, line by line.
    let lines: AsyncStream<String>
    private let process: PeerProcess

    /// Starts the program in a world of its own: no user's air, no adapter from the environment.
    init(_ arguments: String, runtime: URL) throws {
        process = try PeerProcess(
            try Self.executable(), arguments.split(separator: " ").map(String.init),
            environment: ["HARALD_ADAPTER": "", "XDG_RUNTIME_DIR": runtime.path], separatesErrors: true)
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        let source = process.lines
        Task {
            for await line in source { continuation.yield(line.text) }
            continuation.finish()
        }
    }

    static func executable() throws -> String {
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let candidates = ["harald", "HaraldCommand"].map { directory.appendingPathComponent($0).path }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw NotBuilt(description: "the executable is not beside the tests in \(directory.path)")
        }
        return found
    }

    /// The end of the program, once it has ended.
    var end: End {
        get async {
            switch await process.exit() {
            case .status(let status): End(status: status, errors: process.errors)
            case .signal(let number): End(status: 128 + number, errors: process.errors)
            }
        }
    }

    /// Sends it a signal.
    func signal(_ number: Int32) { process.signal(number) }

    /// Closes the reading end of its output.
    func closeOutput() { process.closeOutput() }

    /// Runs the program to its end.
    static func run(
        _ arguments: String, runtime: URL
    ) async throws -> (status: Int32, lines: [String], errors: String) {
        let process = try ProgramProcess(arguments, runtime: runtime)
        var lines: [String] = []
        for await line in process.lines { lines.append(line) }
        let end = await process.end
        return (end.status, lines, end.errors)
    }
}
#endif
