#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The loop's thread: it runs the enqueued work and the timers, and waits for the next.
extension RadioLoop {
    static var currentThread: UInt {
        #if canImport(Glibc)
        pthread_self()
        #else
        UInt(bitPattern: pthread_self())
        #endif
    }

    func startThread() {
        let status = DetachedThread.start { [self] in threadMain() }
        // Proof that the program must end: the loop cannot run without a thread, and an executor that drops a job
        // leaves its task suspended forever.
        guard status == 0 else { fatalError("cannot create the thread of the adapter's loop: error \(status)") }
    }

    private func threadMain() {
        turnLock.lock()
        defer { turnLock.unlock() }
        thread.store(Self.currentThread, ordering: .relaxed)
        turn = clock.now
        while true {
            // Work often leads to more work, a resumed task for instance, which need not wait for a system call.
            for _ in 0..<Self.workRounds {
                takeWork()
                finishEvent()
                guard hasRunningWork else { break }
                runWork()
            }
            fireTimers()
            #if os(Linux) || os(Android)
            if receivesRepeatedly() { continue }
            #endif
            guard waitForEvents() else { return }
        }
    }

    func takeWork() {
        // May miss work that was just added: before it sleeps, the thread checks under the lock.
        guard mayHaveWork.load(ordering: .relaxed) else { return }
        inbox.withLock { inbox in
            mayHaveWork.store(false, ordering: .relaxed)
            guard !inbox.isEmpty else { return }
            swap(&inbox, &runningWork)
            hasRunningWork = true
        }
    }

    /// Runs the enqueued work; after each item, its deferred calls.
    func runWork() {
        for (place, work) in runningWork.enumerated() {
            if hasResumed, place % Self.workTogether == 0 { resumePending() }
            handOver()
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .isolated(let job): job.runSynchronously(on: actors.asUnownedSerialExecutor())
            case .call(let body): body()
            }
            if hasLaterCalls { runLater() }
        }
        if hasResumed { resumePending() }
        runningWork.removeAll(keepingCapacity: true)
        hasRunningWork = false
    }

    func runLater() {
        var rounds = 0
        while hasLaterCalls, rounds < Self.laterRounds {
            hasLaterCalls = false
            swap(&laterCalls, &runningCalls)
            for call in runningCalls { call() }
            runningCalls.removeAll(keepingCapacity: true)
            rounds += 1
        }
    }

    #if os(Linux) || os(Android)
    /// Waits for the only socket and serves it, until there is anything else to do. It does for each packet only what
    /// ``waitForEvents()`` does for this case.
    /// - Returns: false if there was something else to do before.
    private func receivesRepeatedly() -> Bool {
        guard polled.beginsToReceive(), !clock.isManual else { return false }
        // A reference of its own, because otherwise each packet would retain and release the receiver.
        let direct = polled.direct
        var hasReceived = false
        while polled.receives, !hasLaterCalls, !callers.policy.wantsCallers, direct.prepareToWait() {
            // Without the lock of the inbox: `add` makes both accesses in the other order.
            _ = sleep.exchange(.receiving, ordering: .acquiringAndReleasing)
            // The alarm that comes after the check ends the wait.
            if mayHaveWork.load(ordering: .relaxed) || mayHaveDueTimers {
                sleep.store(.awake, ordering: .relaxed)
                direct.finish()
                break
            }
            sleepsUntil = timers.firstInstant
            direct.wait(free: turnLock)
            isTurnRead = false
            sleep.store(.awake, ordering: .relaxed)
            tellDirectRead()
            hasReceived = true
        }
        return hasReceived
    }
    #endif

    /// Waits for a socket, a timer or work, and serves the sockets; returns false when the thread has to end.
    private func waitForEvents() -> Bool {
        #if os(Linux) || os(Android)
        if lendToCallers() {
            sleepWhileCallersRead()
            return true
        }
        #endif
        let isBare = polled.count == 0
        // With sockets, a disarmed timer may end the wait early: that is rare, and an exact limit would cost every
        // turn.
        var limit =
            if isBare { nextLimit } else if mayHaveDueTimers { limit(timers.firstInstant) } else {
                // The alarm is the limit.
                LoopLimit?.some(LoopLimit(instant: timers.firstInstant, nanoseconds: .max))
            }
        let isIdle = isBare && limit == nil
        if isIdle { limit = LoopLimit(instant: turnNow + .nanoseconds(idleNanoseconds), nanoseconds: idleNanoseconds) }
        if hasLaterCalls { limit = .now }
        let waits = limit.map { $0.nanoseconds > 0 } ?? true
        let receives = waits && polled.preparesToReceive()
        let hasWork = inbox.withLock { inbox in
            guard inbox.isEmpty else { return true }
            if waits { sleep.store(receives ? .receiving : .asleep, ordering: .relaxed) }
            return false
        }
        if hasWork { limit = .now }
        // Without a socket there is nothing to poll.
        if hasWork || !waits, isBare {
            isTurnRead = false
            return true
        }

        sleepsUntil = limit?.instant
        let (hasEvents, wokenUp) = polled.wait(until: limit, free: waits && !hasWork ? turnLock : nil)
        isTurnRead = false
        // Work that the events cause on other threads needs no signal: this thread checks before it sleeps again.
        if waits, !hasWork { sleep.store(.awake, ordering: .relaxed) }
        if wokenUp { wakeUp.clear() }
        if hasEvents { tellEvents() }
        if hasEvents || wokenUp || !isIdle || !waits || hasWork { return true }
        return inbox.withLock { inbox in
            // A caller may have run as the loop meanwhile.
            guard inbox.isEmpty, polled.count == 0, nextLimit == nil, !hasLaterCalls else { return true }
            sleep.store(.resting, ordering: .relaxed)
            thread.store(0, ordering: .relaxed)
            return false
        }
    }

    /// The latest end of the thread's sleep.
    var nextLimit: LoopLimit? { timers.nextDeadline.flatMap { limit($0) } }

    /// Returns the limit of a deadline, nil for none. A deadline that only a step reaches does not limit the sleep: the
    /// caller that steps the clock enqueues work.
    func limit(_ deadline: RadioInstant) -> LoopLimit? {
        clock.realNanoseconds(from: turnNow, until: deadline).map { LoopLimit(instant: deadline, nanoseconds: $0) }
    }
}
