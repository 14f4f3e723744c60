import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The executor of an adapter: one thread that waits for its sockets, its timers and its callers. Tasks may prefer it, and
/// actors live on its ``actors``.
///
/// Everything of one adapter's stack is confined to it, so the stack needs no lock; all adapters of one virtual air
/// share one. Packet sockets need one system call a packet and no joining of packets, which is why the loop is our own;
/// streams use it too, so there is one mechanism.
///
/// The thread starts with the first work and ends when nothing has been watched, timed or asked for a moment, so a loop
/// that nobody uses any more costs nothing and needs no shutdown. Until then the thread keeps the loop alive.
///
/// `@unchecked Sendable`: what several threads reach is inside `inbox` (a mutex), atomic or constant; the rest is touched by
/// whoever holds `turnLock` only: the loop's own thread, of which there is one at a time (`sleep`), or a caller while that
/// sleeps (``enter(_:)``).
public final class RadioLoop: TaskExecutor, @unchecked Sendable {
    private enum Work: Sendable {
        case job(UnownedJob)
        /// A job of an actor of the loop.
        case isolated(UnownedJob)
        case call(@Sendable () -> Void)
    }

    /// What the thread does: whoever leaves work for it has to know. It is read and changed together with the work, but for
    /// one thing: a thread that was woken up says so without the lock. Who does not see that yet signals once too often.
    private enum Sleep: UInt8, AtomicRepresentable {
        /// There is no thread; the next work starts one.
        case resting
        /// The thread looks for work before it sleeps.
        case awake
        /// The thread sleeps, or is about to, and looks for work only after a signal.
        case asleep
    }

    /// The loop that adapters on real time share.
    public static let shared = RadioLoop()

    /// The clock of everything on this loop.
    public let clock: RadioClock
    /// The serial executor of actors that live on the loop.
    public let actors = LoopActorExecutor()
    private let inbox = Mutex<[Work]>([])
    /// Whether there may be work: who looks often looks here first.
    private let mayHaveWork = Atomic(false)
    private let sleep = Atomic<Sleep>(.resting)
    private let wakeUp: WakeUp
    /// The loop's thread as a number; 0 while there is none. A thread finds its own number here only if it put it
    /// there, so no ordering is needed.
    private let thread = Atomic<UInt>(0)

    /// The loop's thread holds it, except while it sleeps and may be stood in for.
    private let turnLock = TurnLock()
    /// Whether a caller is the loop at the moment, and its thread sleeps: what only that thread may do has to wait.
    private(set) var isLent = false
    /// How long the thread sleeps at most; nil is for ever.
    private var sleepsUntil: RadioInstant?

    private let timers = TimerQueue()
    #if os(Linux) || os(Android)
    private let polled: EpollSet
    #else
    private let polled: PollSet
    #endif
    /// When this turn of the loop began: reading the clock once a turn instead of once a question.
    private var turn = RadioInstant.start
    private var laterCalls: [() -> Void] = []
    /// Whether there are any. Every turn asks several times; a plain value is read without a check for overlapping access.
    private var hasLaterCalls = false
    private var runningCalls: [() -> Void] = []
    private var runningWork: [Work] = []
    private var hasRunningWork = false
    /// Tasks that go on once the piece of work that runs is done, and how many of them do already.
    private var resumed: [UnsafeContinuation<Void, Never>] = []
    private var hasResumed = false
    private var goneOn = 0

    /// How long a thread without work stays before it ends.
    private let idleNanoseconds: Int64
    /// Whether ``read(_:handler:)`` may use what the system has for it.
    private let readsByRing: Bool
    /// Whether there is no thread, and ``drive()`` does the work.
    private let isDriven: Bool

    /// `HARALD_IO_URING=0` in the environment keeps to epoll, for comparing the two.
    private static let ringIsAllowed = getenv("HARALD_IO_URING").map { String(cString: $0) } != "0"

    /// How often calls made "later" may make others before sockets and callers get their turn.
    private static let laterRounds = 256
    /// How often work from outside may lead to more before sockets get their turn.
    private static let workRounds = 8
    /// After so much work at most, the tasks that it let go on do.
    private static let workTogether = 32

    /// A loop on `clock`.
    public convenience init(clock: RadioClock = .real) { self.init(clock: clock, idleNanoseconds: 500_000_000) }

    init(
        clock: RadioClock, idleNanoseconds: Int64, readsByRing: Bool = ringIsAllowed, isDriven: Bool = false
    ) {
        self.clock = clock
        self.isDriven = isDriven
        self.idleNanoseconds = idleNanoseconds
        self.readsByRing = readsByRing
        wakeUp = WakeUp()
        #if os(Linux) || os(Android)
        polled = EpollSet(wakeUp: wakeUp.readEnd, clock: clock)
        #else
        polled = PollSet(wakeUp: wakeUp.readEnd)
        #endif
        timers.onEarlierDeadline = { [unowned self] in
            // Armed from elsewhere it would be a race, and nobody would wake the loop.
            preconditionOnLoop()
        }
        actors.loop = self
        if isDriven { sleep.store(.asleep, ordering: .relaxed) }
        clock.add(self)
    }

    // MARK: From anywhere

    /// Whether the caller runs on the loop's thread.
    public var isOnLoop: Bool { thread.load(ordering: .relaxed) == Self.currentThread }

    /// Whether there is a thread at the moment.
    var hasThread: Bool { thread.load(ordering: .relaxed) != 0 }

    /// Traps unless the caller runs on the loop's thread.
    public func preconditionOnLoop() {
        precondition(isOnLoop, "this must run on the adapter's loop")
    }

    /// Runs `body` on the loop, after everything that was asked for before; never inside this call.
    public func execute(_ body: @escaping @Sendable () -> Void) { add(.call(body)) }

    /// Runs `body` on the loop and waits for what it returns.
    public func run<Result: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
            execute { continuation.resume(returning: Swift.Result(catching: body)) }
        }
        return try result.get()
    }

    /// For the Swift runtime: runs a job of a task that prefers the loop.
    public func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    fileprivate func enqueueIsolated(_ job: UnownedJob) { add(.isolated(job)) }

    /// Runs `body` on the loop at once, inside this call, if the loop's thread sleeps: the caller's thread is the loop's as
    /// long as that takes, which saves waking up the other. Else nothing happens.
    ///
    /// - Returns: whether `body` ran; else ``execute(_:)`` it.
    public func enter(_ body: () -> Void) -> Bool {
        guard turnLock.tryLock() else { return false }
        // What was asked for before has to come before.
        guard inbox.withLock({ $0.isEmpty && sleep.load(ordering: .relaxed) == .asleep }) else {
            turnLock.unlock()
            return false
        }
        let sleeper = thread.load(ordering: .relaxed)
        thread.store(Self.currentThread, ordering: .relaxed)
        isLent = true
        turn = clock.now
        body()
        finishEvent()
        let isEarlier = nextLimit.map { limit in sleepsUntil.map { limit.instant < $0 } ?? true } ?? false
        let isNeeded = hasLaterCalls || isEarlier || polled.needsThread
        isLent = false
        thread.store(sleeper, ordering: .relaxed)
        turnLock.unlock()
        if isNeeded { signal() }
        return true
    }

    /// Makes the thread look.
    private func signal() {
        if isDriven { return }
        let wasAsleep = sleep.compareExchange(expected: .asleep, desired: .awake, ordering: .relaxed).exchanged
        if wasAsleep { wakeUp.signal() }
    }

    private func add(_ work: Work) {
        let before = inbox.withLock { inbox in
            inbox.append(work)
            mayHaveWork.store(true, ordering: .relaxed)
            return sleep.exchange(.awake, ordering: .relaxed)
        }
        switch before {
        case .awake: break
        case .asleep: if !isDriven { wakeUp.signal() }
        case .resting: startThread()
        }
    }

    // MARK: On the loop

    /// The time of the loop's clock. On the loop it stands still during a turn, so that all that happens in it happens
    /// at once; a manual clock stands still anyway.
    public var now: RadioInstant { isOnLoop ? turnNow : clock.now }
    private var turnNow: RadioInstant { clock.isManual ? clock.now : turn }

    /// Runs `body` on the loop soon, never inside this call; only on the loop.
    ///
    /// It runs before work that comes from outside after it, unless calls of this kind make others without end: then
    /// both take turns.
    public func later(_ body: @escaping () -> Void) {
        preconditionOnLoop()
        laterCalls.append(body)
        hasLaterCalls = true
    }

    /// Lets a task go on, once, when what runs now is done; only on the loop.
    ///
    /// So all that an event leads to has happened before a task hears of it: who gets the error of a link that ended finds
    /// that it is not connected. Work behind each other lets tasks go on together: a thread of theirs wakes once for all,
    /// where it would sleep again after each. And a task on the loop whose operation ends at once lets others have their turn.
    public func resume(_ continuation: UnsafeContinuation<Void, Never>) {
        preconditionOnLoop()
        resumed.append(continuation)
        hasResumed = true
    }

    /// A task's executor may run it inside this call, so that there are more of them meanwhile.
    private func letGoOn() {
        while goneOn < resumed.count {
            goneOn += 1
            resumed[goneOn - 1].resume()
        }
        resumed.removeAll(keepingCapacity: true)
        goneOn = 0
        hasResumed = false
    }

    /// What follows from an event, before the next.
    private func finishEvent() {
        if hasLaterCalls { runLater() }
        if hasResumed { letGoOn() }
    }

    /// A timer on the loop's clock, not armed yet; it is armed only on the loop.
    public func makeTimer(_ fire: @escaping () -> Void) -> QueuedTimer { timers.makeTimer(fire) }

    /// Watches a descriptor until the watch is cancelled; only on the loop.
    public func watch(
        _ descriptor: Int32, for interest: FileEvents, handler: @escaping (FileEvents) -> Void
    ) -> FileWatch {
        preconditionOnLoop()
        let watch = FileWatch(descriptor: descriptor, interest: interest, loop: self, handler: handler)
        polled.add(watch)
        return watch
    }

    /// Reads a socket as things come in, until the reader is cancelled or the socket ends; only on the loop. nil where the
    /// system cannot do that: then watch the descriptor and read it.
    ///
    /// - Parameter handler: called when something came in, to take all of it with ``SocketReader/next()``.
    public func read(_ descriptor: Int32, handler: @escaping (SocketReader) -> Void) -> SocketReader? {
        preconditionOnLoop()
        #if os(Linux) || os(Android)
        guard readsByRing, !isLent else { return nil }
        let reader = SocketReader(descriptor: descriptor, loop: self, handler: handler)
        return polled.add(reader) ? reader : nil
        #else
        return nil
        #endif
    }

    func remove(_ reader: SocketReader) {
        preconditionOnLoop()
        #if os(Linux) || os(Android)
        polled.ring.remove(reader)
        #endif
    }

    func remove(_ watch: FileWatch) {
        preconditionOnLoop()
        polled.remove(watch)
    }

    func interestChanged(of watch: FileWatch) {
        preconditionOnLoop()
        polled.update(watch)
    }

    func fireTimers() {
        timers.fire(upTo: turnNow)
        finishEvent()
    }

    /// For a stepped clock: the next deadline once the loop has done what it was asked for so far, and what that led to.
    func settledDeadline() async -> RadioInstant? {
        await withCheckedContinuation { continuation in settle(continuation, rounds: Self.laterRounds) }
    }

    private func settle(_ continuation: CheckedContinuation<RadioInstant?, Never>, rounds: Int) {
        execute { [self] in
            // Until this is all that runs, and nothing was asked for since: other work may let tasks go on.
            if rounds > 0, runningWork.count > 1 || hasLaterCalls || inbox.withLock({ !$0.isEmpty }) {
                settle(continuation, rounds: rounds - 1)
            } else {
                continuation.resume(returning: timers.nextDeadline)
            }
        }
    }

    // MARK: Without a thread

    /// A loop without a thread, for a simulation, which calls ``drive()``; it watches no descriptors.
    ///
    /// Between two calls it is as a loop whose thread sleeps: ``enter(_:)`` works where nothing waits for the loop.
    package static func driven(clock: RadioClock) -> RadioLoop {
        RadioLoop(clock: clock, idleNanoseconds: 0, readsByRing: false, isDriven: true)
    }

    /// One turn of a driven loop, on the calling thread: what it was asked for so far, what that left for later, and the
    /// timers that are due.
    package func drive() {
        precondition(isDriven, "this loop has a thread of its own")
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

    /// Whether a driven loop has something to do at once.
    package var hasWork: Bool {
        hasLaterCalls || hasResumed || timers.firstInstant <= clock.now || inbox.withLock { !$0.isEmpty }
    }

    /// When the first timer of a driven loop is due; nil where none is armed.
    package var nextTimer: RadioInstant? { timers.nextDeadline }

    // MARK: The thread

    private static var currentThread: UInt {
        #if canImport(Glibc)
        pthread_self()
        #else
        UInt(bitPattern: pthread_self())
        #endif
    }

    private func startThread() {
        let status = DetachedThread.start { [self] in threadMain() }
        // Nothing works without the thread, and there is no caller who could do anything about it.
        guard status == 0 else { fatalError("no thread for the radio: error \(status)") }
    }

    private func threadMain() {
        turnLock.lock()
        defer { turnLock.unlock() }
        thread.store(Self.currentThread, ordering: .relaxed)
        turn = clock.now
        while true {
            // Work often leads to more, a task that goes on for instance: that does not have to wait for a system call.
            for _ in 0..<Self.workRounds {
                takeWork()
                finishEvent()
                guard hasRunningWork else { break }
                runWork()
            }
            fireTimers()
            guard waitForEvents() else { return }
        }
    }

    private func takeWork() {
        // Before it sleeps, the thread looks without such haste.
        guard mayHaveWork.load(ordering: .relaxed) else { return }
        inbox.withLock { inbox in
            mayHaveWork.store(false, ordering: .relaxed)
            guard !inbox.isEmpty else { return }
            swap(&inbox, &runningWork)
            hasRunningWork = true
        }
    }

    /// Runs what came from outside; after each piece, what that left for later.
    private func runWork() {
        for (place, work) in runningWork.enumerated() {
            if hasResumed, place % Self.workTogether == 0 { letGoOn() }
            handOver()
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .isolated(let job): job.runSynchronously(on: actors.asUnownedSerialExecutor())
            case .call(let body): body()
            }
            if hasLaterCalls { runLater() }
        }
        if hasResumed { letGoOn() }
        runningWork.removeAll(keepingCapacity: true)
        hasRunningWork = false
    }

    private func runLater() {
        var rounds = 0
        while hasLaterCalls, rounds < Self.laterRounds {
            hasLaterCalls = false
            swap(&laterCalls, &runningCalls)
            for call in runningCalls { call() }
            runningCalls.removeAll(keepingCapacity: true)
            rounds += 1
        }
    }

    /// Waits for a socket, a timer or a caller, and serves the sockets; false when the thread has ended its life.
    private func waitForEvents() -> Bool {
        let isBare = polled.count == 0
        // Beside sockets a timer that is not armed any more may end a wait: that is rare, and each turn would have to ask.
        var limit = isBare ? nextLimit : limit(timers.firstInstant)
        let isIdle = isBare && limit == nil
        if isIdle { limit = LoopLimit(instant: turnNow + .nanoseconds(idleNanoseconds), nanoseconds: idleNanoseconds) }
        if hasLaterCalls { limit = .now }
        let waits = limit.map { $0.nanoseconds > 0 } ?? true
        let hasWork = inbox.withLock { inbox in
            guard inbox.isEmpty else { return true }
            if waits { sleep.store(.asleep, ordering: .relaxed) }
            return false
        }
        if hasWork { limit = .now }
        // With no socket there is nothing to learn by not waiting.
        if hasWork || !waits, isBare {
            turn = clock.now
            return true
        }

        sleepsUntil = limit?.instant
        let (hasEvents, wokenUp) = polled.wait(until: limit, free: waits && !hasWork ? turnLock : nil)
        turn = clock.now
        // What the events lead to elsewhere needs no signal: this thread looks before it sleeps again.
        if waits, !hasWork { sleep.store(.awake, ordering: .relaxed) }
        if wokenUp { wakeUp.clear() }
        if hasEvents { tellEvents() }
        if hasEvents || wokenUp || !isIdle || !waits || hasWork { return true }
        return inbox.withLock { inbox in
            // A caller may have been here meanwhile.
            guard inbox.isEmpty, polled.count == 0, nextLimit == nil, !hasLaterCalls else { return true }
            sleep.store(.resting, ordering: .relaxed)
            thread.store(0, ordering: .relaxed)
            return false
        }
    }

    /// Until when the thread may sleep.
    private var nextLimit: LoopLimit? { timers.nextDeadline.flatMap { limit($0) } }

    /// nil is for ever. A deadline that only a step gets to is no reason to stay: who steps the clock asks the loop to do
    /// something.
    private func limit(_ deadline: RadioInstant) -> LoopLimit? {
        clock.realNanoseconds(from: turnNow, until: deadline).map { LoopLimit(instant: deadline, nanoseconds: $0) }
    }

    private func tellEvents() {
        #if os(Linux) || os(Android)
        tellReads()
        #endif
        // Watches that handlers add have their places behind these, and no event yet.
        for place in polled.places {
            guard let (watch, events) = polled.takeEvent(at: place) else { continue }
            watch.handler(events)
            finishEvent()
        }
    }

    /// What is to be sent does not wait for other work.
    private func handOver() {
        #if os(Linux) || os(Android)
        guard polled.ring.hasPackets else { return }
        polled.ring.handOver()
        if polled.ring.hasUnsent { tellReads() }
        #endif
    }

    #if os(Linux) || os(Android)
    private func tellReads() {
        guard polled.isRingOpen else { return }
        while let reader = polled.ring.next() {
            guard reader.isReading else { continue }
            reader.tell()
            finishEvent()
        }
        if polled.ring.hasEvents { polled.lookForEvents() }
    }
    #endif
}

/// The serial executor of the actors of a loop.
///
/// It is an object of its own. Were it the loop, the runtime would have to be told for each job whether it is a task's or
/// an actor's: a task that prefers the loop would hop at every call, or an actor at every call of itself, which lets
/// others in between a check and the wait that it leads to. An actor that is called by a task that prefers the loop hops
/// all the same: the runtime does not tell whose job it is.
///
/// `@unchecked Sendable`: `loop` is set once, in the loop's initializer, before anybody else knows this object.
public final class LoopActorExecutor: SerialExecutor, @unchecked Sendable {
    /// Never nil for a caller: only the loop makes this object, and sets it at once. Never dangling: the loop owns this
    /// object, and whoever calls it has an actor, which has the loop.
    fileprivate unowned(unsafe) var loop: RadioLoop!

    fileprivate init() {}

    /// For the Swift runtime: runs a job of an actor.
    public func enqueue(_ job: consuming ExecutorJob) { loop.enqueueIsolated(UnownedJob(job)) }

    /// For the Swift runtime: what isolation to an actor of the loop means.
    public func checkIsolated() { loop.preconditionOnLoop() }

    /// For the Swift runtime: whether an actor of the loop may be touched here.
    public func isIsolatingCurrentContext() -> Bool? { loop.isOnLoop }
}
