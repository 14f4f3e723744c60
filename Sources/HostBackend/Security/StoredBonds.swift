import BluetoothBackend
import BluetoothModel

/// The bonds in a store, accessed without an adapter: to list them and to forget them.
///
/// A program that has the adapter open takes a removal into account before its next connection.
package struct StoredBonds {
    private let store: BondFileStore
    private let devices: KnownDeviceStore
    private let directory: String?

    /// Opens the bonds in a directory; none are stored without one.
    ///
    /// - Throws: ``RadioError`` if the file cannot be read, is damaged, or is of a newer version.
    package init(directory: String?) throws(RadioError) {
        self.directory = directory
        store = BondFileStore(directory)
        devices = KnownDeviceStore(directory)
        if let failure = store.failure { throw failure }
    }

    /// The bonded devices, in the order of pairing.
    package var bonds: [BondedPeripheral] { store.listed(devices) }

    /// The devices that were connected to in earlier runs.
    package var knownDevices: [(name: String?, address: BluetoothAddress?)] {
        devices.devices.values.map { ($0.name, $0.address) }
    }

    /// Returns the static random address that belongs to the store, for adapters that are created in each run, such as
    /// those of a virtual air: bonds belong to an address. The store is created if it is missing.
    ///
    /// - Parameter role: the role of the program; programs that run side by side on one store need distinct ones.
    /// - Throws: ``RadioError`` if the store cannot be written.
    package func ownAddress(for role: String) throws(RadioError) -> BluetoothAddress {
        try store.keepIdentityKey()
        return .staticRandom(with: store.identityKey, for: role)
    }

    /// Forgets all bonds, also where their file cannot be read, and renews the local identity resolving key.
    ///
    /// - Throws: ``RadioError`` if the file cannot be written.
    package static func forgetAll(inDirectory directory: String?) throws(RadioError) {
        try BondFileStore(directory).reset()
    }

    /// Forgets the bond with a device; returns false if there was none.
    /// - Throws: ``RadioError`` if the file cannot be written.
    @discardableResult
    package func forget(_ peripheral: PeripheralID) throws(RadioError) -> Bool {
        guard let address = peripheral.address, store.bonds.contains(where: { $0.peerAddress == address }) else {
            return false
        }
        try store.forget { $0.peerAddress == address }
        BondedCacheStore(directory).remove(for: peripheral)
        return true
    }
}

extension BondFileStore {
    /// Returns the bonds as they are listed.
    func listed(_ devices: KnownDeviceStore) -> [BondedPeripheral] {
        bonds.map { bond in
            let id = PeripheralID(bond.peerAddress)
            return BondedPeripheral(
                id: id, address: bond.peerAddress, name: devices.devices[id]?.name, level: bond.strength.level,
                isSecureConnections: bond.strength.isSecureConnections, keySize: bond.strength.keySize,
                localAddress: bond.localAddress)
        }
    }
}
