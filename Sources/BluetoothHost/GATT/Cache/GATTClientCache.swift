import BluetoothModel

/// What our client knows of the server on this link, and where that is kept for the next one.
///
/// Kept is only what can be trusted next time: with the Database Hash, or, for a bonded peer, with its promise to tell
/// of changes (Core 6.0, Vol 3, Part G, 2.5.2).
struct GATTClientCache {
    private(set) var entry = GATTCacheEntry()
    /// Goes up whenever what was known becomes worthless, so that a discovery that began before is not recorded.
    private(set) var generation = 0
    private var store: (any GATTCacheStore)?
    private var peer: PeripheralID?
    private var isBonded = false

    /// Takes over what is kept of `peer`, if it is still true; `hash` is the one that the server has now.
    mutating func load(from store: any GATTCacheStore, peer: PeripheralID, isBonded: Bool, hash: [UInt8]?) {
        self.store = store
        self.peer = peer
        self.isBonded = isBonded
        if let kept = store.entry(for: peer) {
            if hash != nil ? kept.hash == hash : kept.hash == nil && isBonded && kept.hasServiceChanged {
                entry = kept
                return
            }
            store.remove(for: peer)
        }
        // Discovered on this link before the hash was known: it may be older than the hash.
        if !entry.isEmpty { generation += 1 }
        entry = GATTCacheEntry(hash: hash)
    }

    /// Adds what a discovery found, unless the server changed since it began.
    mutating func record(_ generation: Int, _ change: (inout GATTCacheEntry) -> Void) {
        guard generation == self.generation else { return }
        change(&entry)
        keep()
    }

    /// The server has another hash now; what was discovered before belongs to the old one.
    mutating func setHash(_ hash: [UInt8]?) {
        guard hash != entry.hash else { return }
        if !entry.isEmpty { generation += 1 }
        entry = GATTCacheEntry(hash: hash)
    }

    /// Forgets everything, here and in the store.
    mutating func invalidate() {
        generation += 1
        entry = GATTCacheEntry()
        if let store, let peer { store.remove(for: peer) }
    }

    /// Whether there is a store.
    var isKept: Bool { store != nil && peer != nil }

    private func keep() {
        guard let store, let peer, entry.hash != nil || isBonded && entry.hasServiceChanged else { return }
        store.store(entry, for: peer)
    }
}
