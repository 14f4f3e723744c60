#if os(Linux) || os(Android)
import CLinuxPolling

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The descriptors of a loop on Linux: the kernel keeps them, so a wait costs the same for one as for a thousand. While
/// there are sockets to read, a ``ReadRing`` reads them and waits for the rest.
///
/// A watch may be added, changed or cancelled while the events of a wait are being told.
final class EpollSet {
    private struct Slot {
        var watch: FileWatch?
        /// Which watch of this slot it is: an event of the one before means nothing to it.
        var generation: UInt32 = 0
    }

    private let descriptor: Int32
    private let wakeUp: Int32
    /// It is open while it has readers.
    let ring: ReadRing
    private(set) var isRingOpen = false
    /// The ring hears of an event once, however often it is to be told: so long as the last look found something, there may
    /// be more.
    private var mayHaveMore = false
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var watchCount = 0
    /// How many descriptors are watched and read, the wake-up aside.
    var count: Int { watchCount + ring.count }
    /// Plain memory: the system writes into it, and each turn of the loop reads it.
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private var eventCount = 0

    /// The most events of one wait; what is left comes with the next.
    private static let capacity = 256
    private static let wakeUpTag = UInt64.max

    /// A set that waits for `wakeUp` alone.
    init(wakeUp: Int32, clock: RadioClock) {
        self.wakeUp = wakeUp
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        ring = ReadRing(wakeUp: wakeUp, events: descriptor, clock: clock)
        events = .allocate(capacity: Self.capacity)
        events.initialize(repeating: epoll_event())
        addWakeUp()
    }

    private func addWakeUp() {
        var event = epoll_event()
        // Each signal is one event, and nobody has to read anything.
        event.events = UInt32(EPOLLIN.rawValue) | UInt32(EPOLLET.rawValue)
        event.data.u64 = Self.wakeUpTag
        // Without descriptors nothing can be opened at all; there is no caller who could go on.
        guard descriptor >= 0, epoll_ctl(descriptor, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
            fatalError("no file descriptor left for the radio's loop")
        }
    }

    deinit {
        close(descriptor)
        events.deallocate()
    }

    /// How many places ``takeEvent(at:)`` has.
    var places: Range<Int> { 0..<eventCount }

    func add(_ watch: FileWatch) {
        let index: Int
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = slots.count
            slots.append(Slot())
        }
        slots[index].watch = watch
        slots[index].generation &+= 1
        watch.index = index
        watchCount += 1
        control(EPOLL_CTL_ADD, watch, index)
    }

    func update(_ watch: FileWatch) {
        if let index = watch.index { control(EPOLL_CTL_MOD, watch, index) }
    }

    func remove(_ watch: FileWatch) {
        guard let index = watch.index else { return }
        watch.index = nil
        slots[index].watch = nil
        freeSlots.append(index)
        watchCount -= 1
        var event = epoll_event()
        _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, watch.descriptor, &event)
    }

    // MARK: Sockets that are read

    /// Reads a socket from now on; false where the system has no ring.
    func add(_ reader: SocketReader) -> Bool {
        if !isRingOpen {
            guard ring.open() else { return false }
            isRingOpen = true
            // The ring waits for it now.
            var event = epoll_event()
            _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, wakeUp, &event)
            mayHaveMore = true
        }
        ring.add(reader)
        return true
    }

    /// Whether something waits that only the loop's thread may do.
    var needsThread: Bool { ring.needsThread }

    /// The events that the ring has heard of, or that may be left.
    func lookForEvents() {
        ring.forgetEvents()
        _ = look(milliseconds: 0)
        mayHaveMore = eventCount > 0
    }

    // MARK: Waiting

    private func control(_ operation: Int32, _ watch: FileWatch, _ index: Int) {
        var event = epoll_event()
        if watch.interest.contains(.readable) { event.events |= UInt32(EPOLLIN.rawValue) }
        if watch.interest.contains(.writable) { event.events |= UInt32(EPOLLOUT.rawValue) }
        event.data.u64 = UInt64(slots[index].generation) << 32 | UInt64(index)
        let status = epoll_ctl(descriptor, operation, watch.descriptor, &event)
        // A descriptor that is closed, or no socket, terminal or pipe, is a mistake in this library.
        precondition(status == 0, "a descriptor that cannot be watched: error \(errno)")
    }

    /// Waits for an event.
    ///
    /// - Parameters:
    ///   - limit: until when at most; nil is for ever.
    ///   - lock: what is free while the thread sleeps, where there is nothing that only it may do.
    /// - Returns: whether any descriptor has an event, the wake-up's aside, and whether that had one.
    func wait(until limit: LoopLimit?, free lock: TurnLock?) -> (hasEvents: Bool, wokenUp: Bool) {
        if isRingOpen {
            if ring.count > 0 {
                ring.wait(until: mayHaveMore ? .now : limit, free: mayHaveMore ? nil : lock)
                eventCount = 0
                if mayHaveMore { lookForEvents() }
                return (true, false)
            }
            ring.close()
            isRingOpen = false
            addWakeUp()
        }
        return look(milliseconds: limit?.milliseconds, free: lock)
    }

    private func look(milliseconds: Int32?, free lock: TurnLock? = nil) -> (hasEvents: Bool, wokenUp: Bool) {
        lock?.unlock()
        let found = epoll_wait(descriptor, events.baseAddress, Int32(Self.capacity), milliseconds ?? -1)
        lock?.lock()
        // Interrupted is as good as nothing.
        eventCount = max(0, Int(found))
        var wokenUp = false
        for place in 0..<eventCount where events[place].data.u64 == Self.wakeUpTag { wokenUp = true }
        return (eventCount > (wokenUp ? 1 : 0), wokenUp)
    }

    /// What the last ``wait(until:)`` found at a place, and whose it is; nil where that is nothing.
    func takeEvent(at place: Int) -> (FileWatch, FileEvents)? {
        let event = events[place]
        guard event.data.u64 != Self.wakeUpTag else { return nil }
        let slot = slots[Int(event.data.u64 & 0xFFFF_FFFF)]
        guard let watch = slot.watch, slot.generation == UInt32(event.data.u64 >> 32) else { return nil }
        var found: FileEvents = []
        if event.events & UInt32(EPOLLIN.rawValue) != 0 { found.insert(.readable) }
        if event.events & UInt32(EPOLLOUT.rawValue) != 0 { found.insert(.writable) }
        if event.events & UInt32(EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { found.insert(.failed) }
        return (watch, found)
    }
}
#endif
