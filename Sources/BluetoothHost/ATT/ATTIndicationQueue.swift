import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Indications of the local server: one in flight, the others queued behind it (Core 6.0, Vol 3, Part F, 3.3.3).
struct ATTIndicationQueue {
    struct Item {
        var id: LinkOperationID
        var packet: [UInt8]
        /// True if the indication may use the controller's reserved buffers, as responses do.
        var usesReserve: Bool
        var completion: (Result<Void, RadioError>) -> Void
    }

    /// The state of the indication in flight.
    enum State {
        case idle
        /// An indication awaits its confirmation. The completion is nil if its sender abandoned it.
        case unconfirmed(LinkOperationID, ((Result<Void, RadioError>) -> Void)?)
    }

    /// The maximum number of indications queued behind the one in flight.
    static let capacity = 64

    var state = State.idle
    private var items: Deque<Item> = []

    var isFull: Bool { items.count >= Self.capacity }
    /// True if no indication is in flight or queued.
    var isEmpty: Bool {
        if case .idle = state { items.isEmpty } else { false }
    }
    /// The number of further indications that can be queued.
    var room: Int { Self.capacity - items.count }
    /// True if an indication is queued and none is in flight.
    var hasNext: Bool {
        if case .idle = state { !items.isEmpty } else { false }
    }

    /// True if the next indication may use the controller's reserved buffers.
    var nextUsesReserve: Bool { items.first?.usesReserve ?? false }

    mutating func append(_ item: Item) { items.append(item) }

    /// Removes and returns the next indication to send; nil while one is in flight.
    mutating func next() -> Item? {
        guard case .idle = state, let item = items.popFirst() else { return nil }
        state = .unconfirmed(item.id, item.completion)
        return item
    }

    /// Ends the indication in flight and returns its completion, which is nil if it was abandoned. Returns nil if no
    /// indication awaits a confirmation.
    mutating func confirm() -> (((Result<Void, RadioError>) -> Void)?)? {
        guard case .unconfirmed(_, let completion) = state else { return nil }
        state = .idle
        return .some(completion)
    }

    /// Removes an indication and returns its completion. The one in flight keeps its slot and only loses its
    /// completion.
    mutating func abandon(_ id: LinkOperationID) -> ((Result<Void, RadioError>) -> Void)? {
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
