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
    /// - Throws: `CancellationError` where the task is cancelled.
    public func sleep(until deadline: RadioInstant, tolerance: Duration? = nil) async throws {
        let sleeper = Sleeper(loop)
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                loop.execute { sleeper.start(continuation, until: deadline) }
            }
        } onCancel: {
            loop.execute { sleeper.cancel() }
        }
        try Task.checkCancellation()
    }
}

/// A task that sleeps.
///
/// `@unchecked Sendable`: accessed on the loop only.
private final class Sleeper: @unchecked Sendable {
    private let loop: RadioLoop
    /// Resumed once: by the timer or the cancellation, whichever takes it out.
    private var continuation: UnsafeContinuation<Void, Never>?
    private var timer: QueuedTimer?
    private var isCancelled = false

    init(_ loop: RadioLoop) { self.loop = loop }

    func start(_ continuation: UnsafeContinuation<Void, Never>, until deadline: RadioInstant) {
        guard !isCancelled else { return loop.resume(continuation) }
        self.continuation = continuation
        let timer = loop.makeTimer { [self] in wake() }
        self.timer = timer
        timer.arm(at: deadline)
    }

    func cancel() {
        isCancelled = true
        wake()
    }

    private func wake() {
        timer?.disarm()
        // The timer may stay in the loop's queue for a while, and would retain this object.
        timer?.onFire = nil
        timer = nil
        guard let continuation else { return }
        self.continuation = nil
        loop.resume(continuation)
    }
}
