import BluetoothModel

/// Keeps bonds from one run of a program to the next; confined to the loop.
///
/// The searches have an answer made of ``bonds``; a store with many bonds may bring faster ones.
public protocol BondStore: AnyObject {
    /// Every bond.
    var bonds: [Bond] { get }
    /// Keeps a bond, instead of the one between the same two devices, if there is one.
    ///
    /// - Throws: what kept it from being written; it is gone with the program then.
    func save(_ bond: Bond) throws(RadioError)
    /// Forgets the bond between two devices, if there is one.
    func remove(local: BluetoothAddress, peer: BluetoothAddress)
    /// The bond of one of our devices with the one that has this identity address.
    func bond(local: BluetoothAddress, peer: BluetoothAddress) -> Bond?
    /// The identity address of the bonded device that a resolvable private address belongs to.
    func identity(behind address: BluetoothAddress) -> BluetoothAddress?
    /// The bond of one of our devices whose key the other side names so.
    func bond(local: BluetoothAddress, diversifier: UInt16, randomNumber: UInt64) -> Bond?
}

extension BondStore {
    /// Looks through all bonds.
    public func bond(local: BluetoothAddress, peer: BluetoothAddress) -> Bond? {
        bonds.first { $0.localAddress == local && $0.peerAddress == peer }
    }

    /// Tries every bond's key.
    public func identity(behind address: BluetoothAddress) -> BluetoothAddress? {
        bonds.first { $0.peerIdentityKey.map { address.isResolved(by: $0) } ?? false }?.peerAddress
    }

    /// Looks through all bonds.
    public func bond(local: BluetoothAddress, diversifier: UInt16, randomNumber: UInt64) -> Bond? {
        bonds.first { bond in
            guard bond.localAddress == local, let key = bond.localKey else { return false }
            return key.diversifier == diversifier && key.randomNumber == randomNumber
        }
    }

    /// Forgets a bond.
    public func remove(_ bond: Bond) { remove(local: bond.localAddress, peer: bond.peerAddress) }
}

/// Keeps bonds as long as the program runs.
public final class InMemoryBondStore: BondStore {
    /// Every bond, the one saved first in front.
    public private(set) var bonds: [Bond]

    /// A store with bonds from elsewhere.
    public init(_ bonds: [Bond] = []) { self.bonds = bonds }

    /// Keeps a bond; it never fails.
    public func save(_ bond: Bond) {
        if let index = bonds.firstIndex(where: bond.hasSameSides) { bonds[index] = bond } else { bonds.append(bond) }
    }

    /// Forgets a bond.
    public func remove(local: BluetoothAddress, peer: BluetoothAddress) {
        bonds.removeAll { $0.localAddress == local && $0.peerAddress == peer }
    }
}
