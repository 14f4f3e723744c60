import Synchronization

/// Callers that run as the loop while its thread sleeps, and read its socket.
extension RadioLoop {
    /// Runs `body` as the loop inside this call, if the loop's thread sleeps; else does nothing. The caller's thread
    /// acts as the loop's meanwhile, which saves waking the other.
    ///
    /// While operations end inside their calls, this call waits for other callers (``CallerTurnPolicy``).
    ///
    /// - Parameter isDone: returns true if the operation that `body` begins has ended. While callers read the socket
    ///   (``CallerReadPolicy``), this call waits a moment for that.
    /// - Returns: true if `body` ran; if false, ``execute(_:)`` it.
    public func enter(until isDone: (() -> Bool)? = nil, _ body: () -> Void) -> Bool {
        guard !isOnLoop else { return false }
        // Work that was enqueued before has to run before.
        let mayEnter = { self.inbox.withLock { $0.isEmpty && self.sleep.load(ordering: .relaxed).isSleep } }
        guard turnLock.lockAsCaller(mayEnter) || waitsForLending(mayEnter) else { return false }
        let sleeper = thread.load(ordering: .relaxed)
        thread.store(Self.currentThread, ordering: .relaxed)
        isLent = true
        turn = clock.now
        body()
        finishEvent()
        var isNeeded = needsThread
        #if os(Linux) || os(Android)
        if polled.isLent, !isNeeded { isNeeded = !readsAsCaller(until: isDone) }
        #endif
        isLent = false
        thread.store(sleeper, ordering: .relaxed)
        turnLock.unlockAsCaller()
        if isNeeded { signal() }
        return true
    }

    /// True if the thread has to be woken up after a caller has run as the loop.
    private var needsThread: Bool {
        hasLaterCalls || polled.needsThread
            || nextLimit.map { limit in sleepsUntil.map { limit.instant < $0 } ?? true } ?? false
    }

    #if os(Linux) || os(Android)
    /// Waits for the thread, which is about to let callers read; returns false if it is not.
    private func waitsForLending(_ mayEnter: () -> Bool) -> Bool {
        guard callers.isLending.load(ordering: .relaxed) else { return false }
        turnLock.lock()
        if mayEnter() { return true }
        turnLock.unlock()
        return false
    }

    /// Receives until the operation of this caller has ended; returns false if the thread has to read.
    private func readsAsCaller(until isDone: (() -> Bool)?) -> Bool {
        guard let isDone else { return false }
        callers.count.wrappingAdd(1, ordering: .relaxed)
        guard !isDone() else { return callers.policy.running == 0 }
        polled.direct.prepareForCaller()
        let mayRead = inbox.withLock { _ in
            guard !callers.isTurnWanted.load(ordering: .relaxed) else { return false }
            callers.isReading.store(true, ordering: .relaxed)
            return true
        }
        let start = turn
        while mayRead, !isDone(), turn - start < CallerReadPolicy.quick, polled.direct.waitAsCaller() {
            turn = clock.now
            tellDirectRead()
        }
        if mayRead { inbox.withLock { _ in callers.isReading.store(false, ordering: .relaxed) } }
        polled.direct.finish()
        return isDone() && callers.policy.running == 0 && !needsThread
    }

    /// Lets callers read, if they should; the thread then sleeps in ``sleepWhileCallersRead()``.
    func lendToCallers() -> Bool {
        guard callers.policy.wantsCallers, !clock.isManual else { return false }
        if polled.lend() { return true }
        callers.policy.failed(after: 0)
        callers.isLending.store(false, ordering: .relaxed)
        return false
    }

    /// Sleeps until there is work for the thread, or callers have stopped to read.
    func sleepWhileCallersRead() {
        let limit = limit(timers.firstInstant)?.instant
        let first = callers.count.load(ordering: .relaxed)
        wakeUp.drain()
        let hasWork = inbox.withLock { inbox in
            callers.isLending.store(false, ordering: .relaxed)
            guard inbox.isEmpty, !hasLaterCalls else { return true }
            sleep.store(.asleep, ordering: .relaxed)
            return false
        }
        var haveStopped = false
        if !hasWork {
            sleepsUntil = limit
            turnLock.unlock()
            haveStopped = sleepsWhileCallersRead(until: limit, first)
            if !haveStopped { takeTurn() }
        }
        sleep.store(.awake, ordering: .relaxed)
        polled.takeBack()
        turn = clock.now
        let reads = callers.count.load(ordering: .relaxed) &- first
        if haveStopped { callers.policy.rested() } else { callers.policy.failed(after: reads) }
    }

    /// Returns true, with the turn locked, if no caller has begun to read for a while; false if the thread has work or
    /// a timer is due.
    private func sleepsWhileCallersRead(until limit: RadioInstant?, _ first: UInt) -> Bool {
        var reads = first
        while true {
            let now = clock.now
            let left = limit.flatMap { clock.realNanoseconds(from: now, until: $0) } ?? .max
            guard left > 0 else { return false }
            let rest = LoopLimit(instant: now, nanoseconds: min(left, CallerReadPolicy.interval))
            if wakeUp.wait(milliseconds: rest.milliseconds) { return false }
            let current = callers.count.load(ordering: .relaxed)
            // A caller that still reads ends by itself, and then wakes the thread.
            if left > CallerReadPolicy.interval, current == reads, turnLock.tryLock() { return true }
            reads = current
        }
    }

    /// Locks the turn; a caller that reads ends its wait.
    private func takeTurn() {
        guard !turnLock.tryLock() else { return }
        inbox.withLock { _ in
            callers.isTurnWanted.store(true, ordering: .relaxed)
            if callers.isReading.load(ordering: .relaxed) { interrupt() }
        }
        turnLock.lock()
        inbox.withLock { _ in callers.isTurnWanted.store(false, ordering: .relaxed) }
    }
    #else
    private func waitsForLending(_ mayEnter: () -> Bool) -> Bool { false }
    #endif

    /// Records that an operation of a caller on another thread begins. To be called on the loop.
    /// - Returns: the time, for ``operationEnded(since:)``.
    package func operationBegan() -> RadioInstant {
        callers.policy.began()
        return turnNow
    }

    /// Records the end of an operation. To be called on the loop.
    package func operationEnded(since start: RadioInstant) {
        let duration = turnNow - start
        callers.policy.ended(after: duration)
        turnLock.operationEnded(inside: duration == .zero && !clock.isManual)
        #if os(Linux) || os(Android)
        // The caller that is resumed may begin its next operation before the thread lets callers read.
        if callers.policy.wantsCallers, !isLent, polled.canLend, !clock.isManual {
            callers.isLending.store(true, ordering: .relaxed)
        }
        #endif
    }
}
