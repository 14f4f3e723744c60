import BluetoothModel

/// Peers with their identity resolving keys, as the host gave them (Core 6.0, Vol 6, Part B, 6).
struct ResolvingList {
    struct Entry {
        var peer: BluetoothAddress
        var peerKey: [UInt8]
        var localKey: [UInt8]
        var usesDevicePrivacy = false
    }

    enum Refusal {
        case full
        case known
    }

    private let capacity: Int
    private(set) var entries: [Entry] = []
    var isResolving = false
    /// How long a resolvable private address is used, in seconds.
    var timeout: UInt16 = 900

    init(capacity: Int) { self.capacity = capacity }

    func contains(_ peer: BluetoothAddress) -> Bool { entries.contains { $0.peer == peer } }

    mutating func insert(_ entry: Entry) -> Refusal? {
        guard !contains(entry.peer) else { return .known }
        guard entries.count < capacity else { return .full }
        entries.append(entry)
        return nil
    }

    /// False where the peer is not in the list.
    mutating func remove(_ peer: BluetoothAddress) -> Bool {
        guard let index = entries.firstIndex(where: { $0.peer == peer }) else { return false }
        entries.remove(at: index)
        return true
    }

    mutating func removeAll() { entries.removeAll() }

    /// False where the peer is not in the list.
    mutating func setDevicePrivacy(_ isOn: Bool, for peer: BluetoothAddress) -> Bool {
        guard let index = entries.firstIndex(where: { $0.peer == peer }) else { return false }
        entries[index].usesDevicePrivacy = isOn
        return true
    }
}
