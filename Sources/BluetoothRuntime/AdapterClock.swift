import Synchronization

/// The clock of an adapter: that of its stack and of the timeouts of all operations.
///
///     try await central.clock.sleep(for: .seconds(2))
///
/// It runs in real time; on a virtual radio it may run faster, or be stepped by a test.
public struct AdapterClock: Clock {
    /// The loop of the adapter, whose timers wake up sleepers.
    package let loop: RadioLoop

    /// The clock of an adapter on `loop`.
    package init(loop: RadioLoop) { self.loop = loop }

    /// The current time.
    public var now: RadioInstant { loop.now }

    /// The resolution of instants; the timers of the system are coarser.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends until `deadline`.
    /// - Parameter tolerance: ignored: timers fire at the deadline.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: RadioInstant, tolerance: Duration? = nil) async throws(CancellationError) {
        let sleeper = Sleeper()
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                loop.execute { sleeper.start(continuation, until: deadline, on: loop) }
            }
        } onCancel: {
            loop.execute { sleeper.wake(on: loop) }
        }
        if Task.isCancelled { throw CancellationError() }
    }
}

/// A task that sleeps. It changes its state on the loop only, so the lock is never contended.
private final class Sleeper: Sendable {
    private enum State {
        case idle
        case sleeping(UnsafeContinuation<Void, Never>, QueuedTimer)
        case over
    }

    private let state = Mutex(State.idle)

    func start(_ continuation: UnsafeContinuation<Void, Never>, until deadline: RadioInstant, on loop: RadioLoop) {
        let isAsleep = state.withLock { state in
            guard case .idle = state else { return false }
            let timer = loop.makeTimer { [self] in wake(on: loop) }
            timer.arm(at: deadline)
            state = .sleeping(continuation, timer)
            return true
        }
        if !isAsleep { loop.resume(continuation) }
    }

    /// Ends the sleep, at the deadline or because the task was cancelled; only the first call has an effect.
    func wake(on loop: RadioLoop) {
        let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            defer { state = .over }
            guard case .sleeping(let continuation, let timer) = state else { return nil }
            timer.disarm()
            // A disarmed timer may stay in the loop's queue for a while, and would retain this object.
            timer.onFire = nil
            return continuation
        }
        if let continuation { loop.resume(continuation) }
    }
}
