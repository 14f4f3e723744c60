#if os(Linux)
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A child process: its identifier while it has one, and our ends of its input and output while those are open.
///
/// Shared by the object that a test holds and by the thread that reads the output and reaps. A process identifier may
/// be given to another process once it is reaped, so it is used under the lock only.
final class PeerChild: Sendable {
    private enum Life {
        case running(input: Int32?, output: Int32?)
        case reaped
    }

    let processIdentifier: Int32
    private let life: Mutex<Life>

    private init(processIdentifier: Int32, input: Int32, output: Int32) {
        self.processIdentifier = processIdentifier
        life = Mutex(.running(input: input, output: output))
    }

    /// Starts a program and the thread that fills `output` with its lines, then with its end. Its standard error goes
    /// to `errors`, where that is given, on a separate thread; else among its lines.
    static func spawn(
        _ program: String, _ arguments: [String], environment: [String: String], output: PeerOutput,
        errors: PeerOutput? = nil
    ) throws(PeerError) -> PeerChild {
        // Sockets, not pipes: a write to a pipe without a reader sends SIGPIPE to this process.
        var pairs: [(ours: Int32, theirs: Int32)] = []
        for _ in 0..<3 {
            guard let pair = socketPair() else {
                let code = errno
                for pair in pairs {
                    close(pair.ours)
                    close(pair.theirs)
                }
                throw .notStarted(program: program, code: code)
            }
            pairs.append(pair)
        }
        let (input, lines, messages) = (pairs[0], pairs[1], pairs[2])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input.theirs, 0)
        posix_spawn_file_actions_adddup2(&actions, lines.theirs, 1)
        posix_spawn_file_actions_adddup2(&actions, errors == nil ? lines.theirs : messages.theirs, 2)
        closeInherited(&actions)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var argumentPointers = ([program] + arguments).map { strdup($0) } + [nil]
        var environmentPointers = variables.map { strdup("\($0)=\($1)") } + [nil]
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, program, &actions, nil, &argumentPointers, &environmentPointers)
        for pointer in argumentPointers + environmentPointers { free(pointer) }
        posix_spawn_file_actions_destroy(&actions)
        for pair in pairs { close(pair.theirs) }
        guard code == 0 else {
            for pair in pairs { close(pair.ours) }
            throw .notStarted(program: program, code: code)
        }
        let child = PeerChild(processIdentifier: identifier, input: input.ours, output: lines.ours)
        // Threads of their own wait for each other, none of the pool's.
        let errorsEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            readLines(from: messages.ours, into: errors ?? output)
            close(messages.ours)
            errorsEnded.signal()
        }
        Thread.detachNewThread {
            readLines(from: lines.ours, into: output)
            child.closeOutput()
            errorsEnded.wait()
            let exit = child.reap()
            errors?.end(exit)
            output.end(exit)
        }
        return child
    }

    /// Runs a program to its end, with the standard streams of this process.
    /// - Returns: its status.
    static func run(_ program: String, _ arguments: [String]) throws(PeerError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        closeInherited(&actions)
        var argumentPointers = ([program] + arguments).map { strdup($0) } + [nil]
        var environmentPointers = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, program, &actions, nil, &argumentPointers, &environmentPointers)
        for pointer in argumentPointers + environmentPointers { free(pointer) }
        posix_spawn_file_actions_destroy(&actions)
        guard code == 0 else { throw .notStarted(program: program, code: code) }
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 {
            guard errno == EINTR else { throw .notStarted(program: program, code: errno) }
        }
        return status
    }

    /// Two connected sockets that no other program inherits.
    private static func socketPair() -> (ours: Int32, theirs: Int32)? {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        return socketpair(AF_UNIX, kind, 0, &ends) == 0 ? (ends[0], ends[1]) : nil
    }

    /// Writes to the input; false when that is closed.
    func write(_ bytes: [UInt8]) -> Bool {
        life.withLock { life in
            guard case .running(let input?, _) = life else { return false }
            // Commands are far shorter than a socket's buffer, so this does not wait.
            return send(input, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
    }

    func closeInput() {
        life.withLock { life in
            guard case .running(let input?, let output) = life else { return }
            close(input)
            life = .running(input: nil, output: output)
        }
    }

    private func closeOutput() {
        life.withLock { life in
            guard case .running(let input, let output?) = life else { return }
            close(output)
            life = .running(input: input, output: nil)
        }
    }

    /// Stops reading its output; the reading thread receives the end.
    func shutDownOutput() {
        life.withLock { life in
            if case .running(_, let output?) = life { shutdown(output, Int32(SHUT_RDWR)) }
        }
    }

    func signal(_ number: Int32) {
        life.withLock { life in
            if case .running = life { kill(processIdentifier, number) }
        }
    }

    /// Waits for the end of the process, on the reading thread.
    private func reap() -> PeerExit {
        // First without reaping, so that the lock is not held while there is something to wait for.
        var information = siginfo_t()
        while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return life.withLock { life in
            var status: Int32 = 0
            while waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
            if case .running(let input?, _) = life { close(input) }
            life = .reaped
            return PeerExit(waitStatus: status)
        }
    }

    private static func readLines(from descriptor: Int32, into output: PeerOutput) {
        var chunk = [UInt8](repeating: 0, count: 65536)
        var rest: [UInt8] = []
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest += chunk[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                output.add(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
        if !rest.isEmpty { output.add(String(decoding: rest, as: UTF8.self)) }
    }
}
#endif
