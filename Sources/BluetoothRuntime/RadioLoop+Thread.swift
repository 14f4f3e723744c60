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
            if lendToCallers() { continue }
            if polled.hasOnlySocket {
                receive()
                continue
            }
            #endif
            guard waitForEvents() else { return }
        }
    }

    func takeWork() {
        // May miss work that was just added: before it sleeps, the thread checks again.
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
            #if os(Linux) || os(Android)
            sendHeld()
            #endif
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .isolated(let job): job.runSynchronously(on: actors.asUnownedSerialExecutor())
            case .call(let body): body()
            }
            if hasDeferredCalls { runDeferredCalls() }
        }
        if hasResumed { resumePending() }
        runningWork.removeAll(keepingCapacity: true)
        hasRunningWork = false
    }

    func runDeferredCalls() {
        var rounds = 0
        while hasDeferredCalls, rounds < Self.deferredRounds {
            hasDeferredCalls = false
            swap(&deferredCalls, &runningCalls)
            for call in runningCalls { call() }
            runningCalls.removeAll(keepingCapacity: true)
            rounds += 1
        }
    }

    #if os(Linux) || os(Android)
    /// Waits for the only socket and delivers its packets, until there is anything else to do.
    private func receive() {
        // A reference of its own, because otherwise each packet would retain and release the receiver.
        let direct = polled.direct
        direct.poll(false)
        var waits = true
        while waits, polled.hasOnlySocket, !callerReads.wantsCallers {
            direct.prepare()
            // Without the lock of the inbox: `add` makes both accesses in the other order.
            _ = sleep.exchange(.receiving, ordering: .acquiringAndReleasing)
            // The alarm that comes after this ends the wait. Without a timer the clock need not be read.
            let first = timers.firstInstant
            let now = first < .never ? clock.now : .start
            waits = !mayHaveWork.load(ordering: .relaxed) && !hasDeferredCalls && !direct.hasUnsent && first > now
            sleepsUntil = first
            direct.wait(until: first, at: now, free: waits ? turnLock : nil)
            isTurnRead = false
            sleep.store(.awake, ordering: .relaxed)
            deliverRead()
        }
    }
    #endif

    /// Waits for a descriptor, a timer or work, and delivers the events; returns false when the thread has to end.
    private func waitForEvents() -> Bool {
        let isBare = polled.count == 0
        let deadline = timers.nextDeadline
        var timeout = milliseconds(until: deadline)
        let isIdle = isBare && timeout < 0
        if isIdle { timeout = Self.milliseconds(idleNanoseconds) }
        sleepsUntil = isIdle ? turnNow + .nanoseconds(idleNanoseconds) : deadline ?? .never
        let hasWork = inbox.withLock { inbox in
            guard inbox.isEmpty, !hasDeferredCalls, timeout != 0 else { return true }
            sleep.store(.asleep, ordering: .relaxed)
            return false
        }
        // Without a descriptor there is nothing to poll.
        guard !hasWork || !isBare else {
            isTurnRead = false
            return true
        }
        let (hasEvents, wokenUp) = polled.wait(milliseconds: hasWork ? 0 : timeout, free: hasWork ? nil : turnLock)
        isTurnRead = false
        // Work that the events cause on other threads needs no signal: this thread checks before it sleeps again.
        if !hasWork { sleep.store(.awake, ordering: .relaxed) }
        if wokenUp { wakeUp.clear() }
        if hasEvents { deliverEvents() }
        if hasEvents || wokenUp || !isIdle || hasWork { return true }
        return inbox.withLock { inbox in
            // A caller may have run as the loop meanwhile.
            guard inbox.isEmpty, !hasDeferredCalls, polled.count == 0, milliseconds(until: timers.nextDeadline) < 0
            else { return true }
            sleep.store(.resting, ordering: .relaxed)
            thread.store(0, ordering: .relaxed)
            return false
        }
    }

    /// Returns the milliseconds until a deadline for epoll and poll, -1 without one. A deadline that only a step
    /// reaches does not limit the wait: the caller that steps the clock enqueues work.
    private func milliseconds(until deadline: RadioInstant?) -> Int32 {
        deadline.flatMap { clock.realNanoseconds(from: turnNow, until: $0) }.map(Self.milliseconds) ?? -1
    }

    /// Rounded up so that the wait never ends early.
    static func milliseconds(_ nanoseconds: Int64) -> Int32 {
        Int32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0))
    }
}
