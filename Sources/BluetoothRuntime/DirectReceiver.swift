#if os(Linux) || os(Android)
import CLinuxPolling

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The socket that a loop's thread reads with `recv`, in which it blocks while it has no other descriptor to wait for.
///
/// It is confined to the loop, except ``interrupt()``, and is as old as the loop: an interruption may come after the
/// socket was closed. One reader at a time uses it.
final class DirectReceiver {
    /// The signal that ends a wait, which the first use installs for the process; 0 if there is none.
    private static let signal = install()

    /// Installs the handler for a real-time signal that has none; returns its number, or 0 if there is none.
    static func install() -> Int32 { harald_receiver_install() }

    private let receiver: UnsafeMutablePointer<harald_receiver>
    private let clock: RadioClock
    private let events: Int32
    private let tag: UInt64
    private let buffers: UnsafeMutablePointer<harald_buffers>
    /// The memory of the buffers, allocated with the first reader. The system provides the pages that are used.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The reader, until it is removed.
    private(set) var reader: SocketReader?
    /// True from the addition of a reader until the socket is closed here, which only the thread may do if it waits
    /// for the socket.
    var isOpen: Bool { receiver.pointee.descriptor >= 0 }
    /// True while the thread sleeps and a caller may run as the loop: then nothing may be held.
    private(set) var isAsleep = false
    /// True while callers read the socket, and the thread does not wait for it.
    private(set) var isLent = false
    /// True if the descriptors have changed while the thread sleeps, so that it has to wait in another way.
    private(set) var needsThread = false
    /// The packets that were received last, and the first that was not taken.
    private var (found, place) = (0, 0)
    /// The `errno` of a failure that was not taken; 0 for none.
    private var failure: Int32 = 0
    /// True if the reader holds packets.
    var holds = false
    /// True if the failure to send packets must be reported to the reader.
    private(set) var hasUnsent = false
    /// True if the socket is in the epoll set, because the loop has other descriptors too.
    private var isPolled = false
    private var batch = ReceiveBatch()
    /// The instant to which the alarm is set, on the loop's clock; the latest one if it is not set.
    private var alarm = RadioInstant.never

    /// The maximum length of an H4 packet and more, so that a longer one is detected.
    private static let bufferLength = 65_536 + 64
    /// The maximum time that a caller waits for one packet, in microseconds. The kernel adds up to two of its ticks.
    private static let callerLimit: Int32 = 1000

    /// Creates a receiver whose socket can be in the epoll set `events`, with `tag`.
    init(clock: RadioClock, events: Int32, tag: UInt64) {
        (self.clock, self.events, self.tag) = (clock, events, tag)
        receiver = .allocate(capacity: 1)
        receiver.initialize(to: harald_receiver())
        receiver.pointee.descriptor = -1
        receiver.pointee.alarm = -1
        buffers = .allocate(capacity: 1)
    }

    /// A signal for the receiver that is released here cannot be pending. It is sent under a lock that the thread takes
    /// afterwards, and the thread handles it with its next system call, before it ends. The alarm ends with the reader.
    deinit {
        harald_receiver_close(receiver)
        receiver.deallocate()
        buffers.deallocate()
        memory.deallocate()
    }

    /// Adds the socket to the epoll set, or removes it.
    func poll(_ isPolled: Bool) {
        guard isPolled != self.isPolled else { return }
        self.isPolled = isPolled
        var event = epoll_event()
        event.events = UInt32(EPOLLIN.rawValue)
        event.data.u64 = tag
        _ = epoll_ctl(events, isPolled ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, receiver.pointee.descriptor, &event)
    }

    /// Starts to read a socket, on the loop's thread; returns false if there is another, or the system refuses it.
    func add(_ reader: SocketReader) -> Bool {
        guard !isOpen, Self.signal != 0, harald_receiver_open(receiver, reader.descriptor, Self.signal) == 0 else {
            return false
        }
        if memory.count == 0 {
            memory = .allocate(byteCount: Self.bufferLength * Int(HARALD_PACKETS), alignment: 8)
            harald_buffers_open(buffers, memory.baseAddress, Self.bufferLength)
        }
        self.reader = reader
        reader.receiver = self
        return true
    }

    /// Ends the reader. A thread that sleeps closes the socket after that.
    func remove(_ reader: SocketReader) {
        if !isAsleep { flush() }
        reader.receiver = nil
        self.reader = nil
        (found, place, failure) = (0, 0, 0)
        if isAsleep { needsThread = true } else { close() }
    }

    private func close() {
        poll(false)
        harald_receiver_close(receiver)
        alarm = .never
        (holds, hasUnsent) = (false, false)
    }

    /// The loop has another descriptor to wait for. A thread that sleeps here has to be woken up.
    func descriptorAdded() { if isAsleep { needsThread = true } }

    // MARK: Waiting

    /// Sends the held packets, then lets interruptions end the next ``wait(until:at:free:)``. To be called before other
    /// threads learn that this one sleeps.
    func prepare() {
        flush()
        harald_receiver_prepare(receiver)
    }

    /// Ends the current wait, or the next one. To be called by any thread, while the loop's thread exists and has
    /// announced that it sleeps here.
    func interrupt() { harald_receiver_interrupt(receiver, Self.signal) }

    /// Receives packets, after ``prepare()``.
    ///
    /// - Parameters:
    ///   - limit: the latest end of the wait.
    ///   - now: the time, if there is a limit.
    ///   - lock: unlocked while the thread sleeps; nil not to wait.
    func wait(until limit: RadioInstant, at now: RadioInstant, free lock: TurnLock?) {
        guard let lock else {
            harald_receiver_finish(receiver)
            return receive(waits: false)
        }
        setAlarm(limit, at: now)
        let (descriptor, most) = (receiver.pointee.descriptor, UInt32(batch.limit))
        isAsleep = true
        lock.unlock()
        let count = harald_receive_packets(descriptor, buffers, most, true)
        lock.lock()
        harald_receiver_finish(receiver)
        if endSleep() { record(count) }
    }

    /// Begins a sleep in the epoll set: sends the held packets.
    /// - Parameter mayBeEntered: true if callers may run as the loop meanwhile.
    /// - Returns: false if packets remain unsent, and the thread must not sleep.
    func beginSleep(_ mayBeEntered: Bool) -> Bool {
        poll(true)
        flush()
        isAsleep = mayBeEntered && !hasUnsent
        return !hasUnsent
    }

    /// Ends a sleep of the thread.
    /// - Returns: false if the reader was removed meanwhile.
    func endSleep() -> Bool {
        (isAsleep, isLent, needsThread) = (false, false, false)
        if reader == nil { close() }
        return isOpen
    }

    /// Receives packets that have arrived, or waits for the first one.
    func receive(waits: Bool) {
        record(harald_receive_packets(receiver.pointee.descriptor, buffers, UInt32(batch.limit), waits))
    }

    private func record(_ count: Int) {
        (found, place) = (max(0, count), 0)
        if count > 0 {
            var batch = batch
            batch.received(count)
            self.batch = batch
        }
        let code = Int32(truncatingIfNeeded: -count)
        failure = count < 0 && code != EAGAIN && code != EINTR ? code : 0
    }

    /// Sets the alarm, which ends a wait. It is not moved later: an early alarm wakes the loop, which then sets the
    /// right one, and deadlines are moved later all the time. A deadline that only a step of the clock reaches needs
    /// none.
    private func setAlarm(_ limit: RadioInstant, at now: RadioInstant) {
        if alarm <= now { alarm = .never }
        guard limit < alarm, let left = clock.realNanoseconds(from: now, until: limit) else { return }
        alarm = limit
        // Zero would disable it.
        harald_receiver_set_alarm(receiver, max(left, 1))
    }

    // MARK: Callers

    /// Lets callers read, while the loop's thread does not; ``endSleep()`` ends that. Returns false if packets remain
    /// unsent, or the system refuses the limit of a wait.
    func lend() -> Bool {
        poll(false)
        flush()
        guard !hasUnsent, harald_receiver_limit(receiver, Self.callerLimit) == 0 else { return false }
        (isAsleep, isLent) = (true, true)
        return true
    }

    /// The loop's thread reads again.
    func takeBack() {
        _ = harald_receiver_limit(receiver, 0)
        receiver.pointee.thread = harald_receiver_borrow(Self.signal)
        _ = endSleep()
    }

    /// Lets interruptions end the waits of this caller, which runs as the loop. To be called before others learn that
    /// it receives.
    func prepareForCaller() {
        receiver.pointee.thread = harald_receiver_borrow(Self.signal)
        harald_receiver_prepare(receiver)
    }

    /// Ends what ``prepareForCaller()`` began.
    func finishForCaller() { harald_receiver_finish(receiver) }

    // MARK: The reader

    /// Sends the held packets.
    func flush() {
        guard holds else { return }
        holds = false
        if let reader, !reader.sendHeld() { hasUnsent = true }
    }

    /// Calls the handler of the reader if there is a result.
    /// - Returns: false if there is none.
    func deliver() -> Bool {
        guard place < found || failure != 0 || hasUnsent, let reader else { return false }
        hasUnsent = false
        reader.handler(reader)
        return true
    }

    /// Takes the results of the last wait; none are left if the reader ends meanwhile.
    func takeAll(_ body: (SocketRead) -> Void) {
        while place < found {
            let count = Int(harald_buffers_length(buffers, place))
            guard count > 0 else { return end(.closed, body) }
            let start = place * Self.bufferLength
            place += 1
            body(.bytes(UnsafeRawBufferPointer(rebasing: memory[start..<start + count])))
        }
        if failure != 0 { end(.failed(failure), body) }
    }

    private func end(_ last: SocketRead, _ body: (SocketRead) -> Void) {
        if let reader { remove(reader) }
        body(last)
    }
}
#endif
