import BluetoothBackend
import HostBackend

@_exported import struct BluetoothBackend.BondedPeripheral
@_exported import enum BluetoothBackend.PairingCapability

/// The bonds that are kept on the disk, without an adapter: to list them and to forget them.
///
/// A program that has the adapter open knows what was forgotten here before it connects the next time.
public enum SavedBonds {
    /// The devices that keys are shared with.
    /// - Parameter storage: where; for `automatic` the user's data directory.
    public static func all(
        in storage: AdapterOptions.Storage = .automatic
    ) throws(BluetoothError) -> [BondedPeripheral] {
        do throws(RadioError) {
            return try StoredBonds(storage).bonds
        } catch {
            throw BluetoothError(error, "read the bonds")
        }
    }

    /// The static random address that goes with the keys, for ``AdapterOptions/address``: bonds belong to an address, and
    /// a controller that is made anew in each run, such as one of an air behind a socket, has another one each time.
    /// - Parameters:
    ///   - role: programs that run side by side with the same keys have a role each.
    ///   - storage: where the keys are; it is made where it is missing.
    public static func ownAddress(
        for role: String, in storage: AdapterOptions.Storage
    ) throws(BluetoothError) -> BluetoothAddress {
        do throws(RadioError) {
            return try StoredBonds(storage).ownAddress(for: role)
        } catch {
            throw BluetoothError(error, "make an address that stays")
        }
    }

    /// Forgets the keys shared with all devices. A file of bonds that is damaged, or of a newer version, is replaced:
    /// an adapter with such a file cannot be opened.
    /// - Throws: ``BluetoothError`` with what keeps the file from being written.
    public static func forgetAll(in storage: AdapterOptions.Storage = .automatic) throws(BluetoothError) {
        do throws(RadioError) {
            try StoredBonds.forgetAll(in: storage)
        } catch {
            throw BluetoothError(error, "forget all bonds")
        }
    }

    /// The devices that were connected to in earlier runs, those without keys included.
    package static func knownDevices(
        in storage: AdapterOptions.Storage = .automatic
    ) throws(BluetoothError) -> [(name: String?, address: BluetoothAddress?)] {
        do throws(RadioError) {
            return try StoredBonds(storage).knownDevices
        } catch {
            throw BluetoothError(error, "read the known devices")
        }
    }

    /// Forgets the keys shared with a device.
    /// - Returns: whether there were keys.
    @discardableResult
    public static func forget(
        _ id: PeripheralID, in storage: AdapterOptions.Storage = .automatic
    ) throws(BluetoothError) -> Bool {
        do throws(RadioError) {
            return try StoredBonds(storage).forget(id)
        } catch {
            throw BluetoothError(error, "forget a bond")
        }
    }
}
