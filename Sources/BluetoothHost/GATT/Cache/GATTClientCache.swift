import BluetoothModel

/// The known attributes of the server on this link, and the store that keeps them for the next one.
///
/// An entry is stored only if it can be validated later: by the Database Hash, or for a bonded peer by Service Changed
/// indications (Core 6.0, Vol 3, Part G, 2.5.2).
struct GATTClientCache {
    private(set) var entry = GATTCacheEntry()
    /// Incremented whenever the known attributes become invalid, so that a discovery that began earlier is not
    /// recorded.
    private(set) var generation = 0
    private var store: (any GATTCacheStore)?
    private var peer: PeripheralID?
    private var isBonded = false
    /// True while the server may have changed its attributes without a report since the hash was read. Attributes that
    /// are discovered meanwhile are stored once the hash was read again (``confirm(reportsChanges:)``).
    var isProvisional = false
    /// The number of results that wait for the hash.
    private(set) var unstoredCount = 0

    /// Loads the stored entry of `peer` if it is still valid; `hash` is the server's current Database Hash.
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
        // The entry was discovered on this link before the hash was read, so it may be outdated.
        if !entry.isEmpty { generation += 1 }
        entry = GATTCacheEntry(hash: hash)
    }

    /// Stores the results that wait for the hash: it was read again, and is the same.
    /// - Parameter reportsChanges: true if the server has reported all changes since the hash was read.
    mutating func confirm(reportsChanges: Bool) {
        if reportsChanges { isProvisional = false }
        guard unstoredCount > 0 else { return }
        unstoredCount = 0
        if let store, let peer { store.store(entry, for: peer) }
    }

    /// Records the results of a discovery, unless the attributes became invalid after it began.
    mutating func record(_ generation: Int, _ change: (inout GATTCacheEntry) -> Void) {
        guard generation == self.generation else { return }
        change(&entry)
        keep()
    }

    /// Sets the server's new hash and discards attributes that belong to another one.
    mutating func setHash(_ hash: [UInt8]?) {
        guard hash != entry.hash else { return }
        if !entry.isEmpty { generation += 1 }
        entry = GATTCacheEntry(hash: hash)
        unstoredCount = 0
    }

    /// Discards all attributes, here and in the store.
    mutating func invalidate() {
        generation += 1
        entry = GATTCacheEntry()
        unstoredCount = 0
        if let store, let peer { store.remove(for: peer) }
    }

    /// True if entries are stored.
    var isKept: Bool { store != nil && peer != nil }

    private mutating func keep() {
        guard let store, let peer, entry.hash != nil || isBonded && entry.hasServiceChanged else { return }
        guard !isProvisional || entry.hash == nil else { return unstoredCount += 1 }
        store.store(entry, for: peer)
    }
}
