import BluetoothModel

/// Stores discovered attributes between connections; confined to the loop.
package protocol GATTCacheStore: AnyObject {
    /// Returns the stored attributes of a peer.
    func entry(for peer: PeripheralID) -> GATTCacheEntry?
    /// Stores the attributes of a peer, and replaces earlier ones.
    func store(_ entry: GATTCacheEntry, for peer: PeripheralID)
    /// Removes the attributes of a peer.
    func remove(for peer: PeripheralID)
}

/// Stores the attributes of a limited number of peers in memory; the least recently stored ones are removed.
package final class InMemoryGATTCacheStore: GATTCacheStore {
    private let capacity: Int
    private var entries: [PeripheralID: GATTCacheEntry] = [:]
    /// The peers, least recently stored first.
    private var order: [PeripheralID] = []

    /// Creates a store for at most `capacity` peers.
    package init(capacity: Int = 256) { self.capacity = max(1, capacity) }

    /// Returns the stored attributes of a peer.
    package func entry(for peer: PeripheralID) -> GATTCacheEntry? { entries[peer] }

    /// Stores the attributes of a peer; if the store is full, the least recently stored peer is removed.
    package func store(_ entry: GATTCacheEntry, for peer: PeripheralID) {
        if entries.updateValue(entry, forKey: peer) != nil {
            order.removeAll { $0 == peer }
        } else if order.count >= capacity {
            entries[order.removeFirst()] = nil
        }
        order.append(peer)
    }

    /// Removes the attributes of a peer.
    package func remove(for peer: PeripheralID) {
        entries[peer] = nil
        order.removeAll { $0 == peer }
    }
}
