import BluetoothBackend
import BluetoothModel

/// The bonds in a store, without an adapter: to list them and to forget them.
///
/// A program that has the adapter open sees what is forgotten here before its next connection.
public struct StoredBonds {
    private let store: BondFileStore
    private let devices: KnownDeviceStore

    /// The bonds that adapters opened with this storage have; those of the user for `automatic`.
    ///
    /// - Throws: what is wrong with the file.
    public init(_ storage: AdapterOptions.Storage = .automatic) throws(RadioError) {
        let directory = storage.directory(isVirtual: false)
        store = BondFileStore(directory)
        devices = KnownDeviceStore(directory)
        if let failure = store.failure { throw failure }
    }

    /// The devices that keys are shared with, in the order of pairing.
    public var bonds: [BondedPeripheral] { store.listed(devices) }

    /// The devices that were connected to in earlier runs.
    package var knownDevices: [(name: String?, address: BluetoothAddress?)] {
        devices.devices.values.map { ($0.name, $0.address) }
    }

    /// The static random address that goes with the store, for adapters that are made anew in each run, such as those
    /// of a virtual air: bonds belong to an address. The store is made where it is missing.
    ///
    /// - Parameter role: programs that run side by side on one store have a role each.
    public func ownAddress(for role: String) throws(RadioError) -> BluetoothAddress {
        try store.keepIdentityKey()
        return .staticRandom(with: store.identityKey, for: role)
    }

    /// Forgets the keys shared with all devices, also where the file with them cannot be read.
    ///
    /// - Throws: what keeps the file from being written.
    public static func forgetAll(in storage: AdapterOptions.Storage) throws(RadioError) {
        try BondFileStore(storage.directory(isVirtual: false)).reset()
    }

    /// Forgets the keys shared with a device; false where there were none.
    @discardableResult
    public func forget(_ peripheral: PeripheralID) throws(RadioError) -> Bool {
        guard let address = peripheral.address, store.bonds.contains(where: { $0.peerAddress == address }) else {
            return false
        }
        try store.forget { $0.peerAddress == address }
        return true
    }
}

extension BondFileStore {
    /// The bonds as they are listed.
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
