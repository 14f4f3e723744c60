#if !(os(Linux) || os(Android))
import Darwin

/// The descriptors of a loop where there is no epoll: in the form that `poll` takes, kept from one call to the next.
///
/// A watch may be added, changed or cancelled while the events of a call are being told; the place of a cancelled one
/// stays, and is passed over, until the next call.
final class PollSet {
    /// Plain memory: the system writes into it, and each turn of the loop reads it.
    private var list: UnsafeMutableBufferPointer<pollfd>
    /// How many places of `list` are taken, the holes among them.
    private var used = 1
    /// `watches[i]` belongs to `list[i]`; the first place is the wake-up's and has none.
    private var watches: [FileWatch?]
    private var holes = 0

    /// A set that polls `wakeUp` alone.
    init(wakeUp: Int32) {
        list = .allocate(capacity: 8)
        list.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0))
        list[0] = pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)
        watches = [nil]
    }

    deinit { list.deallocate() }

    /// How many descriptors are watched, the wake-up aside.
    var count: Int { used - 1 - holes }

    /// How many places ``takeEvent(at:)`` has.
    var places: Range<Int> { 1..<used }

    func add(_ watch: FileWatch) {
        if used == list.count { grow() }
        watch.index = used
        list[used] = pollfd(fd: watch.descriptor, events: Self.mask(watch.interest), revents: 0)
        used += 1
        watches.append(watch)
    }

    private func grow() {
        let larger = UnsafeMutableBufferPointer<pollfd>.allocate(capacity: 2 * list.count)
        larger.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0))
        for index in 0..<used { larger[index] = list[index] }
        list.deallocate()
        list = larger
    }

    func update(_ watch: FileWatch) {
        guard let index = watch.index else { return }
        list[index].events = Self.mask(watch.interest)
    }

    /// Takes `watch` out, and returns it so that its owner decides where it ends.
    func remove(_ watch: FileWatch) {
        guard let index = watch.index else { return }
        watch.index = nil
        // `poll` passes over negative descriptors.
        list[index].fd = -1
        list[index].revents = 0
        watches[index] = nil
        holes += 1
    }

    /// Whether something waits that only the loop's thread may do; nobody else gets here.
    var needsThread: Bool { false }

    /// Waits for an event.
    ///
    /// - Parameters:
    ///   - limit: until when at most; nil is for ever.
    ///   - lock: not freed: the list belongs to the system while it waits.
    /// - Returns: whether any descriptor has an event, the wake-up's aside, and whether that had one.
    func wait(until limit: LoopLimit?, free lock: TurnLock?) -> (hasEvents: Bool, wokenUp: Bool) {
        if holes > 0 { compact() }
        let milliseconds = limit?.milliseconds
        let ready = poll(list.baseAddress, nfds_t(used), milliseconds ?? -1)
        // Interrupted, or out of time: what `revents` say is old.
        guard ready > 0 else { return (false, false) }
        let wokenUp = list[0].revents != 0
        return (ready > (wokenUp ? 1 : 0), wokenUp)
    }

    /// What the last ``wait(until:)`` found at a place, and whose it is; nil where that is nothing.
    func takeEvent(at place: Int) -> (FileWatch, FileEvents)? {
        let revents = Int32(list[place].revents)
        guard revents != 0, let watch = watches[place] else { return nil }
        list[place].revents = 0
        var events: FileEvents = []
        if revents & Int32(POLLIN) != 0 { events.insert(.readable) }
        if revents & Int32(POLLOUT) != 0 { events.insert(.writable) }
        if revents & Int32(POLLERR | POLLHUP | POLLNVAL) != 0 { events.insert(.failed) }
        return (watch, events)
    }

    private func compact() {
        var end = 1
        for index in 1..<used {
            guard let watch = watches[index] else { continue }
            list[end] = list[index]
            watches[end] = watch
            watch.index = end
            end += 1
        }
        used = end
        watches.removeLast(watches.count - end)
        holes = 0
    }

    private static func mask(_ interest: FileEvents) -> Int16 {
        var events: Int32 = 0
        if interest.contains(.readable) { events |= Int32(POLLIN) }
        if interest.contains(.writable) { events |= Int32(POLLOUT) }
        return Int16(events)
    }
}
#endif
