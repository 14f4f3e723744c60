#if os(Linux) || os(Android)
import CLinuxPolling

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket that the loop's thread reads with `recv`, in which it blocks while it has no other descriptor to wait for.
///
/// It is confined to the loop, except ``interrupt()``. One reader at a time uses it.
///
/// Proof of `@exclusivity(unchecked)`: there is one thread at a time, and no access to a property spans a call that
/// leads back here. Every packet would pay for the checks.
final class DirectReceiver {
    /// The signal that ends a wait, which the first use installs for the process; 0 if there is none.
    private static let signal = install()
    /// True if the system permits this.
    static var isAvailable: Bool { signal != 0 }

    /// Installs the handler for a real-time signal that has none; returns its number, or 0 if there is none.
    static func install() -> Int32 { harald_receiver_install() }

    private let receiver: UnsafeMutablePointer<harald_receiver>
    private let clock: RadioClock
    private let events: Int32
    private let tag: UInt64
    private let buffers: UnsafeMutablePointer<harald_buffers>
    /// The memory of the buffers, allocated with the first reader. The system provides the pages that are used.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The reader, retained until it is removed. Each packet would pay for counting the reference.
    @exclusivity(unchecked) private var retained: Unmanaged<SocketReader>?
    /// The reader that was removed by its handler, to be released after that.
    @exclusivity(unchecked) private var ended: Unmanaged<SocketReader>?
    @exclusivity(unchecked) private var isTelling = false
    /// The reader, until it is removed.
    var reader: SocketReader? { retained?.takeUnretainedValue() }
    /// True from the addition of a reader until the socket is closed here, which only the thread may do.
    @exclusivity(unchecked) private(set) var isOpen = false
    /// True while the thread sleeps and a caller may run as the loop: then nothing may be held.
    @exclusivity(unchecked) private(set) var isAsleep = false
    /// True while the thread sleeps in `recv`.
    @exclusivity(unchecked) private(set) var isReceiving = false
    /// True if the reader was removed while the thread slept.
    @exclusivity(unchecked) private(set) var isParted = false
    /// The packets that were received last, and the first that was not taken.
    @exclusivity(unchecked) private var found = 0
    @exclusivity(unchecked) private var place = 0
    /// The `errno` of a failure that was not taken; 0 for none.
    @exclusivity(unchecked) private var failure: Int32 = 0
    private var hasResult: Bool { place < found || failure != 0 }
    /// True if the reader holds packets.
    @exclusivity(unchecked) var holds = false
    /// True if the failure to send packets must be reported to the reader.
    @exclusivity(unchecked) private(set) var hasUnsent = false
    /// True if the socket is in the epoll set, because the loop has other descriptors too.
    @exclusivity(unchecked) private var isPolled = false
    @exclusivity(unchecked) private var batch = ReceiveBatch()
    /// The instant to which the alarm is set, on the loop's clock; the latest one if it is not set.
    @exclusivity(unchecked) private var alarm = never

    private static let never = RadioInstant(nanoseconds: .max)
    /// The maximum length of an H4 packet and more, so that a longer one is detected.
    private static let bufferLength = 65_536 + 64
    /// The maximum time that a caller waits for one packet, in microseconds. The kernel adds up to two of its ticks.
    private static let callerLimit: Int32 = 1000

    /// Creates a receiver whose socket can be in the epoll set `events`, with `tag`.
    init(clock: RadioClock, events: Int32, tag: UInt64) {
        (self.events, self.tag) = (events, tag)
        receiver = .allocate(capacity: 1)
        receiver.initialize(to: harald_receiver())
        receiver.pointee.descriptor = -1
        receiver.pointee.alarm = -1
        buffers = .allocate(capacity: 1)
        self.clock = clock
    }

    /// A signal for the receiver that is released here cannot be pending. It is sent under a lock that the thread takes
    /// afterwards, and the thread handles it with its next system call, before it ends. The alarm ends with the reader.
    deinit {
        if let reader { release(reader) }
        harald_receiver_close(receiver)
        receiver.deallocate()
        buffers.deallocate()
        memory.deallocate()
    }

    /// Adds the socket to an epoll set, with this tag, or removes it.
    func poll(_ isPolled: Bool) {
        guard isPolled != self.isPolled else { return }
        self.isPolled = isPolled
        var event = epoll_event()
        event.events = UInt32(EPOLLIN.rawValue)
        event.data.u64 = tag
        _ = epoll_ctl(events, isPolled ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, receiver.pointee.descriptor, &event)
    }

    /// Starts to read a socket, on the loop's thread; returns false if the system refuses it.
    func add(_ reader: SocketReader) -> Bool {
        guard !isOpen, Self.isAvailable, harald_receiver_open(receiver, reader.descriptor, Self.signal) == 0 else {
            return false
        }
        if memory.count == 0 {
            memory = .allocate(byteCount: Self.bufferLength * Int(HARALD_PACKETS), alignment: 8)
            harald_buffers_open(buffers, memory.baseAddress, Self.bufferLength)
        }
        retained = .passRetained(reader)
        reader.token = SocketReader.directToken
        reader.direct = .passUnretained(self)
        isOpen = true
        return true
    }

    /// Ends the reader. While the thread sleeps it still has to be interrupted.
    func remove(_ reader: SocketReader) {
        if !isAsleep { flush() }
        release(reader)
        if isAsleep { isParted = true } else { close() }
    }

    /// Gives up the socket, so that it can be read in another way; returns nil if that has to wait. No result may be
    /// pending.
    func handOver() -> SocketReader? {
        if holds { flush() }
        guard !hasUnsent else { return nil }
        let handed = reader
        if let handed { release(handed) }
        close()
        return handed
    }

    private func release(_ reader: SocketReader) {
        reader.token = SocketReader.noToken
        reader.direct = nil
        // The first one that ends while a handler runs is the reader of that handler.
        if isTelling, ended == nil { ended = retained } else { retained?.release() }
        retained = nil
    }

    private func close() {
        poll(false)
        harald_receiver_close(receiver)
        alarm = Self.never
        (found, place, failure) = (0, 0, 0)
        (isOpen, isParted, holds, hasUnsent) = (false, false, false, false)
    }

    // MARK: Waiting

    /// Lets interruptions end the next ``wait(until:free:)``. To be called before other threads learn that this one
    /// sleeps.
    func prepare() { harald_receiver_prepare(receiver) }

    /// Sends the held packets, then prepares for ``wait(free:)``; returns false if packets were not sent.
    func prepareToWait() -> Bool {
        if holds { flush() }
        guard !hasUnsent else { return false }
        prepare()
        return true
    }

    /// Ends what ``prepare()`` began.
    func finish() { harald_receiver_finish(receiver) }

    /// Ends the current wait, or the next one. To be called by any thread, while the loop's thread exists and has
    /// announced that it sleeps here.
    func interrupt() { harald_receiver_interrupt(receiver, Self.signal) }

    /// Sends the held packets, then receives.
    ///
    /// - Parameters:
    ///   - limit: the latest end of the wait; nil for no limit.
    ///   - lock: unlocked while the thread sleeps; nil not to wait.
    func wait(until limit: LoopLimit?, free lock: TurnLock?) {
        if holds { flush() }
        guard let lock, !hasUnsent else {
            finish()
            return receive()
        }
        if harald_receiver_take_alarm(receiver) { alarm = Self.never }
        if let limit { setAlarm(limit) }
        wait(free: lock)
    }

    /// Receives, after ``prepare()``, with nothing held and the alarm set.
    /// - Parameter lock: unlocked while the thread sleeps.
    func wait(free lock: TurnLock) {
        (isAsleep, isReceiving) = (true, true)
        lock.unlock()
        let most = batch.limit
        let count = harald_receive_packets(receiver.pointee.descriptor, buffers, most, true)
        lock.lock()
        isReceiving = false
        finish()
        if wakes() { note(count) }
    }

    /// Prepares for a wait in the epoll set: sends the held packets. Returns false if packets remain unsent, and the
    /// thread must not sleep.
    func sleeps(_ mayBeEntered: Bool) -> Bool {
        if holds { flush() }
        isAsleep = mayBeEntered && !hasUnsent
        return !hasUnsent
    }

    /// Ends a wait in the epoll set. Returns false if the reader was removed during the wait.
    func wakes() -> Bool {
        isAsleep = false
        if isParted { close() }
        return isOpen
    }

    /// Receives packets that have arrived.
    func receive() { receive(waits: false) }

    private func receive(waits: Bool) {
        note(harald_receive_packets(receiver.pointee.descriptor, buffers, batch.limit, waits))
    }

    private func note(_ count: Int) {
        (found, place) = (max(0, count), 0)
        if count > 0 { batch.received(count) }
        let code = Int32(truncatingIfNeeded: -count)
        failure = count < 0 && code != EAGAIN && code != EINTR ? code : 0
    }

    /// Sets the alarm. It is not moved later: an early alarm wakes the loop, which then sets the right one, and
    /// deadlines are moved later all the time.
    private func setAlarm(_ limit: LoopLimit) {
        guard limit.instant < alarm else { return }
        alarm = limit.instant
        // The turn may have taken a while, and zero would disable the alarm.
        let left = clock.realNanoseconds(from: clock.now, until: limit.instant) ?? limit.nanoseconds
        harald_receiver_set_alarm(receiver, max(left, 1))
    }

    /// False if the alarm has not come, and is set to `first` or an earlier instant.
    func isDue(_ first: RadioInstant) -> Bool { receiver.pointee.has_rung != 0 || first < alarm }

    // MARK: Waiting of callers

    /// Lets callers read, while the loop's thread does not. Returns false if the system refuses the limit of a wait.
    func lend() -> Bool {
        if holds { flush() }
        guard !hasUnsent, harald_receiver_limit(receiver, Self.callerLimit) == 0 else { return false }
        isAsleep = true
        return true
    }

    /// The loop's thread reads again.
    func takeBack() {
        if isOpen {
            _ = harald_receiver_limit(receiver, 0)
            receiver.pointee.thread = harald_receiver_borrow(Self.signal)
        }
        _ = wakes()
    }

    /// Lets interruptions end the waits of this caller, which runs as the loop. To be called before others learn that
    /// it receives.
    func prepareForCaller() {
        receiver.pointee.thread = harald_receiver_borrow(Self.signal)
        prepare()
    }

    /// Waits for a packet, until an interruption or the limit of callers.
    /// - Returns: true if there is a result.
    func waitAsCaller() -> Bool {
        receive(waits: true)
        return hasResult
    }

    // MARK: Sending

    /// Sends the held packets.
    func flush() {
        holds = false
        if let retained, !retained._withUnsafeGuaranteedRef({ $0.sendAll() }) { hasUnsent = true }
    }

    // MARK: Reading

    /// Calls the handler of the reader if there is a result.
    /// - Returns: false if there is none.
    func tell() -> Bool {
        guard hasResult || hasUnsent, let retained else { return false }
        hasUnsent = false
        isTelling = true
        retained._withUnsafeGuaranteedRef { $0.tell() }
        isTelling = false
        ended?.release()
        ended = nil
        return true
    }

    /// Takes the results of the last wait; none are left if the reader ends meanwhile.
    func takeAll(_ body: (SocketRead) -> Void) {
        while place < found {
            let count = Int(harald_buffers_length(buffers, place))
            guard count > 0 else { return body(end(.closed)) }
            let start = place * Self.bufferLength
            place += 1
            body(.bytes(UnsafeRawBufferPointer(rebasing: memory[start..<start + count])))
        }
        if failure != 0 { body(end(.failed(failure))) }
    }

    /// Ends the reader; returns its last result.
    private func end(_ last: SocketRead) -> SocketRead {
        if let reader { release(reader) }
        close()
        return last
    }
}
#endif
