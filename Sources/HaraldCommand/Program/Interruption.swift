import Dispatch
import Foundation
import Synchronization

/// The early end of a command: Ctrl-C, SIGTERM, a closed terminal, or an output that fails.
///
/// The first of these cancels the command's task, so that it unsubscribes and disconnects. A second signal, or five
/// seconds, end the process at once.
final class Interruption: Sendable {
    enum Reason: Sendable {
        case signal(Int32)
        /// The output was closed by its reader.
        case outputClosed
        /// The output failed with this `errno`: the disk is full, for instance.
        case outputFailed(Int32)
        /// The time of `--timeout` has elapsed. The text is the message; nil if the result is already complete.
        case timeout(String?)
    }

    private struct State {
        var task: Task<Void, any Error>?
        var reason: Reason?
        var sources: [any DispatchSourceSignal] = []
        /// Handles Ctrl-C in place of the interruption; nil without such a handler.
        var interceptor: (@Sendable () -> Void)?
    }

    /// The instance of the process, to which signals belong.
    static let shared = Interruption()

    /// The time allowed for unsubscribing and disconnecting, in seconds.
    private static let patience = 5.0

    private let state = Mutex(State())

    /// The reason of the interruption; nil if there was none.
    var reason: Reason? { state.withLock { $0.reason } }

    /// Cancels `task` upon an interruption, or at once if there was one.
    func watch(_ task: Task<Void, any Error>) {
        let isOver = state.withLock { state in
            state.task = task
            return state.reason != nil
        }
        if isOver { task.cancel() }
    }

    /// Installs the signal handlers. On Linux a source replaces the handler of its signal when it is registered; until
    /// then the signal ends the process. If it were ignored, it would be lost.
    func install() {
        // `nohup` ignores SIGHUP, so that the program continues.
        for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !Self.isIgnored(number) {
            state.withLock { state in
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { [self] in
                    if number == SIGINT, let interceptor = self.state.withLock({ $0.interceptor }) {
                        interceptor()
                    } else {
                        happened(.signal(number))
                    }
                }
                #if canImport(Darwin)
                _ = signal(number, SIG_IGN)
                #endif
                source.resume()
                state.sources.append(source)
            }
        }
    }

    /// Calls `handler` upon Ctrl-C from now on, which then interrupts nothing else; nil ends that.
    func intercept(_ handler: (@Sendable () -> Void)?) { state.withLock { $0.interceptor = handler } }

    private static func isIgnored(_ number: Int32) -> Bool {
        let before = signal(number, SIG_DFL)
        guard unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) else { return false }
        _ = signal(number, SIG_IGN)
        return true
    }

    /// Handles an output that fails with this `errno`.
    func outputEnded(_ code: Int32) { happened(code == EPIPE ? .outputClosed : .outputFailed(code)) }

    /// Handles the end of the time. The process ends if the command does not end within `grace`.
    func timeoutPassed(_ message: String?, grace: Duration) {
        happened(.timeout(message))
        guard case .timeout = reason else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + grace / .seconds(1)) {
            Terminal.restore()
            guard let message else { _exit(ExitStatus.success.rawValue) }
            Console.message(message)
            _exit(ExitStatus.timeout.rawValue)
        }
    }

    private func happened(_ reason: Reason) {
        let (task, isFirst) = state.withLock { state in
            let isFirst = state.reason == nil
            if isFirst { state.reason = reason }
            return (state.task, isFirst)
        }
        if !isFirst, case .signal(let number) = reason {
            Terminal.restore()
            _exit(128 + number)
        }
        task?.cancel()
        // A task that has not ended by then waits for something that cannot be cancelled.
        if case .signal(let number) = reason {
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
                Terminal.restore()
                _exit(128 + number)
            }
        }
    }
}

/// Runs work that a cancelled task must do too: unsubscribing, disconnecting, closing.
func withoutCancellation(_ body: @escaping @Sendable () async -> Void) async {
    await Task { await body() }.value
}

/// Runs `body`, and then `end`, also if `body` has thrown an error or is cancelled.
/// - Returns: the result of `body`.
/// - Throws: the error of `body`.
func closing<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result,
    with end: @escaping @Sendable () async -> Void
) async throws -> Result {
    let result: Result
    do {
        result = try await body()
    } catch {
        await withoutCancellation(end)
        throw error
    }
    await withoutCancellation(end)
    return result
}
