#if os(Linux) || os(Android)
import CLinuxPolling

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An io_uring that reads sockets and waits for a loop's other descriptors: one system call sends the held packets,
/// waits and reads, and returns many packets where many arrived.
///
/// It is confined to the loop, and is open while there are readers. Only the loop's own thread makes system calls on
/// it.
///
/// Proof of `@exclusivity(unchecked)`: there is one thread at a time, and no access to a property spans a call that
/// leads back here. Every packet would pay for twenty checks.
final class ReadRing {
    private struct Slot {
        var reader: SocketReader?
        /// The generation of the slot: a completion of an earlier reader of the slot is ignored.
        var generation: UInt32 = 0
    }

    private let ring: UnsafeMutablePointer<harald_ring>
    private let wakeUp: Int32
    private let events: Int32
    private let clock: RadioClock
    private let bufferCount: UInt32
    @exclusivity(unchecked) private var slots: [Slot] = []
    @exclusivity(unchecked) private var freeSlots: [Int] = []
    /// The number of sockets that are read.
    @exclusivity(unchecked) private(set) var count = 0
    /// Readers whose request ended, usually because all buffers were full. Those that received nothing come first, so
    /// that one flooding socket does not take every buffer again.
    @exclusivity(unchecked) private var unserved: [SocketReader] = []
    @exclusivity(unchecked) private var served: [SocketReader] = []
    @exclusivity(unchecked) private var isToAskAgain = false

    /// The tokens of removed readers whose requests are still to be cancelled, which only the loop's thread may do.
    @exclusivity(unchecked) private var parted: [UInt64] = []
    var needsThread: Bool { !parted.isEmpty }
    /// True while the thread sleeps in the ring and a caller may run as the loop: then no request may be made.
    @exclusivity(unchecked) private(set) var isAsleep = false

    /// The instant that the alarm is set to, on the loop's clock.
    @exclusivity(unchecked) private(set) var alarm = never
    /// True if packets are among the requests to be submitted next.
    @exclusivity(unchecked) private(set) var hasPackets = false
    /// The readers that hold several packets, all but the last of which are sent before requests are submitted.
    @exclusivity(unchecked) private var sendingFirst: [SocketReader] = []
    /// The readers whose packets were not sent.
    @exclusivity(unchecked) private var unsent: [SocketReader] = []
    @exclusivity(unchecked) private(set) var hasUnsent = false
    /// True if the epoll set has events.
    @exclusivity(unchecked) private(set) var hasEvents = false

    /// The maximum length of an H4 packet and more, so that a longer one is detected. It is not a multiple of the page
    /// size, so that the starts of buffers do not collide in the processor's cache.
    private static let bufferLength: UInt32 = 65_536 + 64
    private static let never = RadioInstant(nanoseconds: .max)
    private static let wakeUpToken: UInt64 = 0
    private static let eventsToken: UInt64 = 1
    private static let alarmToken: UInt64 = 2
    /// Marks the token of a packet to be sent. No slot index is as large.
    private static let sending: UInt64 = 1 << 31

    /// Creates a ring that also waits for `wakeUp`, where each signal counts, and for `events`, an epoll set.
    init(wakeUp: Int32, events: Int32, clock: RadioClock = .real, bufferCount: UInt32 = 16) {
        ring = .allocate(capacity: 1)
        ring.initialize(to: harald_ring())
        ring.pointee.descriptor = -1
        ring.pointee.alarm = -1
        self.wakeUp = wakeUp
        self.events = events
        self.clock = clock
        self.bufferCount = bufferCount
    }

    deinit {
        for slot in slots { slot.reader?.ring = nil }
        harald_ring_close(ring)
        ring.deallocate()
    }

    /// Opens the ring; returns false if the system has none: an old kernel, or a container that forbids it.
    func open() -> Bool {
        guard harald_ring_open(ring, bufferCount, Self.bufferLength) == 0 else { return false }
        harald_ring_poll(ring, wakeUp, Self.wakeUpToken)
        harald_ring_poll(ring, events, Self.eventsToken)
        harald_ring_poll(ring, ring.pointee.alarm, Self.alarmToken)
        guard harald_ring_enter(ring, 0) == 0 else {
            harald_ring_close(ring)
            return false
        }
        return true
    }

    /// True if the system permits this process to open a ring.
    static var isAvailable: Bool {
        var ring = harald_ring()
        (ring.descriptor, ring.alarm) = (-1, -1)
        defer { harald_ring_close(&ring) }
        return harald_ring_open(&ring, 1, 64) == 0
    }

    /// Closes the ring, which has no reader; it may be opened again.
    func close() {
        harald_ring_close(ring)
        alarm = Self.never
        parted = []
        (unserved, served, unsent, sendingFirst) = ([], [], [], [])
        (isToAskAgain, hasPackets, hasUnsent, hasEvents) = (false, false, false, false)
    }

    func add(_ reader: SocketReader) {
        let index: Int
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = slots.count
            slots.append(Slot())
        }
        slots[index].reader = reader
        slots[index].generation &+= 1
        // Generations begin at 1, so this differs from the three other tokens.
        reader.token = UInt64(slots[index].generation) << 32 | UInt64(index)
        reader.ring = .passUnretained(self)
        count += 1
        receive(reader)
    }

    /// Makes room for one more request. This may submit packets, whose failure has to be detected.
    private func makeRoom() { if harald_ring_is_full(ring) { handOver() } }

    private func receive(_ reader: SocketReader) {
        makeRoom()
        harald_ring_receive(ring, reader.descriptor, reader.token)
    }

    func remove(_ reader: SocketReader) {
        guard reader.isReading else { return }
        if isAsleep {
            // No packet is held while the thread sleeps.
            parted.append(reader.token)
        } else {
            // Cancelling submits the earlier requests.
            sendFirst()
            harald_ring_cancel(ring, reader.token)
            if hasPackets { lookForUnsent() }
        }
        release(reader)
    }

    private func endParted() {
        for token in parted { harald_ring_cancel(ring, token) }
        parted = []
    }

    private func release(_ reader: SocketReader) {
        // The memory of the packet, and the descriptor, may be released from now on.
        reader.takeHeld { _ in }
        let index = place(of: reader.token)
        reader.token = SocketReader.noToken
        reader.ring = nil
        slots[index].reader = nil
        freeSlots.append(index)
        count -= 1
    }

    private func place(of token: UInt64) -> Int { Int(token & (Self.sending - 1)) }

    /// Returns the reader with this token, of reads or sends; nil for a removed one.
    private func reader(_ token: UInt64) -> SocketReader? {
        let slot = slots[place(of: token)]
        return slot.generation == UInt32(token >> 32) ? slot.reader : nil
    }

    /// Waits for a completion, until `limit` at most; nil for no limit. `lock` is unlocked meanwhile, unless there are
    /// requests to submit: no packet may be overtaken, and a descriptor of a request must not be closed and reused
    /// before.
    func wait(until limit: LoopLimit?, free lock: TurnLock?) {
        if needsThread { endParted() }
        if isToAskAgain { askAgain() }
        var waits = true
        if let limit {
            waits = limit.nanoseconds > 0
            if waits { setAlarm(limit) }
        }
        // An interrupted call returns without completions.
        if let lock, waits, ring.pointee.unsubmitted == 0 {
            let descriptor = ring.pointee.descriptor
            isAsleep = true
            lock.unlock()
            _ = harald_ring_sleep(descriptor, 0, 1)
            lock.lock()
            isAsleep = false
            // Cancelling removed readers has submitted packets.
            if hasPackets { lookForUnsent() }
        } else {
            enter(least: waits ? 1 : 0)
        }
    }

    private func enter(least: UInt32) {
        sendFirst()
        _ = harald_ring_enter(ring, least)
        if hasPackets { lookForUnsent() }
    }

    // MARK: Sending

    /// Adds a packet to the requests that are submitted next. Returns its place in the queue until then.
    func send(_ packet: UnsafeRawBufferPointer, for reader: SocketReader) -> UInt64 {
        makeRoom()
        hasPackets = true
        return harald_ring_send(
            ring, reader.descriptor, packet.baseAddress, UInt32(packet.count), reader.token | Self.sending)
    }

    /// Sends all packets that a reader holds, but the last, before requests are submitted the next time.
    func sendsFirst(for reader: SocketReader) { sendingFirst.append(reader) }

    private func sendFirst() {
        if !sendingFirst.isEmpty { sendAllFirst() }
    }

    // The rare cases have functions of their own, which are not inlined: each turn would reserve their memory.
    @inline(never)
    private func sendAllFirst() {
        for reader in sendingFirst where !reader.sendAllButLast() { wasNotSent(reader) }
        sendingFirst.removeAll(keepingCapacity: true)
    }

    private func wasNotSent(_ reader: SocketReader) {
        unsent.append(reader)
        hasUnsent = true
    }

    /// Returns true if a packet is still in the queue.
    func isQueued(_ place: UInt64) -> Bool { harald_ring_is_queued(ring, place) }

    /// Removes a packet that is still in the queue.
    func takeBack(_ place: UInt64) {
        harald_ring_take_back(ring, place)
        hasPackets = ring.pointee.unsubmitted > 0
    }

    /// Submits the requests without waiting for completions.
    func handOver() { enter(least: 0) }

    /// Records the packets that were not sent. The system sends while the requests are submitted.
    private func lookForUnsent() {
        // Requests that the system did not accept for lack of memory are submitted the next time.
        hasPackets = ring.pointee.unsubmitted > 0
        // Only failed sends have completions.
        if harald_ring_has_failure(ring, Self.sending) { noteUnsent() }
    }

    @inline(never)
    private func noteUnsent() {
        var completion = harald_completion()
        var place: UInt32 = 0
        while harald_ring_find(ring, Self.sending, &place, &completion) {
            place += 1
            guard let reader = reader(completion.token) else { continue }
            reader.unsentCode = -completion.result
            wasNotSent(reader)
        }
    }

    // MARK: Reading

    /// Sets the alarm. It is not moved later: an early alarm wakes the loop, which then sets the right one, and
    /// deadlines are moved later all the time.
    private func setAlarm(_ limit: LoopLimit) {
        guard limit.instant < alarm else { return }
        alarm = limit.instant
        // The turn may have taken a while, and zero would disable the alarm.
        let left = clock.realNanoseconds(from: clock.now, until: limit.instant) ?? limit.nanoseconds
        harald_ring_set_alarm(ring, max(left, 1))
    }

    private func askAgain() {
        for reader in unserved + served {
            reader.wasServed = false
            if reader.isReading { receive(reader) }
        }
        unserved.removeAll(keepingCapacity: true)
        served.removeAll(keepingCapacity: true)
        isToAskAgain = false
    }

    /// Returns a reader with a result; nil if there is none left. A reader is returned again until it has taken all of
    /// its results.
    // Not inlined, because the loop that calls it would then retain and release the ring each time.
    @inline(never)
    func next() -> SocketReader? {
        if !hasUnsent {
            let token = harald_ring_next_token(ring)
            if token == SocketReader.noToken { return nil }
            if isRead(token), let reader = reader(token) { return reader }
        }
        return nextOther()
    }

    /// True if a token is that of a reader.
    private func isRead(_ token: UInt64) -> Bool { token > Self.alarmToken && token & Self.sending == 0 }

    /// Returns a reader with a result, as ``next()`` does, in all cases: takes completions of other kinds on the way.
    @inline(never)
    private func nextOther() -> SocketReader? {
        if hasUnsent {
            let reader = unsent.removeLast()
            hasUnsent = !unsent.isEmpty
            return reader
        }
        var completion = harald_completion()
        while harald_ring_peek(ring, 0, &completion) {
            if isRead(completion.token), let reader = reader(completion.token) { return reader }
            harald_ring_drop(ring)
            noteOther(completion)
        }
        return nil
    }

    private func noteOther(_ completion: harald_completion) {
        makeRoom()
        switch completion.token {
        case Self.wakeUpToken: if !completion.goes_on { harald_ring_poll(ring, wakeUp, Self.wakeUpToken) }
        case Self.eventsToken:
            hasEvents = true
            if !completion.goes_on { harald_ring_poll(ring, events, Self.eventsToken) }
        case Self.alarmToken:
            alarm = Self.never
            if !completion.goes_on { harald_ring_poll(ring, ring.pointee.alarm, Self.alarmToken) }
        // A failed send, which was recorded before, or a completion of a removed reader.
        default: if completion.buffer >= 0 { harald_ring_return(ring, completion.buffer) }
        }
    }

    /// Clears `hasEvents`, before the epoll set is polled.
    func forgetEvents() { hasEvents = false }

    /// Takes the next result of a reader; nil if the next completion, if any, belongs to another one.
    func take(for reader: SocketReader) -> SocketRead? {
        let packet = harald_ring_take_packet(ring, reader.token)
        guard packet.count > 0 else { return packet.count < 0 ? takeOther(for: reader) : nil }
        reader.wasServed = true
        return .bytes(UnsafeRawBufferPointer(start: packet.bytes, count: Int(packet.count)))
    }

    /// Takes the next result of a reader, as ``take(for:)`` does, in all cases: also the last one of its request.
    @inline(never)
    private func takeOther(for reader: SocketReader) -> SocketRead? {
        var completion = harald_completion()
        // No completion has the token of a reader that has ended.
        while harald_ring_take(ring, reader.token, &completion) {
            let result = completion.result
            if !completion.goes_on { requestEnded(of: reader, result) }
            if result > 0, completion.buffer >= 0 {
                ring.pointee.told = completion.buffer
                reader.wasServed = true
                let start = ring.pointee.bytes + Int(completion.buffer) * Int(Self.bufferLength)
                return .bytes(UnsafeRawBufferPointer(start: start, count: Int(result)))
            }
            if completion.buffer >= 0 { harald_ring_return(ring, completion.buffer) }
            if !reader.isReading { return result == 0 ? .closed : .failed(-result) }
        }
        return nil
    }

    private func requestEnded(of reader: SocketReader, _ result: Int32) {
        switch result {
        case 1..., -ENOBUFS, -EINTR, -EAGAIN:
            // All buffers were full, or the kernel ended the request: it is made again with the next wait.
            if reader.wasServed || result > 0 { served.append(reader) } else { unserved.append(reader) }
            isToAskAgain = true
        default: release(reader)
        }
    }
}
#endif
