import BluetoothModel

/// Stores bonds persistently; confined to the loop.
///
/// The searches have default implementations that use ``bonds``; a store with many bonds can implement faster ones.
package protocol BondStore: AnyObject {
    /// All bonds.
    var bonds: [Bond] { get }
    /// Stores the bond of a pairing permanently, and replaces an existing one between the same two devices. If there
    /// are ``Bond/limit`` bonds, another one is removed.
    ///
    /// - Throws: The error that prevented the bond from being written, which is then lost when the program ends; or
    ///   that no other bond may be removed for it.
    func save(_ bond: Bond) throws(RadioError)
    /// Stores the values of a bond that change with its use: the state of the GATT client and the counters of
    /// signatures. They may be written later, but a counter never has a smaller value after a restart.
    ///
    /// - Throws: The error that prevented a counter from being written, or that there is no such bond any more.
    func update(_ bond: Bond) throws(RadioError)
    /// Removes the bond between two devices, if there is one.
    func remove(local: BluetoothAddress, peer: BluetoothAddress)
    /// Returns the bond of a local device with the peer that has this identity address.
    func bond(local: BluetoothAddress, peer: BluetoothAddress) -> Bond?
    /// Returns the identity address of the bonded device to which a resolvable private address belongs.
    func identity(behind address: BluetoothAddress) -> BluetoothAddress?
    /// Returns the bond of a local device whose `localKey` has these identifiers.
    func bond(local: BluetoothAddress, diversifier: UInt16, randomNumber: UInt64) -> Bond?
}

extension BondStore {
    /// Searches all bonds.
    package func bond(local: BluetoothAddress, peer: BluetoothAddress) -> Bond? {
        bonds.first { $0.localAddress == local && $0.peerAddress == peer }
    }

    /// Tries the identity resolving keys of all bonds.
    package func identity(behind address: BluetoothAddress) -> BluetoothAddress? {
        bonds.first { $0.peerIdentityKey.map { address.isResolved(by: $0) } ?? false }?.peerAddress
    }

    /// Searches all bonds.
    package func bond(local: BluetoothAddress, diversifier: UInt16, randomNumber: UInt64) -> Bond? {
        bonds.first { bond in
            guard bond.localAddress == local, let key = bond.localKey else { return false }
            return key.diversifier == diversifier && key.randomNumber == randomNumber
        }
    }

    /// Removes a bond.
    package func remove(_ bond: Bond) { remove(local: bond.localAddress, peer: bond.peerAddress) }
}

/// Stores bonds in memory, for the lifetime of the program.
package final class InMemoryBondStore: BondStore {
    /// All bonds, the least recently used first.
    package private(set) var bonds: [Bond]

    /// Creates a store with existing bonds.
    package init(_ bonds: [Bond] = []) { self.bonds = bonds }

    /// Stores a bond.
    /// - Throws: An error if the limit is reached and no other bond may be removed.
    package func save(_ bond: Bond) throws(RadioError) {
        if let victim = try bonds.victim(for: bond) { remove(victim) }
        remove(bond)
        bonds.append(bond)
    }

    /// Stores the values that change with use.
    /// - Throws: An error if there is no such bond any more.
    package func update(_ bond: Bond) throws(RadioError) {
        guard let known = self.bond(local: bond.localAddress, peer: bond.peerAddress), known.keys == bond.keys else {
            throw .noBond
        }
        remove(bond)
        bonds.append(bond)
    }

    /// Removes the bond between two devices, if there is one.
    package func remove(local: BluetoothAddress, peer: BluetoothAddress) {
        bonds.removeAll { $0.localAddress == local && $0.peerAddress == peer }
    }
}

extension Bond {
    /// The limit of stored bonds.
    package static let limit = 128
}

extension [Bond] {
    /// Returns the bond to remove for a new one, where this list has the least recently used bond first; nil if none
    /// has to be removed. It is the first unauthenticated bond. If there is none, it is the first authenticated one,
    /// but only for another authenticated one.
    /// - Throws: An error if the limit is reached and no bond may be removed.
    package func victim(for bond: Bond) throws(RadioError) -> Bond? {
        guard count >= Bond.limit, !contains(where: bond.hasSameSides) else { return nil }
        if let victim = first(where: { !$0.strength.isAuthenticated }) { return victim }
        guard bond.strength.isAuthenticated else {
            throw .limit("\(count) authenticated bonds exist, which an unauthenticated one does not replace")
        }
        return first
    }
}

extension RadioError {
    /// The bond was removed, or replaced by another pairing.
    package static var noBond: RadioError { .security(.init(.notPaired, "the bond does not exist any more")) }
}
