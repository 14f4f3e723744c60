import BluetoothModel

/// Remembers reported advertisements, so that each is reported once (Core 6.0, Vol 6, Part B, 4.4.3.5).
///
/// Legacy advertising is identified by its address, whatever its data; extended advertising by address, set identifier
/// and data identifier.
struct ControllerDuplicateFilter {
    private struct Key: Hashable {
        var advertiser: UInt64
        var dataID: UInt16
    }

    /// The maximum number of remembered advertisements. Beyond it the filter is cleared and some advertisements are
    /// reported twice.
    static let capacity = 8192

    private var seen: Set<Key> = []

    /// Records an advertisement and returns true if it is new. A resolved device stays the same when its private
    /// address changes.
    mutating func isNew(_ set: ControllerAdvertisingSet, from peer: PeerAddress, isResponse: Bool) -> Bool {
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
