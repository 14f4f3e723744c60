import BluetoothModel

/// Remembers what was reported, so that it is reported once (Core 6.0, Vol 6, Part B, 4.4.3.5).
///
/// Legacy advertising is known by its address, whatever its data; extended advertising by address, set and the
/// identifier that changes with its data.
struct DuplicateFilter {
    private struct Key: Hashable {
        var advertiser: UInt64
        var dataID: UInt16
    }

    /// What is remembered at once; beyond it the filter starts anew and reports some advertisements twice.
    static let capacity = 8192

    private var seen: Set<Key> = []

    /// Whether this is the first time. A device that the controller knows is the same with another private address.
    mutating func isNew(_ set: AdvertisingSet, from peer: PeerAddress, isResponse: Bool) -> Bool {
        var advertiser = set.traits.isAnonymous ? 0 : peer.address.value
        advertiser |= UInt64(peer.address.kind.rawValue) << 48 | (isResponse ? 1 << 49 : 0)
        if peer.identity != nil { advertiser |= 1 << 55 }
        var dataID: UInt16 = 0
        if !set.isLegacy {
            advertiser |= 1 << 50 | UInt64(set.parameters.sid) << 51
            dataID = set.dataID
        }
        if seen.count >= Self.capacity { seen.removeAll(keepingCapacity: true) }
        return seen.insert(Key(advertiser: advertiser, dataID: dataID)).inserted
    }

    mutating func removeAll() { seen.removeAll(keepingCapacity: true) }
}
