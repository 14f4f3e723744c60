import Synchronization

/// The executor of an adapter: one thread that waits for its sockets, its timers and work from other threads. Tasks may
/// prefer it, and actors can use its ``actors``.
///
/// The stack of an adapter is confined to its loop, so it needs no lock. Each controller has a loop; all adapters of
/// one virtual air share one. Packet sockets need one system call per packet and must keep packet boundaries, for which
/// a general event loop is not made; stream sockets use the same mechanism.
///
/// The thread starts with the first work. It ends after a moment without descriptors, timers and work, so an unused
/// loop costs nothing and needs no shutdown. The thread retains the loop.
///
/// Proof of `@unchecked`: state that several threads access is inside `inbox` (a mutex), atomic or constant. The rest
/// is accessed only by the holder of `turnLock`: the loop's own thread, of which there is one at a time (`sleep`), or a
/// caller while that thread sleeps (``runInline(until:_:)``).
public final class RadioLoop: TaskExecutor, @unchecked Sendable {
    enum Work: Sendable {
        case job(UnownedJob)
        /// A job of an actor that uses the loop's executor.
        case isolated(UnownedJob)
        case call(@Sendable () -> Void)
    }

    /// The state of the thread, which a caller that enqueues work has to know. Callers read and change it under the
    /// lock of the inbox. So does the thread, except that it announces `receiving` without the lock, before it checks
    /// for work, and `awake` after it was woken up. A caller that does not see the latter yet sends one superfluous
    /// signal.
    enum Sleep: UInt8, AtomicRepresentable {
        /// There is no thread; the next work starts one.
        case resting
        /// The thread checks for work before it sleeps.
        case awake
        /// The thread sleeps, or is about to, and checks for work only after a signal.
        case asleep
        /// The same, and it is woken by an interruption of the system call that receives.
        case receiving

        var isSleep: Bool { self == .asleep || self == .receiving }
    }

    /// The loop of adapters that the system's Bluetooth service runs.
    public static let shared = RadioLoop()

    /// The clock of the loop.
    public let clock: RadioClock
    /// The serial executor for actors on the loop.
    public let actors = LoopActorExecutor()
    let inbox = Mutex<[Work]>([])
    /// True if there may be work; checked before the lock of the inbox is taken.
    let mayHaveWork = Atomic(false)
    let sleep = Atomic<Sleep>(.resting)
    let wakeUp: WakeUp
    /// The identifier of the loop's thread; 0 while there is none. A thread finds its own identifier here only if it
    /// stored it itself, so relaxed ordering is sufficient.
    let thread = Atomic<UInt>(0)

    /// Held by the loop's thread, except while it sleeps and a caller may take over.
    let turnLock = TurnLock()
    /// True while a caller runs as the loop and its thread sleeps.
    var isEntered = false
    /// The latest end of the thread's sleep.
    var sleepsUntil = RadioInstant.never

    /// Decides whether callers read the socket.
    let callerReads = CallerReadPolicy()
    /// True while the thread is about to let callers read the socket.
    let isLending = Atomic(false)
    /// The number of times that callers began to read.
    let callerReadCount = Atomic<UInt>(0)
    /// True while a caller waits for a packet, which the thread can interrupt. Changed under the lock of the inbox.
    let isCallerReading = Atomic(false)
    /// True while the thread waits for a caller to end. Changed under the lock of the inbox.
    let isTurnWanted = Atomic(false)

    let timers = TimerQueue()
    #if os(Linux) || os(Android)
    let polled: EpollSet
    #else
    let polled: PollSet
    #endif
    /// The time of this turn, read from the clock at the first use.
    var turn = RadioInstant.start { didSet { isTurnRead = true } }
    var isTurnRead = false
    var deferredCalls: [() -> Void] = []
    /// True if `deferredCalls` is not empty. Each turn checks several times; a Boolean is read without an exclusivity
    /// check.
    var hasDeferredCalls = false
    var runningCalls: [() -> Void] = []
    var runningWork: [Work] = []
    var hasRunningWork = false
    /// Continuations to be resumed after the current work item, and the number of those resumed already.
    private var resumed: [UnsafeContinuation<Void, Never>] = []
    var hasResumed = false
    private var resumedCount = 0

    /// The time after which a thread without work ends, in nanoseconds.
    let idleNanoseconds: Int64
    /// True if there is no thread, and ``drive()`` does the work.
    package let isDriven: Bool

    /// The number of rounds in which deferred calls may enqueue further ones before sockets and callers get their turn.
    static let deferredRounds = 256
    /// The number of rounds in which work may enqueue further work before sockets get their turn.
    static let workRounds = 8
    /// The maximum number of work items before the continuations that they resumed run.
    static let workTogether = 32

    /// Creates a loop on `clock`.
    public convenience init(clock: RadioClock = .real) { self.init(clock: clock, idleNanoseconds: 500_000_000) }

    init(
        clock: RadioClock, idleNanoseconds: Int64, interface: LoopWait = .ofThisProcess,
        isDriven: Bool = false
    ) {
        self.clock = clock
        self.isDriven = isDriven
        self.idleNanoseconds = idleNanoseconds
        wakeUp = WakeUp()
        #if os(Linux) || os(Android)
        polled = EpollSet(wakeUp: wakeUp.readEnd, clock: clock, interface: interface)
        #else
        polled = PollSet(wakeUp: wakeUp.readEnd)
        #endif
        // Proof of `unowned`: a timer is armed on the loop, whose thread and callers retain the loop.
        timers.onEarlierDeadline = { [unowned self] in
            // Arming from another thread would be a data race, and nothing would wake the loop.
            preconditionOnLoop()
        }
        actors.loop = self
        if isDriven { sleep.store(.asleep, ordering: .relaxed) }
        clock.add(self)
    }

    deinit { turnLock.deallocate() }

    // MARK: From any thread

    /// True if the caller runs on the loop's thread.
    public var isOnLoop: Bool { thread.load(ordering: .relaxed) == Self.currentThread }

    /// True while the loop has a thread.
    var hasThread: Bool { thread.load(ordering: .relaxed) != 0 }

    /// Traps unless the caller runs on the loop's thread.
    public func preconditionOnLoop() {
        precondition(isOnLoop, "this must run on the adapter's loop")
    }

    /// Enqueues `body` on the loop, after all work enqueued before; it never runs inside this call.
    public func execute(_ body: @escaping @Sendable () -> Void) { add(.call(body)) }

    /// Runs `body` on the loop and returns its result.
    /// - Throws: the error of `body`.
    public func run<Result: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        // The loop runs all its work, so the continuation is resumed exactly once.
        let result: Swift.Result<Result, Failure> = await withUnsafeContinuation { continuation in
            execute { continuation.resume(returning: Swift.Result(catching: body)) }
        }
        return try result.get()
    }

    /// For the Swift runtime: enqueues a job of a task that prefers the loop.
    public func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    func enqueueIsolated(_ job: UnownedJob) { add(.isolated(job)) }

    /// Wakes the thread.
    func signal() {
        if isDriven { return }
        let before = inbox.withLock { _ in
            let before = sleep.load(ordering: .relaxed)
            // The thread may have woken up, and sleep again, when this would be stored.
            let isSet =
                before.isSleep
                && sleep.compareExchange(expected: before, desired: .awake, ordering: .relaxed).exchanged
            guard isSet else { return Sleep.awake }
            if before == .receiving { interrupt() }
            return before
        }
        if before == .asleep { wakeUp.signal() }
    }

    /// Ends the system call that receives. To be called with the lock of the inbox while the thread is `receiving`: it
    /// cannot end without that lock.
    func interrupt() {
        #if os(Linux) || os(Android)
        polled.direct.interrupt()
        #endif
    }

    private func add(_ work: Work) {
        let before = inbox.withLock { inbox in
            inbox.append(work)
            mayHaveWork.store(true, ordering: .relaxed)
            let before = sleep.exchange(.awake, ordering: .acquiringAndReleasing)
            if before == .receiving { interrupt() }
            return before
        }
        switch before {
        case .awake, .receiving: break
        case .asleep: if !isDriven { wakeUp.signal() }
        case .resting: startThread()
        }
    }

    // MARK: On the loop

    /// The time of the loop's clock. On the loop it is constant during a turn, so that all events of a turn have the
    /// same time; a manual clock is constant anyway.
    public var now: RadioInstant { isOnLoop ? turnNow : clock.now }
    var turnNow: RadioInstant {
        if clock.isManual { return clock.now }
        if !isTurnRead { turn = clock.now }
        return turn
    }

    /// Enqueues `body` to run after the current event, never inside this call. To be called on the loop.
    ///
    /// It runs before work that other threads enqueue later, unless deferred calls enqueue others without end: then
    /// both take turns.
    public func executeNext(_ body: @escaping () -> Void) {
        preconditionOnLoop()
        deferredCalls.append(body)
        hasDeferredCalls = true
    }

    /// Resumes a continuation, once, after the current work item. To be called on the loop.
    ///
    /// All consequences of an event have thus happened before a task observes it: a task that receives the error of a
    /// link that ended finds it not connected. Continuations of consecutive work items resume in one batch, which wakes
    /// a pool thread once, where it would otherwise sleep again after each. And a task on the loop whose operation
    /// completes at once lets other work have its turn.
    public func resume(_ continuation: UnsafeContinuation<Void, Never>) {
        preconditionOnLoop()
        resumed.append(continuation)
        hasResumed = true
    }

    /// Resumes the pending continuations. An executor may run a task inside `resume()`, so that more continuations are
    /// added meanwhile.
    func resumePending() {
        while resumedCount < resumed.count {
            resumedCount += 1
            resumed[resumedCount - 1].resume()
        }
        resumed.removeAll(keepingCapacity: true)
        resumedCount = 0
        hasResumed = false
    }

    /// Runs the deferred calls and continuations of an event, before the next event.
    func finishEvent() {
        if hasDeferredCalls { runDeferredCalls() }
        if hasResumed { resumePending() }
    }

    /// Creates a timer on the loop's clock, not armed yet; it may be armed on the loop only.
    public func makeTimer(_ fire: @escaping () -> Void) -> QueuedTimer { timers.makeTimer(fire) }

    func fireTimers() {
        if timers.firstInstant < .never { timers.fire(upTo: turnNow) }
        finishEvent()
    }
}

extension RadioLoop: Hashable {
    /// Returns true if both are the same loop.
    public static func == (left: RadioLoop, right: RadioLoop) -> Bool { left === right }

    /// Hashes the loop's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
