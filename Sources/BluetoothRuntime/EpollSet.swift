#if os(Linux) || os(Android)
import CLinuxPolling

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The descriptors of a loop on Linux, in an epoll set: the kernel keeps them, so a wait costs the same for one as for
/// a thousand. While there are sockets to read, a ``ReadRing`` reads them and waits for the epoll set.
///
/// A watch may be added, changed or cancelled while the events of a wait are delivered.
final class EpollSet {
    private struct Slot {
        var watch: FileWatch?
        /// The generation of the slot: an event of an earlier watch of the slot is ignored.
        var generation: UInt32 = 0
    }

    private let descriptor: Int32
    private let wakeUp: Int32
    /// The ring, which is open while it has readers.
    let ring: ReadRing
    private(set) var isRingOpen = false
    /// True if the system has refused to open the ring.
    private var isRingRefused = false
    /// Reads the only socket of the loop.
    let direct: DirectReceiver
    private let interface: LoopWait.Interface
    /// True while callers read the socket of `direct`, and the loop's thread does not wait for it.
    private(set) var isLent = false
    private var isDirectReadable = false
    /// The number of successive waits with watches and the socket of `direct`.
    private var mixedWaits = 0
    /// True if the epoll set may have more events. The ring reports an event of it once, although the watches are
    /// level-triggered: as long as the last poll found an event, there may be more.
    private var mayHaveMore = false
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var watchCount = 0
    /// The number of descriptors that are watched or read, without the wake-up descriptor.
    var count: Int { watchCount + ring.count + (direct.isOpen ? 1 : 0) }
    /// Manually allocated memory: the system writes into it, and each turn of the loop reads it.
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private var eventCount = 0

    /// The maximum number of events of one wait; further ones are delivered by the next.
    private static let capacity = 256
    private static let wakeUpTag = UInt64.max
    private static let directTag = UInt64.max - 1
    /// The number of waits after which a ring takes over a socket that is not the only descriptor. Opening a ring is
    /// not worthwhile for a short time, such as until there is room to write.
    private static let mostMixedWaits = 256

    /// Creates a set that waits for `wakeUp` alone.
    init(wakeUp: Int32, clock: RadioClock, interface: LoopWait.Interface) {
        self.wakeUp = wakeUp
        self.interface = interface
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        ring = ReadRing(wakeUp: wakeUp, events: descriptor, clock: clock)
        direct = DirectReceiver(clock: clock, events: descriptor, tag: Self.directTag)
        events = .allocate(capacity: Self.capacity)
        events.initialize(repeating: epoll_event())
        addWakeUp()
    }

    private func addWakeUp() {
        var event = epoll_event()
        // Edge-triggered: each signal is one event, and the descriptor need not be read.
        event.events = UInt32(EPOLLIN.rawValue) | UInt32(EPOLLET.rawValue)
        event.data.u64 = Self.wakeUpTag
        // Proof that the program must end: without a descriptor the loop cannot wait for anything, and its thread has
        // no caller that could handle an error.
        guard descriptor >= 0, epoll_ctl(descriptor, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
            fatalError("no file descriptor is available for the adapter's loop")
        }
    }

    deinit {
        close(descriptor)
        events.deallocate()
    }

    /// The indices that ``takeEvent(at:)`` accepts.
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

    // MARK: Socket readers

    /// Starts to read a socket; returns false if it has to be watched.
    func add(_ reader: SocketReader) -> Bool {
        if interface == .epoll { return false }
        if interface == .receive, !isRingOpen, direct.add(reader) { return true }
        guard openRing() else { return direct.add(reader) }
        ring.add(reader)
        return true
    }

    func remove(_ reader: SocketReader) {
        if reader.direct == nil { ring.remove(reader) } else { direct.remove(reader) }
    }

    private func openRing() -> Bool {
        if isRingOpen { return true }
        guard !isRingRefused, ring.open() else {
            isRingRefused = true
            return false
        }
        isRingOpen = true
        // From now on the ring waits for it.
        var event = epoll_event()
        _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, wakeUp, &event)
        mayHaveMore = true
        return true
    }

    /// True if there is work that only the loop's thread may do.
    var needsThread: Bool {
        ring.needsThread || direct.isParted || direct.isReceiving && watchCount > 0
            || isLent && (watchCount > 0 || !direct.isOpen)
    }

    /// True if the next wait receives from the only socket.
    var receives: Bool { direct.isOpen && watchCount == 0 && !isRingOpen }

    /// Prepares for waits that only receive from the only socket; returns false if there are other descriptors.
    func beginsToReceive() -> Bool {
        guard receives else { return false }
        direct.poll(false)
        mixedWaits = 0
        return true
    }

    /// Returns true if the next wait, which has to be announced to other threads, ends by ``interrupt()`` instead of
    /// the wake-up descriptor.
    func preparesToReceive() -> Bool {
        guard receives else { return false }
        direct.prepare()
        return true
    }

    /// Ends the wait that was announced. To be called by any thread, while the loop's thread exists.
    func interrupt() { direct.interrupt() }

    // MARK: Callers

    /// Lets callers read the only socket, while the loop's thread neither reads it nor waits for it. Returns false if
    /// `recv` does not read it, or there are other descriptors.
    func lend() -> Bool {
        guard canLend else { return false }
        direct.poll(false)
        isLent = direct.lend()
        return isLent
    }

    /// False if ``lend()`` returns false.
    var canLend: Bool { receives }

    /// Ends the reading of callers.
    func takeBack() {
        isLent = false
        direct.takeBack()
    }

    /// Lets the ring read the socket of `direct`; returns false if that has to wait.
    private func moveToRing() -> Bool {
        guard let reader = direct.handOver() else { return false }
        ring.add(reader)
        return true
    }

    /// Collects the events of the epoll set that the ring reported, or that may be left.
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
        // Fails only for a descriptor that is closed, or is no socket, terminal or pipe: a programming error in this
        // library.
        precondition(status == 0, "epoll cannot watch this file descriptor: error \(errno)")
    }

    /// False if no timer of the loop is due: an alarm is set to `first`, the instant of the first one, or to an earlier
    /// instant, and has not come. The clock need not be read then.
    func mayBeDue(_ first: RadioInstant) -> Bool {
        if receives { return direct.isDue(first) }
        return !isRingOpen || ring.count == 0 || first < ring.alarm
    }

    /// Waits for an event.
    ///
    /// - Parameters:
    ///   - limit: the latest end of the wait; nil for no limit.
    ///   - lock: unlocked while the thread sleeps, unless there is work that only this thread may do.
    /// - Returns: `hasEvents` is true if any descriptor other than the wake-up has an event, `wokenUp` if that one has.
    func wait(until limit: LoopLimit?, free lock: TurnLock?) -> (hasEvents: Bool, wokenUp: Bool) {
        if beginsToReceive() {
            direct.wait(until: limit, free: lock)
            eventCount = 0
            return (true, false)
        }
        var (limit, lock) = (limit, lock)
        if direct.isOpen {
            mixedWaits += 1
            if isRingOpen || mixedWaits > Self.mostMixedWaits && openRing(), !moveToRing() {
                (limit, lock) = (.now, nil)
            }
        }
        if isRingOpen {
            if ring.count > 0 || direct.isOpen {
                ring.wait(until: mayHaveMore ? .now : limit, free: mayHaveMore ? nil : lock)
                eventCount = 0
                if mayHaveMore { lookForEvents() }
                return (true, false)
            }
            ring.close()
            isRingOpen = false
            addWakeUp()
        }
        guard direct.isOpen else { return look(milliseconds: limit?.milliseconds, free: lock) }
        direct.poll(true)
        let sleeps = direct.sleeps(lock != nil)
        let found = look(milliseconds: sleeps ? limit?.milliseconds : 0, free: sleeps ? lock : nil)
        if direct.wakes(), isDirectReadable { direct.receive() }
        return found
    }

    private func look(milliseconds: Int32?, free lock: TurnLock? = nil) -> (hasEvents: Bool, wokenUp: Bool) {
        lock?.unlock()
        let found = epoll_wait(descriptor, events.baseAddress, Int32(Self.capacity), milliseconds ?? -1)
        lock?.lock()
        // An interrupted wait, -1, counts as one without events.
        eventCount = max(0, Int(found))
        var wokenUp = false
        isDirectReadable = false
        for place in 0..<eventCount where events[place].data.u64 >= Self.directTag {
            if events[place].data.u64 == Self.wakeUpTag { wokenUp = true } else { isDirectReadable = true }
        }
        return (eventCount > (wokenUp ? 1 : 0), wokenUp)
    }

    /// Returns the event at an index of the last ``wait(until:free:)`` and its watch; nil if there is none.
    func takeEvent(at place: Int) -> (FileWatch, FileEvents)? {
        let event = events[place]
        guard event.data.u64 < Self.directTag else { return nil }
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
