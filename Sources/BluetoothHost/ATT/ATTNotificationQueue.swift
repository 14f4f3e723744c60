import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Notifications of our server that wait until the link has room, in their order.
///
/// Each value has room for ``capacity`` of them. One more takes the place of the oldest, which is dropped: a subscriber
/// that is too slow misses old values, and keeps nobody else waiting.
final class ATTNotificationQueue {
    typealias Completion = (Result<Void, RadioError>) -> Void

    struct Item {
        /// The value; 0 for several in one packet.
        var handle: UInt16
        var packet: [UInt8]
        var completion: Completion
    }

    /// How many notifications of one value may wait.
    static let capacity = 64
    /// What a dropped notification ends with.
    static let overflow = RadioError.limit(
        "\(capacity) newer values wait for this subscriber already: the oldest was dropped")

    private var items: Deque<Item> = []
    private var waiting: [UInt16: Int] = [:]
    /// How many wait; a plain value, for every notification asks.
    private(set) var count = 0
    /// How many were dropped.
    private(set) var dropped = 0

    var isEmpty: Bool { count == 0 }

    /// How many more notifications of a value fit.
    func room(for handle: UInt16) -> Int { Self.capacity - (waiting[handle] ?? 0) }

    /// The room for the value that has least.
    var leastRoom: Int { Self.capacity - (waiting.values.max() ?? 0) }

    /// Adds a notification. Returns the completion of the one that made room for it, if any.
    func append(_ item: Item) -> Completion? {
        var overflowing: Completion?
        if room(for: item.handle) <= 0, let oldest = items.firstIndex(where: { $0.handle == item.handle }) {
            overflowing = items.remove(at: oldest).completion
            dropped += 1
        } else {
            waiting[item.handle, default: 0] += 1
            count += 1
        }
        items.append(item)
        return overflowing
    }

    func popFirst() -> Item? {
        guard count > 0, let item = items.popFirst() else { return nil }
        count -= 1
        let left = (waiting[item.handle] ?? 1) - 1
        waiting[item.handle] = left == 0 ? nil : left
        return item
    }

    func removeAll() -> Deque<Item> {
        defer {
            items = []
            waiting = [:]
            count = 0
        }
        return items
    }
}
