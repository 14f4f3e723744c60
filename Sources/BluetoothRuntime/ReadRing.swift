#if os(Linux) || os(Android)
import CLinuxPolling

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A ring of io_uring that reads sockets and waits for a loop's other descriptors: one system call waits and reads, and
/// brings many packets where many came.
///
/// It belongs to the loop's thread, and lives as long as there are readers.
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
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    /// How many sockets are read.
    private(set) var count = 0
    /// Readers whose request ended, most often because all buffers were full: those that got nothing come first, so that one
    /// flooding socket does not take every buffer again.
    private var unserved: [UInt64] = []
    private var served: [UInt64] = []

    /// The longest packet that H4 knows and one octet more, so that a longer one shows; not a multiple of a page, so that the
    /// beginnings of buffers do not push each other out of the processor's cache.
    private static let bufferLength: UInt32 = 65_536 + 64
    private static let wakeUpToken: UInt64 = 0
    private static let eventsToken: UInt64 = 1

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
        guard harald_ring_enter(ring, 0, 0) == 0 else { return nil }
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
        count += 1
        harald_ring_receive(ring, reader.descriptor, token(of: index))
    }

    func remove(_ reader: SocketReader) {
        guard let index = reader.index else { return }
        harald_ring_cancel(ring, token(of: index))
        release(reader, at: index)
    }

    private func release(_ reader: SocketReader, at index: Int) {
        reader.index = nil
        slots[index].reader = nil
        freeSlots.append(index)
        count -= 1
    }

    private func token(of index: Int) -> UInt64 {
        // Generations begin at 1, so this is none of the two others.
        UInt64(slots[index].generation) << 32 | UInt64(index)
    }

    /// Waits until something is found, so long at most; nil is for ever.
    func wait(nanoseconds: Int64?) {
        if !unserved.isEmpty || !served.isEmpty { askAgain() }
        // Out of time, or interrupted: then nothing is found. A day at most, as the system adds to it without looking.
        _ = harald_ring_enter(ring, nanoseconds == 0 ? 0 : 1, nanoseconds.map { min($0, 86_400_000_000_000) } ?? -1)
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

    /// The next finding of the last ``wait(nanoseconds:)``; nil where there is none left.
    func next() -> Finding? {
        var completion = harald_completion()
        guard harald_ring_next(ring, &completion) else { return nil }
        switch completion.token {
        case Self.wakeUpToken:
            if !completion.goes_on { harald_ring_poll(ring, wakeUp, Self.wakeUpToken) }
            return .nothing
        case Self.eventsToken:
            if !completion.goes_on { harald_ring_poll(ring, events, Self.eventsToken) }
            return .events
        default: return read(completion)
        }
    }

    private func read(_ completion: harald_completion) -> Finding {
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
