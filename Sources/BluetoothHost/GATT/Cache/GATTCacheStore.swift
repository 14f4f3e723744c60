import BluetoothModel

/// Keeps what was discovered, from one connection to the next; confined to the loop.
public protocol GATTCacheStore: AnyObject {
    /// What is known of a peer.
    func entry(for peer: PeripheralID) -> GATTCacheEntry?
    /// Keeps what is known of a peer, instead of what was kept before.
    func store(_ entry: GATTCacheEntry, for peer: PeripheralID)
    /// Forgets a peer.
    func remove(for peer: PeripheralID)
}

/// Keeps it as long as the program runs, for the peers used last.
public final class InMemoryGATTCacheStore: GATTCacheStore {
    private let capacity: Int
    private var entries: [PeripheralID: GATTCacheEntry] = [:]
    /// Least recently stored first.
    private var order: [PeripheralID] = []

    /// A store for at most `capacity` peers.
    public init(capacity: Int = 256) { self.capacity = max(1, capacity) }

    /// What is known of a peer.
    public func entry(for peer: PeripheralID) -> GATTCacheEntry? { entries[peer] }

    /// Keeps what is known of a peer; the one stored longest ago gives way when the store is full.
    public func store(_ entry: GATTCacheEntry, for peer: PeripheralID) {
        if entries.updateValue(entry, forKey: peer) != nil {
            order.removeAll { $0 == peer }
        } else if order.count >= capacity {
            entries[order.removeFirst()] = nil
        }
        order.append(peer)
    }

    /// Forgets a peer.
    public func remove(for peer: PeripheralID) {
        entries[peer] = nil
        order.removeAll { $0 == peer }
    }
}
