import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Commands that wait until the link has room: nothing is lost, and nothing grows without bound.
final class ATTOutbox {
    struct Item {
        var operation: ATTOperation
        var packet: [UInt8]
        var completion: (Result<Void, RadioError>) -> Void
    }

    /// How many packets may wait.
    static let capacity = 256

    private var items: Deque<Item> = []
    /// How many wait; a plain value, for every packet asks.
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

    func remove(_ id: ATTOperationID) -> Item? {
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

    /// The operations that wait.
    var operations: [ATTOperationID] { items.map(\.operation.id) }

    /// The operations whose caller has waited enough.
    func expired(at now: RadioInstant) -> [ATTOperationID] {
        items.filter { $0.operation.deadline.map { $0 <= now } ?? false }.map(\.operation.id)
    }

    var earliestDeadline: RadioInstant? { items.compactMap(\.operation.deadline).min() }
}
