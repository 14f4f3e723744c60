/// Loops on a clock that a test or a simulation steps, and loops without a thread.
extension RadioLoop {
    /// The executor of the program's handlers: nil, Swift's own. On a manual clock the loop, because
    /// ``RadioClock/advance(by:)`` waits for the loop's work only.
    package var handlerExecutor: (any TaskExecutor)? { clock.isManual ? self : nil }

    /// Returns the next deadline once the loop has done all enqueued work and its consequences; for a manual clock.
    func settledDeadline() async -> RadioInstant? {
        await withCheckedContinuation { continuation in settle(continuation, rounds: Self.deferredRounds) }
    }

    private func settle(_ continuation: CheckedContinuation<RadioInstant?, Never>, rounds: Int) {
        execute { [self] in
            // Repeated until this is the only work item and none was enqueued since: other work may resume tasks.
            if rounds > 0, runningWork.count > 1 || hasDeferredCalls || inbox.withLock({ !$0.isEmpty }) {
                settle(continuation, rounds: rounds - 1)
            } else {
                continuation.resume(returning: timers.nextDeadline)
            }
        }
    }

    /// Creates a loop without a thread, for a simulation that calls ``drive()``; it watches no descriptors.
    ///
    /// Between two calls it behaves like a loop whose thread sleeps: ``runInline(until:_:)`` succeeds if no work is
    /// enqueued.
    package static func driven(clock: RadioClock) -> RadioLoop {
        RadioLoop(clock: clock, idleNanoseconds: 0, interface: .epoll, isDriven: true)
    }

    /// Runs one turn of a driven loop on the calling thread: the enqueued work, its deferred calls, and the timers that
    /// are due.
    package func drive() {
        precondition(isDriven, "this loop is run by its own thread")
        turnLock.lock()
        defer { turnLock.unlock() }
        thread.store(Self.currentThread, ordering: .relaxed)
        defer { thread.store(0, ordering: .relaxed) }
        turn = clock.now
        takeWork()
        finishEvent()
        if hasRunningWork { runWork() }
        fireTimers()
        inbox.withLock { sleep.store($0.isEmpty ? .asleep : .awake, ordering: .relaxed) }
    }

    /// True if a driven loop has work that is due.
    package var hasWork: Bool {
        hasDeferredCalls || hasResumed || timers.firstInstant <= clock.now || inbox.withLock { !$0.isEmpty }
    }

    /// The deadline of a driven loop's first timer; nil if none is armed.
    package var nextTimer: RadioInstant? { timers.nextDeadline }
}
