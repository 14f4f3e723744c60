import Dispatch
import Foundation
import Synchronization

/// What ends a command early: Ctrl-C, SIGTERM, a terminal that is closed, or an output that takes nothing any more.
///
/// The first cancels the command's task, so that it unsubscribes and disconnects; a second signal, or five seconds,
/// end the process at once.
final class Interruption: Sendable {
    enum Reason: Sendable {
        case signal(Int32)
        /// Nobody reads it any more.
        case outputClosed
        /// It takes nothing more, with this `errno`: the disk is full, for instance.
        case outputFailed(Int32)
        /// The time that `--timeout` allows is over; the text says so, nil where all that was asked for is done.
        case timeout(String?)
    }

    private struct State {
        var task: Task<Void, any Error>?
        var reason: Reason?
        var sources: [any DispatchSourceSignal] = []
    }

    /// The one of the process, as signals are.
    static let shared = Interruption()

    /// How long unsubscribing and disconnecting may take, in seconds.
    private static let patience = 5.0

    private let state = Mutex(State())

    /// What happened; nil where nothing did.
    var reason: Reason? { state.withLock { $0.reason } }

    /// Cancels `task` when something happens, or happened already.
    func watch(_ task: Task<Void, any Error>) {
        let isOver = state.withLock { state in
            state.task = task
            return state.reason != nil
        }
        if isOver { task.cancel() }
    }

    /// Takes the signals.
    func install() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number, SIG_IGN)
            // Who runs it with `nohup` wants it to go on.
            if number == SIGHUP, Self.isIgnore(before) { continue }
            state.withLock { state in
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { [self] in happened(.signal(number)) }
                source.resume()
                state.sources.append(source)
            }
        }
    }

    private static func isIgnore(_ handler: sighandler_t?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// What the program writes cannot be written, with this `errno`.
    func outputEnded(_ code: Int32) { happened(code == EPIPE ? .outputClosed : .outputFailed(code)) }

    /// The time is over. What does not end in `grace` is cut off.
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
        // What does not end by then waits for something that cannot be cancelled.
        if case .signal(let number) = reason {
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
                Terminal.restore()
                _exit(128 + number)
            }
        }
    }
}

/// Runs what has to be done also by a task that was cancelled: unsubscribing, disconnecting, closing.
func withoutCancellation(_ body: @escaping @Sendable () async -> Void) async {
    await Task { await body() }.value
}
