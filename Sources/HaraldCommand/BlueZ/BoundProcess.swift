#if os(Linux)
import CBoundProcess
import Foundation
import Synchronization

/// A child process that the kernel kills when this process dies, however it dies.
final class BoundProcess: Sendable {
    enum End: Sendable {
        case exited(Int32)
        case killed(signal: Int32)

        /// The status that a shell reports.
        var status: Int32 {
            switch self {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        }
    }

    private enum Life {
        case running(waiting: [CheckedContinuation<End, Never>])
        case ended(End)
    }

    private let identifier: pid_t
    private let life = Mutex(Life.running(waiting: []))

    private init(identifier: pid_t) { self.identifier = identifier }

    /// Starts a program with the arguments, found in the PATH unless the first one has a slash.
    /// - Parameters:
    ///   - environment: variables in addition to those of this process.
    ///   - output: the descriptor of its standard output; nil for that of this process.
    ///   - errors: the same for its standard error.
    ///   - hasSession: true to keep the keys of a terminal, such as Ctrl-C, from it.
    /// - Throws: ``ProgramError`` if it cannot be started.
    static func start(
        _ arguments: [String], environment: [String: String] = [:], output: Int32? = nil, errors: Int32? = nil,
        hasSession: Bool = false
    ) async throws -> BoundProcess {
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let started: Result<BoundProcess, ProgramError> = await withCheckedContinuation { waiting in
            // A thread of its own, which lives as long as the child: the kernel kills the child with it.
            Thread.detachNewThread {
                let words = CStrings(arguments)
                let settings = CStrings(variables.map { "\($0.key)=\($0.value)" })
                let identifier = harald_spawn_bound(
                    words.pointers, settings.pointers, output ?? -1, errors ?? -1, hasSession ? 1 : 0)
                guard identifier > 0 else {
                    let reason = String(cString: strerror(-identifier))
                    let name = arguments.first ?? ""
                    return waiting.resume(
                        returning: .failure(
                            ProgramError(
                                .notFound,
                                "cannot run '\(name)': \(reason); it has to be an executable file, in the PATH unless "
                                    + "its name has a slash")))
                }
                let process = BoundProcess(identifier: identifier)
                waiting.resume(returning: .success(process))
                process.reap()
            }
        }
        return try started.get()
    }

    /// Waits until the process has ended, on its thread.
    private func reap() {
        // First without reaping, so that `send` never meets the identifier of another process.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (end, waiting) = life.withLock { life in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            let end: End = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
            defer { life = .ended(end) }
            if case .running(let waiting) = life { return (end, waiting) }
            return (end, [])
        }
        for continuation in waiting { continuation.resume(returning: end) }
    }

    /// Waits until the process has ended, also if the task is cancelled.
    func untilEnded() async -> End {
        await withCheckedContinuation { continuation in
            let end = life.withLock { life -> End? in
                switch life {
                case .running(let waiting): life = .running(waiting: waiting + [continuation])
                case .ended(let end): return end
                }
                return nil
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    /// Sends a signal, unless the process has ended.
    func send(_ signal: Int32) {
        life.withLock { life in
            if case .running = life { _ = kill(identifier, signal) }
        }
    }
}

/// An array of C strings that ends with NULL.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        pointers = .allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() { (pointers + index).initialize(to: strdup(string)) }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
#endif
