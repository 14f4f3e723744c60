#if !(os(Linux) || os(Android))
import Darwin

/// The descriptors of a loop on systems without epoll: in the form that `poll` takes, kept from one call to the next.
///
/// A watch may be added, changed or cancelled while the events of a call are delivered. The entry of a cancelled watch
/// stays, and is skipped, until the next call.
final class PollSet {
    /// Manually allocated memory: the system writes into it, and each turn of the loop reads it.
    private var list: UnsafeMutableBufferPointer<pollfd>
    /// The number of used entries of `list`, including those of cancelled watches.
    private var used = 1
    /// `watches[i]` belongs to `list[i]`; the first entry is that of the wake-up descriptor and has no watch.
    private var watches: [FileWatch?]
    private var holes = 0

    /// Creates a set that polls `wakeUp` alone.
    init(wakeUp: Int32) {
        list = .allocate(capacity: 8)
        list.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0))
        list[0] = pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)
        watches = [nil]
    }

    deinit { list.deallocate() }

    /// The number of watched descriptors, without the wake-up descriptor.
    var count: Int { used - 1 - holes }

    /// The indices that ``takeEvent(at:)`` accepts.
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

    /// Removes `watch`.
    func remove(_ watch: FileWatch) {
        guard let index = watch.index else { return }
        watch.index = nil
        // `poll` skips negative descriptors.
        list[index].fd = -1
        list[index].revents = 0
        watches[index] = nil
        holes += 1
    }

    /// Always false: a caller never takes over the loop while the thread polls.
    var needsThread: Bool { false }

    /// Waits for an event.
    ///
    /// - Parameters:
    ///   - milliseconds: the maximum duration; -1 for no limit.
    ///   - lock: not unlocked, because the system accesses the list while it waits.
    /// - Returns: `hasEvents` is true if any descriptor other than the wake-up has an event, `wokenUp` if that one has.
    func wait(milliseconds: Int32, free lock: TurnLock?) -> (hasEvents: Bool, wokenUp: Bool) {
        if holes > 0 { compact() }
        let ready = poll(list.baseAddress, nfds_t(used), milliseconds)
        // Interrupted or timed out: the values of `revents` are stale.
        guard ready > 0 else { return (false, false) }
        let wokenUp = list[0].revents != 0
        return (ready > (wokenUp ? 1 : 0), wokenUp)
    }

    /// Returns the event at an index of the last ``wait(milliseconds:free:)`` and its watch; nil if there is none.
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
