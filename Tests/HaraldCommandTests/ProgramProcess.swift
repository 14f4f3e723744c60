#if Programs
import Foundation
import Synchronization

/// The program as a process of its own, as scripts use it.
///
/// Two threads read what it writes, and the second one reaps it, so that nothing here blocks the threads of the tests.
final class ProgramProcess: Sendable {
    struct NotStarted: Error, CustomStringConvertible {
        var description: String
    }

    /// How it ended, and what it wrote to standard error.
    struct End: Sendable {
        /// The exit status; 128 and the signal where one ended it.
        var status: Int32
        var errors: String
    }

    private enum State {
        case running(waiting: [CheckedContinuation<End, Never>])
        case ended(End)
    }

    /// What it writes to standard output, line by line; the stream ends with the process's output.
    let lines: AsyncStream<String>
    private let identifier: Int32
    private let output: Int32
    private let state = Mutex(State.running(waiting: []))

    /// Starts the program in a world of its own: no user's air, no adapter from the environment.
    init(_ arguments: String, runtime: URL) throws {
        let executable = try Self.executable()
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        let (out, errors) = (try Self.socketPair(), try Self.socketPair())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, out.theirs, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.theirs, 2)
        var variables = ProcessInfo.processInfo.environment
        variables["HARALD_ADAPTER"] = nil
        variables["XDG_RUNTIME_DIR"] = runtime.path
        let words = [executable] + arguments.split(separator: " ").map(String.init)
        var argumentPointers = words.map { strdup($0) } + [nil]
        var environmentPointers = variables.map { strdup("\($0)=\($1)") } + [nil]
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, executable, &actions, nil, &argumentPointers, &environmentPointers)
        for pointer in argumentPointers + environmentPointers { free(pointer) }
        posix_spawn_file_actions_destroy(&actions)
        close(out.theirs)
        close(errors.theirs)
        guard code == 0 else {
            close(out.ours)
            close(errors.ours)
            throw NotStarted(description: "\(executable): \(String(cString: strerror(code)))")
        }
        self.identifier = identifier
        output = out.ours
        Thread.detachNewThread { [self] in
            Self.read(output) { continuation.yield($0) }
            continuation.finish()
        }
        Thread.detachNewThread { [self] in
            var lines: [String] = []
            Self.read(errors.ours) { lines.append($0) }
            close(errors.ours)
            end(errors: lines.joined(separator: "\n"))
        }
    }

    deinit { close(output) }

    private static func executable() throws -> String {
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let candidates = ["harald", "HaraldCommand"].map { directory.appendingPathComponent($0).path }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw NotStarted(description: "the executable is not beside the tests in \(directory.path)")
        }
        return found
    }

    /// Two connected sockets that no other program inherits.
    private static func socketPair() throws -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw NotStarted(description: "no sockets") }
        return (ends[0], ends[1])
    }

    private static func read(_ descriptor: Int32, _ line: (String) -> Void) {
        var chunk = [UInt8](repeating: 0, count: 65536)
        var rest: [UInt8] = []
        while true {
            let count = Foundation.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest += chunk[..<count]
            while let end = rest.firstIndex(of: 0x0A) {
                line(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
        if !rest.isEmpty { line(String(decoding: rest, as: UTF8.self)) }
    }

    /// Reaps the process; its standard error is at its end.
    private func end(errors: String) {
        // First without reaping, so that nobody is kept waiting for the lock, and the identifier stays its own.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (waiting, end) = state.withLock { state in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            let end = End(status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, errors: errors)
            defer { state = .ended(end) }
            if case .running(let waiting) = state { return (waiting, end) }
            return ([], end)
        }
        for continuation in waiting { continuation.resume(returning: end) }
    }

    /// How it ended, once it has.
    var end: End {
        get async {
            await withCheckedContinuation { continuation in
                let end = state.withLock { state -> End? in
                    switch state {
                    case .ended(let end): return end
                    case .running(let waiting):
                        state = .running(waiting: waiting + [continuation])
                        return nil
                    }
                }
                if let end { continuation.resume(returning: end) }
            }
        }
    }

    /// Sends it a signal.
    func signal(_ number: Int32) {
        state.withLock { state in
            if case .running = state { kill(identifier, number) }
        }
    }

    /// Nobody reads its output any more.
    func closeOutput() { shutdown(output, Int32(SHUT_RDWR)) }

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
