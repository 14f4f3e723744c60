#if os(Linux) || os(Android)
import CLinuxPolling

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The descriptors of a loop on Linux, in an epoll set: the kernel keeps them, so a wait costs the same for one as for
/// a thousand. A socket that is read while there is no watch is waited for in ``DirectReceiver`` instead.
///
/// A watch may be added, changed or cancelled while the events of a wait are delivered.
final class EpollSet {
    private struct Slot {
        var watch: FileWatch?
        /// The generation of the slot: an event of an earlier watch of the slot is ignored.
        var generation: UInt32 = 0
    }

    private let descriptor: Int32
    /// Reads one socket of the loop.
    let direct: DirectReceiver
    private let interface: LoopWait
    private var isDirectReadable = false
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var watchCount = 0
    /// Manually allocated memory: the system writes into it, and each turn of the loop reads it.
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private var eventCount = 0

    /// The maximum number of events of one wait; further ones are delivered by the next.
    private static let capacity = 256
    private static let wakeUpTag = UInt64.max
    private static let directTag = UInt64.max - 1

    /// Creates a set that waits for `wakeUp` alone.
    init(wakeUp: Int32, clock: RadioClock, interface: LoopWait) {
        self.interface = interface
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        direct = DirectReceiver(clock: clock, events: descriptor, tag: Self.directTag)
        events = .allocate(capacity: Self.capacity)
        events.initialize(repeating: epoll_event())
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

    /// The number of descriptors that are watched or read, without the wake-up descriptor.
    var count: Int { watchCount + (direct.isOpen ? 1 : 0) }

    /// True if a socket that is read is the only descriptor.
    var hasOnlySocket: Bool { watchCount == 0 && direct.isOpen }

    /// True if there is work that only the loop's thread may do.
    var needsThread: Bool { direct.needsThread }

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
        direct.descriptorAdded()
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

    /// Starts to read a socket; returns false if it has to be watched.
    func add(_ reader: SocketReader) -> Bool { interface == .receive && direct.add(reader) }

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

    /// Waits for an event.
    ///
    /// - Parameters:
    ///   - milliseconds: the maximum duration; -1 for no limit.
    ///   - lock: unlocked while the thread sleeps; nil if other threads do not know that it does.
    /// - Returns: `hasEvents` is true if any descriptor other than the wake-up has an event, or packets were not sent;
    ///   `wokenUp` if the wake-up has an event.
    func wait(milliseconds: Int32, free lock: TurnLock?) -> (hasEvents: Bool, wokenUp: Bool) {
        guard direct.isOpen else { return look(milliseconds: milliseconds, free: lock) }
        let sleeps = direct.beginSleep(lock != nil)
        let found = look(milliseconds: sleeps ? milliseconds : 0, free: sleeps ? lock : nil)
        if direct.endSleep(), isDirectReadable { direct.receive(waits: false) }
        return (found.hasEvents || direct.hasUnsent, found.wokenUp)
    }

    private func look(milliseconds: Int32, free lock: TurnLock?) -> (hasEvents: Bool, wokenUp: Bool) {
        lock?.unlock()
        let found = epoll_wait(descriptor, events.baseAddress, Int32(Self.capacity), milliseconds)
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

    /// Returns the event at an index of the last ``wait(milliseconds:free:)`` and its watch; nil if there is none.
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
