import BluetoothRuntime

/// The next advertising event of each set. One timer and one heap of plain numbers serve the whole air, because
/// advertising is its most frequent event.
final class AdvertisingSchedule {
    private struct Entry {
        var time: Int64
        /// Orders entries of equal time by insertion.
        var order: UInt64
        var slot: Int

        func isBefore(_ other: Entry) -> Bool { time == other.time ? order < other.order : time < other.time }
    }

    private static let never = Int64.max

    /// Proof of `unowned`: only the air retains this object.
    private unowned let air: VirtualAir
    private var heap: [Entry] = []
    private var sets: [ControllerAdvertisingSet?] = []
    /// The due time of the set in each slot. A heap entry with another time is stale.
    private var due: [Int64] = []
    private var freeSlots: [Int] = []
    private var nextOrder: UInt64 = 0
    private lazy var timer = air.loop.makeTimer { [weak self] in self?.timerFired() }

    init(air: VirtualAir) { self.air = air }

    /// Adds a set that starts to advertise, and returns its slot.
    func insert(_ set: ControllerAdvertisingSet) -> Int {
        if let slot = freeSlots.popLast() {
            sets[slot] = set
            return slot
        }
        sets.append(set)
        due.append(Self.never)
        return sets.count - 1
    }

    /// Removes the set that stopped advertising, and frees its slot.
    func remove(_ slot: Int) {
        sets[slot] = nil
        due[slot] = Self.never
        freeSlots.append(slot)
    }

    /// Schedules the next event of the set in this slot; replaces the time scheduled before.
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
