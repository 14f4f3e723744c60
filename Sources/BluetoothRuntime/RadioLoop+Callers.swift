import Synchronization

/// Callers that run as the loop while its thread sleeps, and read its socket.
extension RadioLoop {
    /// Runs `body` as the loop inside this call, if the loop's thread sleeps and no other caller runs as the loop; else
    /// does nothing. The caller's thread acts as the loop's meanwhile, which saves waking the other.
    ///
    /// - Parameter isDone: returns true if the operation that `body` begins has ended. While callers read the socket
    ///   (``CallerReadPolicy``), this call waits a moment for that.
    /// - Returns: true if `body` ran; if false, ``execute(_:)`` it.
    public func runInline(until isDone: (() -> Bool)? = nil, _ body: () -> Void) -> Bool {
        guard !isOnLoop, lockAsCaller() else { return false }
        let sleeper = thread.load(ordering: .relaxed)
        thread.store(Self.currentThread, ordering: .relaxed)
        isEntered = true
        turn = clock.now
        body()
        finishEvent()
        var wakesThread = needsThread
        #if os(Linux) || os(Android)
        if polled.direct.isLent, !wakesThread { wakesThread = !readsAsCaller(until: isDone) }
        #endif
        isEntered = false
        thread.store(sleeper, ordering: .relaxed)
        turnLock.unlock()
        if wakesThread { signal() }
        return true
    }

    /// True if the thread has to be woken up after a caller has run as the loop.
    private var needsThread: Bool { hasDeferredCalls || polled.needsThread || timers.firstInstant < sleepsUntil }

    /// Locks the turn if the thread sleeps. Waits for a thread that is about to lend the socket.
    private func lockAsCaller() -> Bool {
        if !turnLock.tryLock() {
            guard isLending.load(ordering: .relaxed) else { return false }
            turnLock.lock()
        }
        // Work that was enqueued before has to run before.
        if inbox.withLock({ $0.isEmpty && sleep.load(ordering: .relaxed).isSleep }) { return true }
        turnLock.unlock()
        return false
    }

    /// Records that an operation of a caller on another thread begins. To be called on the loop.
    /// - Returns: the time, for ``operationEnded(since:)``.
    package func operationBegan() -> RadioInstant {
        callerReads.began()
        return turnNow
    }

    /// Records the end of an operation. To be called on the loop.
    package func operationEnded(since start: RadioInstant) {
        callerReads.ended(after: turnNow - start)
        #if os(Linux) || os(Android)
        // The caller that is resumed may begin its next operation before the thread lends the socket.
        let lends = callerReads.wantsCallers && !isEntered && polled.hasOnlySocket && !clock.isManual
        if isLending.load(ordering: .relaxed) != lends { isLending.store(lends, ordering: .relaxed) }
        #endif
    }

    #if os(Linux) || os(Android)
    // MARK: Reading

    /// Receives until the operation of this caller has ended; returns false if the thread has to read.
    private func readsAsCaller(until isDone: (() -> Bool)?) -> Bool {
        guard let isDone else { return false }
        callerReadCount.wrappingAdd(1, ordering: .relaxed)
        guard !isDone() else { return callerReads.running == 0 }
        let direct = polled.direct
        direct.prepareForCaller()
        let mayRead = inbox.withLock { _ in
            guard !isTurnWanted.load(ordering: .relaxed) else { return false }
            isCallerReading.store(true, ordering: .relaxed)
            return true
        }
        let start = turn
        var reads = mayRead
        while reads, !isDone(), turn - start < CallerReadPolicy.quick {
            direct.receive(waits: true)
            turn = clock.now
            reads = direct.deliver()
            finishEvent()
        }
        if mayRead { inbox.withLock { _ in isCallerReading.store(false, ordering: .relaxed) } }
        direct.finishForCaller()
        return isDone() && callerReads.running == 0 && !needsThread
    }

    /// Lets callers read, if they should, and sleeps until there is work for the thread, or callers have stopped to
    /// read. Returns false if callers cannot or should not read.
    func lendToCallers() -> Bool {
        guard callerReads.wantsCallers, !clock.isManual else { return false }
        let direct = polled.direct
        guard polled.hasOnlySocket, direct.lend() else {
            callerReads.failed(after: 0)
            isLending.store(false, ordering: .relaxed)
            return false
        }
        let before = callerReadCount.load(ordering: .relaxed)
        wakeUp.drain()
        sleepsUntil = timers.firstInstant
        let sleeps = inbox.withLock { inbox in
            isLending.store(false, ordering: .relaxed)
            guard inbox.isEmpty, !hasDeferredCalls else { return false }
            sleep.store(.asleep, ordering: .relaxed)
            return true
        }
        let haveStopped = sleeps && sleepsWhileCallersRead(until: sleepsUntil, before)
        sleep.store(.awake, ordering: .relaxed)
        direct.takeBack()
        turn = clock.now
        let reads = callerReadCount.load(ordering: .relaxed) &- before
        if haveStopped { callerReads.rested() } else { callerReads.failed(after: reads) }
        return true
    }

    /// Returns true if no caller has begun to read for a while; false if the thread has work or a timer is due.
    private func sleepsWhileCallersRead(until limit: RadioInstant, _ before: UInt) -> Bool {
        turnLock.unlock()
        var reads = before
        while true {
            let left = clock.realNanoseconds(from: clock.now, until: limit) ?? .max
            guard left > 0, !wakeUp.wait(milliseconds: Self.milliseconds(min(left, CallerReadPolicy.interval))) else {
                break
            }
            let current = callerReadCount.load(ordering: .relaxed)
            // A caller that still reads ends by itself, and then wakes the thread.
            if left > CallerReadPolicy.interval, current == reads, turnLock.tryLock() { return true }
            reads = current
        }
        if !turnLock.tryLock() { interruptCaller() }
        return false
    }

    /// Locks the turn; a caller that reads ends its wait.
    private func interruptCaller() {
        inbox.withLock { _ in
            isTurnWanted.store(true, ordering: .relaxed)
            if isCallerReading.load(ordering: .relaxed) { interrupt() }
        }
        turnLock.lock()
        inbox.withLock { _ in isTurnWanted.store(false, ordering: .relaxed) }
    }
    #endif
}
