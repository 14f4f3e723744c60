import BluetoothModel

/// Remembers whose private addresses were seen, so that not every advertisement costs a decryption for each bond.
struct IdentityCache {
    private static let capacity = 256
    /// By the private address; nil in it for a stranger's.
    private var known: [BluetoothAddress: BluetoothAddress?] = [:]

    mutating func identity(behind address: BluetoothAddress, _ bonds: any BondStore) -> BluetoothAddress? {
        if let known = known[address] { return known }
        // Addresses change every quarter of an hour, so all of it is old soon.
        if known.count >= Self.capacity { known = [:] }
        let identity = bonds.identity(behind: address)
        known[address] = .some(identity)
        return identity
    }

    /// What was learned before a change of the bonds.
    mutating func removeAll() { known = [:] }
}
