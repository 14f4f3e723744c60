import BluetoothModel

/// Caches the identities of private addresses, so that each advertisement does not require a decryption for every bond.
struct IdentityCache {
    private static let capacity = 256
    /// The identities by private address; the value nil marks an address that no bond resolves.
    private var known: [BluetoothAddress: BluetoothAddress?] = [:]

    mutating func identity(behind address: BluetoothAddress, _ bonds: any BondStore) -> BluetoothAddress? {
        if let known = known[address] { return known }
        // Private addresses typically change every 15 minutes, so all entries become outdated soon.
        if known.count >= Self.capacity { known = [:] }
        let identity = bonds.identity(behind: address)
        known[address] = .some(identity)
        return identity
    }

    /// Discards all entries after the bonds have changed.
    mutating func removeAll() { known = [:] }
}
