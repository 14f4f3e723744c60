#if os(Linux) || os(Android)
import CLinuxPolling

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A ring of io_uring that reads sockets and waits for a loop's other descriptors: one system call sends what is held,
/// waits and reads, and brings many packets where many came.
///
/// It belongs to the loop, and is open as long as there are readers. Only the loop's own thread makes system calls on it.
///
/// Its properties are not checked for overlapping access, which every packet would pay for twenty times: who changes one
/// calls nothing meanwhile that leads back here, and there is one thread at a time.
final class ReadRing {
    private struct Slot {
        var reader: SocketReader?
        /// Which reader of this slot it is: what came for the one before means nothing to it.
        var generation: UInt32 = 0
    }

    private let ring: UnsafeMutablePointer<harald_ring>
    private let wakeUp: Int32
    private let events: Int32
    private let clock: RadioClock
    private let bufferCount: UInt32
    @exclusivity(unchecked) private var slots: [Slot] = []
    @exclusivity(unchecked) private var freeSlots: [Int] = []
    /// How many sockets are read.
    @exclusivity(unchecked) private(set) var count = 0
    /// Readers whose request ended, most often because all buffers were full: those that got nothing come first, so that one
    /// flooding socket does not take every buffer again.
    @exclusivity(unchecked) private var unserved: [SocketReader] = []
    @exclusivity(unchecked) private var served: [SocketReader] = []
    @exclusivity(unchecked) private var isToAskAgain = false

    /// Those whose reading is still to be ended: only the ring's thread may.
    @exclusivity(unchecked) private var parted: [UInt64] = []
    var needsThread: Bool { !parted.isEmpty }
    /// Whether the thread sleeps in the ring and somebody else is the loop: then nothing may be asked of it.
    @exclusivity(unchecked) private(set) var isAsleep = false

    /// When the alarm is set to, on the loop's clock.
    @exclusivity(unchecked) private var alarm = never
    /// Whether packets are among what is handed over next.
    @exclusivity(unchecked) private(set) var hasPackets = false
    /// Those whose packet was not sent.
    @exclusivity(unchecked) private var unsent: [SocketReader] = []
    @exclusivity(unchecked) private(set) var hasUnsent = false
    /// Whether the descriptors that are waited for in the other way have events.
    @exclusivity(unchecked) private(set) var hasEvents = false
    /// The buffer of what was told last; -1 where there is none.
    @exclusivity(unchecked) private var told: Int32 = -1

    /// The longest packet that H4 knows and one octet more, so that a longer one shows; not a multiple of a page, so that the
    /// beginnings of buffers do not push each other out of the processor's cache.
    private static let bufferLength: UInt32 = 65_536 + 64
    private static let never = RadioInstant(nanoseconds: .max)
    private static let wakeUpToken: UInt64 = 0
    private static let eventsToken: UInt64 = 1
    private static let alarmToken: UInt64 = 2
    /// Marks the token of a packet that is sent. No place is as large.
    private static let sending: UInt64 = 1 << 31

    /// A ring that also waits for `wakeUp`, whose each signal counts, and for `events`, a set of epoll.
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

    /// Begins; false where the system has no ring: an old kernel, or a container that forbids it.
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

    /// Ends, without a reader; it may begin again.
    func close() {
        harald_ring_close(ring)
        alarm = Self.never
        told = -1
        parted = []
        (unserved, served, unsent) = ([], [], [])
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
        // Generations begin at 1, so this is none of the three others.
        reader.token = UInt64(slots[index].generation) << 32 | UInt64(index)
        reader.ring = .passUnretained(self)
        count += 1
        receive(reader)
    }

    /// Makes room for one more request: packets that go out to make it may fail, which has to be seen.
    private func makeRoom() { if harald_ring_is_full(ring) { handOver() } }

    private func receive(_ reader: SocketReader) {
        makeRoom()
        harald_ring_receive(ring, reader.descriptor, reader.token)
    }

    func remove(_ reader: SocketReader) {
        guard reader.isReading else { return }
        if isAsleep {
            // Nothing is held while the thread sleeps.
            parted.append(reader.token)
        } else {
            // Cancelling hands over what was asked for before.
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
        // Its memory, and its descriptor, may go now.
        reader.takeHeld { _ in }
        let index = place(of: reader.token)
        reader.token = SocketReader.noToken
        reader.ring = nil
        slots[index].reader = nil
        freeSlots.append(index)
        count -= 1
    }

    private func place(of token: UInt64) -> Int { Int(token & (Self.sending - 1)) }

    /// Who reads with this token, or sends with it; nil for one of before.
    private func reader(_ token: UInt64) -> SocketReader? {
        let slot = slots[place(of: token)]
        return slot.generation == UInt32(token >> 32) ? slot.reader : nil
    }

    /// Waits until something is found, until `limit` at most; nil is for ever. Meanwhile `lock` is free, unless something is handed
    /// over: nothing may overtake a packet, and a descriptor that is to be read has to be the one that was meant.
    func wait(until limit: LoopLimit?, free lock: TurnLock?) {
        if needsThread { endParted() }
        if isToAskAgain { askAgain() }
        var waits = true
        if let limit {
            waits = limit.nanoseconds > 0
            if waits { setAlarm(limit) }
        }
        // Interrupted: then nothing is found.
        if let lock, waits, ring.pointee.unsubmitted == 0 {
            let descriptor = ring.pointee.descriptor
            isAsleep = true
            lock.unlock()
            _ = harald_ring_sleep(descriptor, 0, 1)
            lock.lock()
            isAsleep = false
            // Ending what had parted has handed packets over.
            if hasPackets { lookForUnsent() }
        } else {
            enter(least: waits ? 1 : 0)
        }
    }

    private func enter(least: UInt32) {
        _ = harald_ring_enter(ring, least)
        if hasPackets { lookForUnsent() }
    }

    // MARK: Sending

    /// Sends a packet with what is handed over next. Where it stands until then.
    func send(_ packet: UnsafeRawBufferPointer, for reader: SocketReader) -> UInt64 {
        makeRoom()
        hasPackets = true
        return harald_ring_send(
            ring, reader.descriptor, packet.baseAddress, UInt32(packet.count), reader.token | Self.sending)
    }

    /// Whether a packet is still where it was put.
    func isQueued(_ place: UInt64) -> Bool { harald_ring_is_queued(ring, place) }

    /// Takes back a packet that is still where it was put.
    func takeBack(_ place: UInt64) {
        harald_ring_take_back(ring, place)
        hasPackets = ring.pointee.unsubmitted > 0
    }

    /// Sends what is held without waiting for anything.
    func handOver() { enter(least: 0) }

    /// The system has tried to send, which it does while the packets are handed over.
    private func lookForUnsent() {
        // What it did not take for want of memory, it takes the next time.
        hasPackets = ring.pointee.unsubmitted > 0
        var completion = harald_completion()
        var place: UInt32 = 0
        // Only those that fail are told of.
        while harald_ring_find(ring, Self.sending, &place, &completion) {
            place += 1
            guard let reader = reader(completion.token) else { continue }
            reader.unsentCode = -completion.result
            unsent.append(reader)
            hasUnsent = true
        }
    }

    // MARK: Reading

    /// An alarm that is too early wakes the loop, which asks for the right one then: deadlines are moved later all the time.
    private func setAlarm(_ limit: LoopLimit) {
        guard limit.instant < alarm else { return }
        alarm = limit.instant
        // The turn may have taken a while, and zero would set no alarm.
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

    /// A reader for whom there is something; nil where there is none left. It is found again until it has taken that.
    func next() -> SocketReader? {
        if hasUnsent {
            let reader = unsent.removeLast()
            hasUnsent = !unsent.isEmpty
            return reader
        }
        var completion = harald_completion()
        while harald_ring_peek(ring, 0, &completion) {
            if completion.token > Self.alarmToken, completion.token & Self.sending == 0,
                let reader = reader(completion.token)
            {
                return reader
            }
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
        // A packet that was not sent, which was looked for before, or what nobody waits for any more.
        default: if completion.buffer >= 0 { harald_ring_return(ring, completion.buffer) }
        }
    }

    /// The descriptors that are waited for in the other way are looked at now.
    func forgetEvents() { hasEvents = false }

    /// What came next for a reader; nil where there is nothing more of it before what came for others.
    func take(for reader: SocketReader) -> SocketRead? {
        if told >= 0 {
            harald_ring_return(ring, told)
            told = -1
        }
        var completion = harald_completion()
        // No completion has the token of a reader that reads no more.
        while harald_ring_take(ring, reader.token, &completion) {
            let result = completion.result
            if !completion.goes_on { requestEnded(of: reader, result) }
            if result > 0, completion.buffer >= 0 {
                told = completion.buffer
                reader.wasServed = true
                let start = ring.pointee.bytes + Int(told) * Int(Self.bufferLength)
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
            // All buffers were full, or the kernel wants to be asked again: it is, with the next wait.
            if reader.wasServed || result > 0 { served.append(reader) } else { unserved.append(reader) }
            isToAskAgain = true
        default: release(reader)
        }
    }
}
#endif
