import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Commands and notifications that wait until the link has room: nothing is lost, and nothing grows without bound.
struct ATTOutbox {
    struct Item {
        var operation: ATTOperation
        var packet: [UInt8]
        var completion: (Result<Void, RadioError>) -> Void
    }

    /// How many packets may wait.
    static let capacity = 256

    private var items: Deque<Item> = []

    var isEmpty: Bool { items.isEmpty }
    var isFull: Bool { items.count >= Self.capacity }

    mutating func append(_ item: Item) { items.append(item) }
    mutating func popFirst() -> Item? { items.popFirst() }

    mutating func remove(_ id: ATTOperationID) -> Item? {
        guard let index = items.firstIndex(where: { $0.operation.id == id }) else { return nil }
        return items.remove(at: index)
    }

    mutating func removeAll() -> Deque<Item> {
        defer { items = [] }
        return items
    }

    /// The operations whose caller has waited enough.
    func expired(at now: RadioInstant) -> [ATTOperationID] {
        items.filter { $0.operation.deadline.map { $0 <= now } ?? false }.map(\.operation.id)
    }

    var earliestDeadline: RadioInstant? { items.compactMap(\.operation.deadline).min() }
}
