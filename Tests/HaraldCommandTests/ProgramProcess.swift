#if Programs
import Foundation
import Synchronization

/// The program as a process of its own, as scripts use it.
final class ProgramProcess: Sendable {
    struct NotBuilt: Error, CustomStringConvertible {
        var description: String { "the executable is not beside the tests in \(ProgramProcess.directory.path)" }
    }

    private struct State {
        var process: Process?
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
        var errors = Data()
    }

    /// What it writes to standard output, line by line; the stream ends with the process's output.
    let lines: AsyncStream<String>
    private let output = Pipe()
    private let errorOutput = Pipe()
    private let state = Mutex(State())

    static let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

    /// Starts the program in a world of its own: no user's air, no adapter from the environment.
    init(_ arguments: String, runtime: URL, environment: [String: String] = [:]) throws {
        let candidates = ["harald", "HaraldCommand"].map { Self.directory.appendingPathComponent($0) }
        guard let executable = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw NotBuilt()
        }
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments.split(separator: " ").map(String.init)
        var variables = ProcessInfo.processInfo.environment
        variables["HARALD_ADAPTER"] = nil
        variables["XDG_RUNTIME_DIR"] = runtime.path
        process.environment = variables.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = errorOutput
        let rest = Mutex(Data())
        output.fileHandleForReading.readabilityHandler = { handle in
            let chunk = handle.availableData
            if chunk.isEmpty {
                handle.readabilityHandler = nil
                continuation.finish()
                return
            }
            rest.withLock { rest in
                rest += chunk
                while let end = rest.firstIndex(of: 0x0A) {
                    continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
        }
        errorOutput.fileHandleForReading.readabilityHandler = { [self] handle in
            let chunk = handle.availableData
            if chunk.isEmpty { handle.readabilityHandler = nil }
            state.withLock { $0.errors += chunk }
        }
        process.terminationHandler = { [self] process in
            let status = process.terminationStatus
            let waiting = state.withLock { state in
                state.status = status
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume(returning: status) }
        }
        try process.run()
        state.withLock { [process] in $0.process = process }
    }

    /// Its exit status, once it has ended.
    var status: Int32 {
        get async {
            await withCheckedContinuation { continuation in
                let status = state.withLock { state in
                    if state.status == nil { state.waiting.append(continuation) }
                    return state.status
                }
                if let status { continuation.resume(returning: status) }
            }
        }
    }

    /// What it wrote to standard error so far.
    var errors: String { state.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    /// Sends it a signal.
    func signal(_ number: Int32) {
        let process = state.withLock { $0.process?.processIdentifier }
        if let process { kill(process, number) }
    }

    /// Nobody reads its output any more.
    func closeOutput() {
        output.fileHandleForReading.readabilityHandler = nil
        try? output.fileHandleForReading.close()
    }

    /// Runs the program to its end.
    static func run(
        _ arguments: String, runtime: URL, environment: [String: String] = [:]
    ) async throws -> (status: Int32, lines: [String], errors: String) {
        let process = try ProgramProcess(arguments, runtime: runtime, environment: environment)
        var lines: [String] = []
        for await line in process.lines { lines.append(line) }
        return (await process.status, lines, process.errors)
    }
}
#endif
