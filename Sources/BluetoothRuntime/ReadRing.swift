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
/// It belongs to the loop, and lives as long as there are readers. Only the loop's own thread makes system calls on it.
///
/// Its properties are not checked for overlapping access, which every packet would pay for twenty times: who changes one
/// calls nothing meanwhile that leads back here, and there is one thread at a time.
final class ReadRing {
    private struct Slot {
        var reader: SocketReader?
        /// Which reader of this slot it is: what came for the one before means nothing to it.
        var generation: UInt32 = 0
        /// Whether it got anything since the last wait.
        var wasServed = false
    }

    /// Something that the ring has found.
    enum Finding {
        /// The loop was woken up, or nothing that anybody still waits for.
        case nothing
        /// The descriptors that are waited for in the other way have events.
        case events
        /// A reader got something; `buffer` has to be given back.
        case read(SocketReader, SocketRead, buffer: Int32)
    }

    private let ring: UnsafeMutablePointer<harald_ring>
    private let wakeUp: Int32
    private let events: Int32
    @exclusivity(unchecked) private var slots: [Slot] = []
    @exclusivity(unchecked) private var freeSlots: [Int] = []
    /// How many sockets are read.
    @exclusivity(unchecked) private(set) var count = 0
    /// Readers whose request ended, most often because all buffers were full: those that got nothing come first, so that one
    /// flooding socket does not take every buffer again.
    @exclusivity(unchecked) private var unserved: [UInt64] = []
    @exclusivity(unchecked) private var served: [UInt64] = []

    /// Those whose reading is still to be ended: only the ring's thread may.
    @exclusivity(unchecked) private var parted: [UInt64] = []
    var needsThread: Bool { !parted.isEmpty }

    /// When the alarm is set to, on the loop's clock; nil where it is not set.
    @exclusivity(unchecked) private var alarm: RadioInstant?
    /// The places of those who may hold a packet that is to be sent.
    @exclusivity(unchecked) private var senders: [Int] = []
    @exclusivity(unchecked) private(set) var hasSenders = false
    /// Those whose packet was not sent, and why.
    @exclusivity(unchecked) private var unsent: [(reader: SocketReader, code: Int32)] = []

    /// The longest packet that H4 knows and one octet more, so that a longer one shows; not a multiple of a page, so that the
    /// beginnings of buffers do not push each other out of the processor's cache.
    private static let bufferLength: UInt32 = 65_536 + 64
    private static let wakeUpToken: UInt64 = 0
    private static let eventsToken: UInt64 = 1
    private static let alarmToken: UInt64 = 2
    /// Marks the token of a packet that is sent. No place is as large.
    private static let sending: UInt64 = 1 << 31

    /// A ring that also waits for `wakeUp`, whose each signal counts, and for `events`, a set of epoll; nil where the
    /// system has none: an old kernel, or a container that forbids it.
    init?(wakeUp: Int32, events: Int32, bufferCount: UInt32 = 16) {
        ring = .allocate(capacity: 1)
        ring.initialize(to: harald_ring())
        self.wakeUp = wakeUp
        self.events = events
        // From here on a failure runs `deinit`, which is fine with a ring that did not open.
        guard harald_ring_open(ring, bufferCount, Self.bufferLength) == 0 else { return nil }
        harald_ring_poll(ring, wakeUp, Self.wakeUpToken)
        harald_ring_poll(ring, events, Self.eventsToken)
        harald_ring_poll(ring, ring.pointee.alarm, Self.alarmToken)
        guard harald_ring_enter(ring, 0) == 0 else { return nil }
    }

    deinit {
        harald_ring_close(ring)
        ring.deallocate()
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
        reader.index = index
        reader.ring = self
        count += 1
        harald_ring_receive(ring, reader.descriptor, token(of: index))
    }

    func remove(_ reader: SocketReader, isLent: Bool) {
        guard let index = reader.index else { return }
        let token = token(of: index)
        if isLent {
            // Nothing is held while the thread sleeps.
            parted.append(token)
        } else {
            // Cancelling hands over what was asked for before.
            if reader.holds { send(reader, at: index) }
            reader.wasSent()
            harald_ring_cancel(ring, token)
        }
        release(reader, at: index)
    }

    private func endParted() {
        for token in parted { harald_ring_cancel(ring, token) }
        parted = []
    }

    private func release(_ reader: SocketReader, at index: Int) {
        reader.index = nil
        reader.ring = nil
        slots[index].reader = nil
        freeSlots.append(index)
        count -= 1
    }

    private func token(of index: Int) -> UInt64 {
        // Generations begin at 1, so this is none of the three others.
        UInt64(slots[index].generation) << 32 | UInt64(index)
    }

    /// Waits until something is found, until `limit` at most; nil is for ever. Meanwhile `lock` is free, unless a packet is on
    /// its way, which nothing may overtake.
    func wait(until limit: LoopLimit?, free lock: TurnLock?) {
        if needsThread { endParted() }
        if !unserved.isEmpty || !served.isEmpty { askAgain() }
        let sentCount = hasSenders ? sendHeld() : 0
        var waits = true
        if let limit {
            waits = limit.nanoseconds > 0
            if waits { setAlarm(limit) }
        }
        // Interrupted: then nothing is found.
        if let lock, waits, sentCount == 0 {
            let count = ring.pointee.unsubmitted, descriptor = ring.pointee.descriptor
            lock.unlock()
            let status = harald_ring_sleep(descriptor, count, 1)
            lock.lock()
            _ = harald_ring_entered(ring, status)
        } else {
            _ = harald_ring_enter(ring, waits ? 1 : 0)
        }
        if sentCount > 0 { lookForUnsent(sentCount) }
    }

    // MARK: Sending

    /// The reader at a place holds a packet now.
    func willSend(_ index: Int) {
        senders.append(index)
        hasSenders = true
    }

    /// Sends what is held without waiting for anything.
    func handOver() {
        let count = sendHeld()
        guard count > 0 else { return }
        _ = harald_ring_enter(ring, 0)
        lookForUnsent(count)
    }

    /// Asks for what is held to be sent; how many packets. Only the senders of these are left in the list.
    private func sendHeld() -> Int {
        hasSenders = false
        var count = 0
        // By place: an iterator would hold the list, and the change below copy it.
        for place in senders.indices {
            let index = senders[place]
            guard let reader = slots[index].reader, reader.isSender else { continue }
            reader.isSender = false
            guard reader.holds else { continue }
            send(reader, at: index)
            senders[count] = index
            count += 1
        }
        if count < senders.count { senders.removeLast(senders.count - count) }
        return count
    }

    private func send(_ reader: SocketReader, at index: Int) {
        let packet = reader.heldPacket
        harald_ring_send(
            ring, reader.descriptor, packet.baseAddress, UInt32(packet.count), token(of: index) | Self.sending)
    }

    /// The system has tried to send, which it does while the packets are handed over.
    private func lookForUnsent(_ count: Int) {
        // What it did not take for want of memory is taken back, and is as good as not having had room.
        let untaken = ring.pointee.unsubmitted > 0 ? Int(harald_ring_withdraw(ring, UInt32(count))) : 0
        for index in senders.suffix(untaken) { didNotSend(at: index, EAGAIN) }
        var completion = harald_completion()
        var place: UInt32 = 0
        while harald_ring_peek(ring, place, &completion) {
            place += 1
            // Only those that fail are told of.
            if let index = senderPlace(completion.token) { didNotSend(at: index, -completion.result) }
        }
        for index in senders where unsent.isEmpty || !unsent.contains(where: { $0.reader.index == index }) {
            slots[index].reader?.wasSent()
        }
        senders.removeAll(keepingCapacity: true)
    }

    private func didNotSend(at index: Int, _ code: Int32) {
        if let reader = slots[index].reader { unsent.append((reader, code)) }
    }

    /// The place of who sent a packet with this token; nil for another token, and for one of before.
    private func senderPlace(_ token: UInt64) -> Int? {
        guard token & Self.sending != 0 else { return nil }
        let index = Int(token & (Self.sending - 1))
        return slots[index].generation == UInt32(token >> 32) ? index : nil
    }

    /// Those whose packet was not sent since the last call.
    func takeUnsent() -> [(reader: SocketReader, code: Int32)] {
        guard hasUnsent else { return [] }
        defer { unsent = [] }
        return unsent
    }
    var hasUnsent: Bool { !unsent.isEmpty }

    // MARK: Reading

    /// An alarm that is too early wakes the loop, which asks for the right one then: deadlines are moved later all the time.
    private func setAlarm(_ limit: LoopLimit) {
        if let alarm, alarm <= limit.instant { return }
        alarm = limit.instant
        harald_ring_set_alarm(ring, limit.nanoseconds)
    }

    private func askAgain() {
        for token in unserved + served {
            let index = Int(token & 0xFFFF_FFFF)
            slots[index].wasServed = false
            guard let reader = slots[index].reader, self.token(of: index) == token else { continue }
            harald_ring_receive(ring, reader.descriptor, token)
        }
        unserved.removeAll(keepingCapacity: true)
        served.removeAll(keepingCapacity: true)
    }

    /// The next finding of the last ``wait(until:)``; nil where there is none left.
    func next() -> Finding? {
        var completion = harald_completion()
        guard harald_ring_next(ring, &completion) else { return nil }
        switch completion.token {
        case Self.wakeUpToken:
            if !completion.goes_on { harald_ring_poll(ring, wakeUp, Self.wakeUpToken) }
            return .nothing
        case Self.alarmToken:
            alarm = nil
            if !completion.goes_on { harald_ring_poll(ring, ring.pointee.alarm, Self.alarmToken) }
            return .nothing
        case Self.eventsToken:
            if !completion.goes_on { harald_ring_poll(ring, events, Self.eventsToken) }
            return .events
        default: return read(completion)
        }
    }

    private func read(_ completion: harald_completion) -> Finding {
        // That was looked for before.
        guard completion.token & Self.sending == 0 else { return .nothing }
        let index = Int(completion.token & 0xFFFF_FFFF)
        guard let reader = slots[index].reader, slots[index].generation == UInt32(completion.token >> 32) else {
            giveBack(completion.buffer)
            return .nothing
        }
        let result = completion.result
        if result > 0 { slots[index].wasServed = true }
        if !completion.goes_on {
            if result > 0 || result == -ENOBUFS || result == -EINTR || result == -EAGAIN {
                // All buffers were full, or the kernel wants to be asked again: it is, with the next wait.
                if slots[index].wasServed { served.append(completion.token) } else { unserved.append(completion.token) }
            } else {
                release(reader, at: index)
            }
        }
        guard result > 0 else {
            giveBack(completion.buffer)
            if result == 0 { return .read(reader, .closed, buffer: -1) }
            return reader.index == nil ? .read(reader, .failed(-result), buffer: -1) : .nothing
        }
        guard completion.buffer >= 0 else { return .nothing }
        let start = ring.pointee.bytes + Int(completion.buffer) * Int(Self.bufferLength)
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(result))
        return .read(reader, .bytes(bytes), buffer: completion.buffer)
    }

    /// The bytes of a finding are not needed any more.
    func giveBack(_ buffer: Int32) {
        if buffer >= 0 { harald_ring_return(ring, buffer) }
    }
}
#endif
