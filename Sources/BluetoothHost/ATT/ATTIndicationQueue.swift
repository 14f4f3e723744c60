import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Indications of our server: one on the air, the others behind it (Core 6.0, Vol 3, Part F, 3.3.3).
struct ATTIndicationQueue {
    struct Item {
        var id: ATTOperationID
        var packet: [UInt8]
        var completion: (Result<Void, RadioError>) -> Void
    }

    /// What happens on the air.
    enum State {
        case idle
        /// The completion of the one that is to be confirmed; nil when its sender gave up.
        case unconfirmed(ATTOperationID, ((Result<Void, RadioError>) -> Void)?)
    }

    /// How many may wait behind the one on the air.
    static let capacity = 64

    var state = State.idle
    private var items: Deque<Item> = []

    var isFull: Bool { items.count >= Self.capacity }
    /// Whether nothing waits, on the air or behind it.
    var isEmpty: Bool {
        if case .idle = state { items.isEmpty } else { false }
    }
    /// How many more may wait.
    var room: Int { Self.capacity - items.count }
    /// Whether one waits and none is on the air.
    var hasNext: Bool {
        if case .idle = state { !items.isEmpty } else { false }
    }

    mutating func append(_ item: Item) { items.append(item) }

    /// The next to send, if nothing is on the air.
    mutating func next() -> Item? {
        guard case .idle = state, let item = items.popFirst() else { return nil }
        state = .unconfirmed(item.id, item.completion)
        return item
    }

    /// The confirmation arrived: the completion to call. Nil when nobody asked for a confirmation.
    mutating func confirm() -> (((Result<Void, RadioError>) -> Void)?)? {
        guard case .unconfirmed(_, let completion) = state else { return nil }
        state = .idle
        return .some(completion)
    }

    /// Takes the completion away from an indication; the one on the air keeps its place.
    mutating func abandon(_ id: ATTOperationID) -> ((Result<Void, RadioError>) -> Void)? {
        if case .unconfirmed(id, let completion) = state {
            state = .unconfirmed(id, nil)
            return completion
        }
        guard let index = items.firstIndex(where: { $0.id == id }) else { return nil }
        return items.remove(at: index).completion
    }

    mutating func removeAll() -> [(Result<Void, RadioError>) -> Void] {
        var completions: [(Result<Void, RadioError>) -> Void] = []
        if case .unconfirmed(_, .some(let completion)) = state { completions.append(completion) }
        completions += items.map(\.completion)
        state = .idle
        items = []
        return completions
    }
}
