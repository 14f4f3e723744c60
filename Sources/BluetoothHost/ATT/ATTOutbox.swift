import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Commands that are queued until the link has room. The queue is bounded and drops nothing.
final class ATTOutbox {
    struct Item {
        var operation: ATTOperation
        var packet: [UInt8]
        var completion: (Result<Void, RadioError>) -> Void
    }

    /// The maximum number of queued packets.
    static let capacity = 256

    private var items: Deque<Item> = []
    /// The number of queued packets. A separate integer because every packet reads it.
    private var count = 0

    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count >= Self.capacity }

    func append(_ item: Item) {
        items.append(item)
        count += 1
    }

    func popFirst() -> Item? {
        guard count > 0 else { return nil }
        count -= 1
        return items.popFirst()
    }

    func remove(_ id: LinkOperationID) -> Item? {
        guard let index = items.firstIndex(where: { $0.operation.id == id }) else { return nil }
        count -= 1
        return items.remove(at: index)
    }

    func removeAll() -> Deque<Item> {
        defer {
            items = []
            count = 0
        }
        return items
    }

    /// The identifiers of the queued operations.
    var operations: [LinkOperationID] { items.map(\.operation.id) }

    /// Returns the operations whose deadline has passed.
    func expired(at now: RadioInstant) -> [LinkOperationID] {
        items.filter { $0.operation.deadline.map { $0 <= now } ?? false }.map(\.operation.id)
    }

    var earliestDeadline: RadioInstant? { items.compactMap(\.operation.deadline).min() }
}
