import BluetoothModel

/// The links of one controller by connection handle.
///
/// A handle selects a slot by its remainder. Handles are assigned in rotation, so a released handle is not reused soon.
///
/// A class, because it is on the hot path: a lookup then needs no check of exclusive access.
final class ControllerLinkTable {
    /// The number of valid handles (Core 6.0, Vol 4, Part E, 5.4.2).
    static let maximumCount = 3776
    private static let firstHandle = 0x40
    private static let lastHandle = 0x0EFF

    private let capacity: Int
    private var slots: [LinkEnd?]
    private var nextHandle = firstHandle
    /// All links, oldest first.
    private(set) var ends: [LinkEnd] = []

    init(capacity: Int) {
        self.capacity = capacity
        slots = [LinkEnd?](repeating: nil, count: capacity)
    }

    var isFull: Bool { ends.count == capacity }

    subscript(handle: UInt16) -> LinkEnd? {
        guard let end = slots[Int(handle) % capacity], end.handle == handle else { return nil }
        return end
    }

    /// Assigns a handle to the end. Returns false if the table is full.
    func insert(_ end: LinkEnd) -> Bool {
        guard !isFull else { return false }
        // One pass over all handles visits every slot, because there are no more slots than handles.
        for _ in Self.firstHandle...Self.lastHandle {
            let handle = nextHandle
            nextHandle = handle == Self.lastHandle ? Self.firstHandle : handle + 1
            guard slots[handle % capacity] == nil else { continue }
            end.handle = UInt16(handle)
            slots[handle % capacity] = end
            ends.append(end)
            return true
        }
        return false
    }

    func remove(_ end: LinkEnd) {
        let slot = Int(end.handle) % capacity
        guard slots[slot] === end else { return }
        slots[slot] = nil
        ends.removeAll { $0 === end }
    }
}
