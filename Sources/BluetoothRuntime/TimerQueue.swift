/// A deadline that can be moved any number of times: moving it later costs a store.
///
/// A timer belongs to one ``TimerQueue`` and fires once per arming.
public final class QueuedTimer {
    fileprivate var deadline: RadioInstant?
    /// The sequence number of the arming: of equal deadlines, the first armed fires first.
    fileprivate var arming: UInt64 = 0
    /// The index in the queue's heap; nil while it has none.
    fileprivate var index: Int?
    /// Called at the deadline. An owner that the closure captures unowned disarms the timer before it is released.
    public var onFire: (() -> Void)?
    /// Proof of `unowned`: an owner arms a timer only while the queue exists, and `disarm()` does not use a queue that
    /// was deallocated, because its `deinit` removes the timers.
    private unowned let queue: TimerQueue

    fileprivate init(queue: TimerQueue, fire: (() -> Void)?) {
        self.queue = queue
        onFire = fire
    }

    /// True while the timer is armed.
    public var isArmed: Bool { deadline != nil }

    /// Arms the timer for `instant`, in place of an earlier deadline.
    ///
    /// A timer that is armed while timers fire, for an instant that is not after the current one, fires with the next
    /// ``TimerQueue/fire(upTo:)``, so a timer that is always armed for "now" does not block all others.
    public func arm(at instant: RadioInstant) { queue.arm(self, at: instant) }

    /// Disarms the timer.
    public func disarm() {
        guard deadline != nil else { return }
        deadline = nil
        if index != nil { queue.disarmed() }
    }
}

/// The timers of a state machine or a loop, driven by the caller: it reads no clock and starts no thread.
public final class TimerQueue {
    /// An entry of the heap. Its instant is the timer's deadline when the entry was inserted, or earlier.
    private struct Entry {
        var instant: RadioInstant
        var arming: UInt64
        var timer: QueuedTimer

        func precedes(_ other: Entry) -> Bool {
            instant == other.instant ? arming < other.arming : instant < other.instant
        }
    }

    /// A binary heap, earliest first, with each timer at most once. The entry of a timer that was moved later stays
    /// where it was until it is due; the entries of disarmed timers are removed before they are more than half.
    ///
    /// Proof of `@exclusivity(unchecked)`: all accesses are in this file, on one thread, and none calls anything that
    /// leads back here before it ends. The check would cost time on every packet.
    @exclusivity(unchecked) private var heap: [Entry] = []
    /// The instant of the first entry of the heap, whether its timer is still armed or not; the latest instant without
    /// one. A stored number, because every turn of a loop reads it twice.
    private(set) var firstInstant = RadioInstant.never
    private var disarmedEntries = 0
    private var armings: UInt64 = 0

    private enum State {
        case idle
        /// Timers are firing; those armed for an instant up to this one are in `postponed`.
        case firing(RadioInstant)
    }
    private var state = State.idle
    private var postponed: [QueuedTimer] = []

    /// Called when the earliest deadline becomes earlier, so that the driver can wake up earlier.
    public var onEarlierDeadline: (() -> Void)?

    /// Creates a queue with no timer.
    public init() {}

    deinit {
        // A timer may outlive its queue, and be disarmed then.
        for entry in heap { entry.timer.index = nil }
    }

    /// Creates a timer that calls `fire`, not armed yet. The queue retains it only while it is armed, or slightly
    /// longer.
    public func makeTimer(_ fire: (() -> Void)? = nil) -> QueuedTimer { QueuedTimer(queue: self, fire: fire) }

    /// The instant at which the driver has to call ``fire(upTo:)`` next: never too late, possibly too early.
    public var nextDeadline: RadioInstant? {
        while !heap.isEmpty, heap[0].timer.deadline == nil { removeFirst() }
        return heap.isEmpty ? nil : firstInstant
    }

    /// Fires every timer whose deadline is not after `now`, earliest first, except those that are armed meanwhile for
    /// an instant that has passed.
    public func fire(upTo now: RadioInstant) {
        // A nested call from a firing timer would find `postponed` in use; the outer call fires the timers anyway.
        guard firstInstant <= now, !heap.isEmpty, case .idle = state else { return }
        state = .firing(now)
        while let first = heap.first, first.instant <= now {
            removeFirst()
            let timer = first.timer
            guard let deadline = timer.deadline else { continue }
            if timer.arming == first.arming {
                timer.deadline = nil
                timer.onFire?()
            } else {
                // The timer was armed again, possibly for an instant that this call still reaches.
                insert(timer, at: deadline)
            }
        }
        state = .idle
        guard !postponed.isEmpty else { return }
        let timers = postponed
        postponed.removeAll(keepingCapacity: true)
        for timer in timers {
            if let deadline = timer.deadline, timer.index == nil { insert(timer, at: deadline) }
        }
    }

    // MARK: Arming

    fileprivate func arm(_ timer: QueuedTimer, at instant: RadioInstant) {
        let wasArmed = timer.deadline != nil
        armings += 1
        timer.deadline = instant
        timer.arming = armings
        if case .firing(let now) = state, instant <= now {
            if let index = timer.index { remove(at: index, isDisarmed: !wasArmed) }
            postponed.append(timer)
            return
        }
        guard let index = timer.index else {
            insert(timer, at: instant)
            return
        }
        if !wasArmed { disarmedEntries -= 1 }
        guard instant < heap[index].instant else { return }
        heap[index].instant = instant
        heap[index].arming = timer.arming
        lift(index)
    }

    fileprivate func disarmed() {
        disarmedEntries += 1
        if disarmedEntries > 32, disarmedEntries > heap.count / 2 { dropDisarmed() }
    }

    // MARK: The heap

    private func insert(_ timer: QueuedTimer, at instant: RadioInstant) {
        timer.index = heap.count
        heap.append(Entry(instant: instant, arming: timer.arming, timer: timer))
        lift(heap.count - 1)
    }

    /// Moves a new entry, or one that became earlier, to its position.
    private func lift(_ index: Int) {
        guard siftUp(index) == 0 else { return }
        firstInstant = heap[0].instant
        onEarlierDeadline?()
    }

    private func removeFirst() { remove(at: 0, isDisarmed: heap[0].timer.deadline == nil) }

    private func remove(at index: Int, isDisarmed: Bool) {
        if isDisarmed { disarmedEntries -= 1 }
        let last = heap.count - 1
        if index != last { exchange(index, last) }
        heap[last].timer.index = nil
        heap.removeLast()
        if index != last, siftUp(index) == index { siftDown(index) }
        noteFirst()
    }

    private func noteFirst() { firstInstant = heap.isEmpty ? .never : heap[0].instant }

    private func dropDisarmed() {
        for entry in heap where entry.timer.deadline == nil { entry.timer.index = nil }
        heap.removeAll { $0.timer.deadline == nil }
        disarmedEntries = 0
        for index in heap.indices { heap[index].timer.index = index }
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
        noteFirst()
    }

    /// Moves an entry up to its position and returns the index.
    private func siftUp(_ start: Int) -> Int {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            exchange(child, parent)
            child = parent
        }
        return child
    }

    private func siftDown(_ start: Int) {
        var parent = start
        while true {
            let left = 2 * parent + 1
            guard left < heap.count else { return }
            let right = left + 1
            let child = right < heap.count && heap[right].precedes(heap[left]) ? right : left
            guard heap[child].precedes(heap[parent]) else { return }
            exchange(child, parent)
            parent = child
        }
    }

    private func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        heap[one].timer.index = one
        heap[other].timer.index = other
    }
}
