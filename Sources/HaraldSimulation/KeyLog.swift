import BluetoothModel

/// The keys with which a host encrypted its links, as its commands to the controller contain them, and those that its
/// program has forgotten since.
struct KeyLog {
    typealias Key = [UInt8]

    /// The address of the peer of each link.
    private var peers: [UInt16: BluetoothAddress] = [:]
    private var used: [BluetoothAddress: Set<Key>] = [:]
    private var forgotten: Set<Key> = []
    /// The first use of a forgotten key.
    private(set) var violation: String?

    /// Records a packet between the host and its controller.
    mutating func note(_ bytes: [UInt8], isFromHost: Bool) {
        if isFromHost {
            // LE Enable Encryption, and LE Long Term Key Request Reply (Core 6.0, Vol 4, Part E, 7.8.24 and 7.8.25)
            guard bytes.count > 20, bytes[0] == 1, bytes[2] == 0x20, [0x19, 0x1A].contains(bytes[1]) else { return }
            use(Key(bytes.suffix(16)), on: Self.handle(bytes, at: 4))
        } else if bytes.count > 15, bytes[0] == 4, bytes[1] == 0x3E, [0x01, 0x0A, 0x29].contains(bytes[3]),
            bytes[4] == 0
        {
            // LE Connection Complete, in its three kinds (7.7.65.1)
            let value = bytes[9..<15].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let isPublic = bytes[8] == 0 || bytes[8] == 2
            peers[Self.handle(bytes, at: 5)] = BluetoothAddress(value: value, kind: isPublic ? .public : .random)
        }
    }

    private static func handle(_ bytes: [UInt8], at place: Int) -> UInt16 {
        UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
    }

    private mutating func use(_ key: Key, on link: UInt16) {
        guard let peer = peers[link] else { return }
        if forgotten.contains(key) { violation = violation ?? "uses a forgotten key on the link to \(peer)" }
        used[peer, default: []].insert(key)
    }

    /// The keys used with a peer, or with all peers.
    func keys(of peer: BluetoothAddress?) -> Set<Key> {
        guard let peer else { return used.values.reduce(into: []) { $0.formUnion($1) } }
        return used[peer] ?? []
    }

    /// Records that the host has forgotten keys, which it must not use any more.
    mutating func forget(_ keys: Set<Key>) { forgotten.formUnion(keys) }
}
