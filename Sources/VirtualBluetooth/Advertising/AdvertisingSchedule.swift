import BluetoothRuntime

/// When which set advertises next: one timer and one heap of plain numbers for a whole air, because nothing on it
/// happens as often as advertising.
final class AdvertisingSchedule {
    private struct Entry {
        var time: Int64
        /// First asked for, first served, where two are due at the same time.
        var order: UInt64
        var slot: Int

        func isBefore(_ other: Entry) -> Bool { time == other.time ? order < other.order : time < other.time }
    }

    private static let never = Int64.max

    private unowned let air: VirtualAir
    private var heap: [Entry] = []
    private var sets: [AdvertisingSet?] = []
    /// When the set in a slot is due; an entry of the heap that says something else is out of date.
    private var due: [Int64] = []
    private var freeSlots: [Int] = []
    private var nextOrder: UInt64 = 0
    private lazy var timer = air.loop.makeTimer { [weak self] in self?.timerFired() }

    init(air: VirtualAir) { self.air = air }

    /// A place in the schedule for a set that begins to advertise.
    func insert(_ set: AdvertisingSet) -> Int {
        if let slot = freeSlots.popLast() {
            sets[slot] = set
            return slot
        }
        sets.append(set)
        due.append(Self.never)
        return sets.count - 1
    }

    /// The set in this place advertises no more.
    func remove(_ slot: Int) {
        sets[slot] = nil
        due[slot] = Self.never
        freeSlots.append(slot)
    }

    /// The next event of the set in this place is at `time`, and at no other.
    func schedule(_ slot: Int, at time: RadioInstant) {
        due[slot] = time.nanoseconds
        push(Entry(time: time.nanoseconds, order: nextOrder, slot: slot))
        nextOrder += 1
        if heap[0].slot == slot { timer.arm(at: time) }
    }

    private func timerFired() {
        guard air.begin() else { return air.perform { [weak self] _ in self?.fire() } }
        fire()
        air.end()
    }

    private func fire() {
        let now = air.loop.now.nanoseconds
        while let first = heap.first {
            let isCurrent = due[first.slot] == first.time
            guard first.time <= now || !isCurrent else { return timer.arm(at: RadioInstant(nanoseconds: first.time)) }
            pop()
            guard isCurrent else { continue }
            due[first.slot] = Self.never
            sets[first.slot]?.advertise(on: air)
        }
    }

    private func push(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private func pop() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(last) else { break }
            heap[hole] = heap[child]
            hole = child
        }
        heap[hole] = last
    }
}
