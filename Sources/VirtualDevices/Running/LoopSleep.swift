import BluetoothRuntime

/// A sleep on the clock of a loop. Ends at its time or when its task is cancelled.
///
/// `@unchecked Sendable`: the state is accessed only on the loop.
final class LoopSleep: @unchecked Sendable {
    private enum State {
        case idle
        case sleeping(CheckedContinuation<Bool, Never>, QueuedTimer)
        case over
    }

    private let loop: RadioLoop
    private var state = State.idle

    private init(loop: RadioLoop) { self.loop = loop }

    /// Suspends until `instant` on the loop's clock.
    /// - Throws: `CancellationError` if the task is cancelled.
    static func until(_ instant: RadioInstant, on loop: RadioLoop) async throws(CancellationError) {
        let sleep = LoopSleep(loop: loop)
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { sleep.begin(continuation, until: instant) }
            }
        } onCancel: {
            loop.execute { sleep.end(false) }
        }
        if !isOver { throw CancellationError() }
    }

    private func begin(_ continuation: CheckedContinuation<Bool, Never>, until instant: RadioInstant) {
        guard case .idle = state else { return continuation.resume(returning: false) }
        // The timer retains the sleep; ending the sleep releases both.
        let timer = loop.makeTimer { self.end(true) }
        state = .sleeping(continuation, timer)
        timer.arm(at: instant)
    }

    private func end(_ isOver: Bool) {
        let last = state
        state = .over
        guard case .sleeping(let continuation, let timer) = last else { return }
        timer.disarm()
        continuation.resume(returning: isOver)
    }
}
