import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Notifications of the local server that are queued until the link has room, in order.
///
/// Each value has a limit of ``capacity`` notifications. One more replaces the oldest, which is dropped: a slow
/// subscriber misses old values and does not delay others.
final class ATTNotificationQueue {
    typealias Completion = (Result<Void, RadioError>) -> Void

    struct Item {
        /// The value handle; 0 for a packet with several values.
        var handle: UInt16
        var packet: [UInt8]
        var completion: Completion
    }

    /// The maximum number of queued notifications of one value.
    static let capacity = 64
    /// The error with which a dropped notification completes.
    static let overflow = RadioError.limit(
        "\(capacity) newer values are already queued for this subscriber, so the oldest was dropped")

    private var items: Deque<Item> = []
    private var waiting: [UInt16: Int] = [:]
    /// The number of queued notifications. A separate integer because every notification reads it.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Returns the number of notifications of a value that still fit.
    func room(for handle: UInt16) -> Int { Self.capacity - (waiting[handle] ?? 0) }

    /// The remaining room of the value that has the least.
    var leastRoom: Int { Self.capacity - (waiting.values.max() ?? 0) }

    /// Appends a notification. Returns the completion of the notification that it replaced, if any.
    func append(_ item: Item) -> Completion? {
        var overflowing: Completion?
        if room(for: item.handle) <= 0, let oldest = items.firstIndex(where: { $0.handle == item.handle }) {
            overflowing = items.remove(at: oldest).completion
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
