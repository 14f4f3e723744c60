import BluetoothModel

/// Stores bonds persistently; confined to the loop.
///
/// The searches have default implementations that use ``bonds``; a store with many bonds can implement faster ones.
package protocol BondStore: AnyObject {
    /// All bonds.
    var bonds: [Bond] { get }
    /// Stores a bond, and replaces an existing one between the same two devices.
    ///
    /// - Throws: The error that prevented the bond from being written. The bond is then lost when the program ends.
    func save(_ bond: Bond) throws(RadioError)
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
    /// All bonds, in the order in which they were first saved.
    package private(set) var bonds: [Bond]

    /// Creates a store with existing bonds.
    package init(_ bonds: [Bond] = []) { self.bonds = bonds }

    /// Stores a bond. Never throws.
    package func save(_ bond: Bond) {
        if let index = bonds.firstIndex(where: bond.hasSameSides) { bonds[index] = bond } else { bonds.append(bond) }
    }

    /// Removes the bond between two devices, if there is one.
    package func remove(local: BluetoothAddress, peer: BluetoothAddress) {
        bonds.removeAll { $0.localAddress == local && $0.peerAddress == peer }
    }
}
