import Adapters
import BluetoothBackend

/// The stored bonds, accessed without an adapter: to list them and to forget them.
///
/// A program that has the adapter open takes a removal into account before its next connection.
public enum SavedBonds {
    /// Returns the bonded devices.
    /// - Parameter storage: the store; `automatic` is the user's data directory.
    /// - Throws: ``BluetoothError`` if the file cannot be read, is damaged, or is of a newer version.
    public static func all(
        in storage: AdapterOptions.Storage = .automatic
    ) throws(BluetoothError) -> [BondedPeripheral] {
        do throws(RadioError) {
            return try StoredBonds(storage).bonds
        } catch {
            throw BluetoothError(error, "read the bonds")
        }
    }

    /// Returns the static random address that belongs to the stored keys, for ``AdapterOptions/address``. Bonds belong
    /// to an address, and a controller that is created in each run, such as one of an air behind a socket, has another
    /// address each time.
    /// - Parameters:
    ///   - role: the role of the program; programs that run side by side with the same keys need distinct ones.
    ///   - storage: the store; it is created if it is missing.
    /// - Throws: ``BluetoothError`` if the store cannot be read or written.
    public static func ownAddress(
        for role: String, in storage: AdapterOptions.Storage
    ) throws(BluetoothError) -> BluetoothAddress {
        do throws(RadioError) {
            return try StoredBonds(storage).ownAddress(for: role)
        } catch {
            throw BluetoothError(error, "create a persistent address")
        }
    }

    /// Forgets all bonds, and renews the identity resolving key of our own private addresses, which the bonded devices
    /// have: adapters use the new one when they are opened the next time. A file of bonds that is damaged, or of a
    /// newer version, is replaced: an adapter with such a file cannot be opened.
    /// - Throws: ``BluetoothError`` if the file cannot be written.
    public static func forgetAll(in storage: AdapterOptions.Storage = .automatic) throws(BluetoothError) {
        do throws(RadioError) {
            try StoredBonds.forgetAll(in: storage)
        } catch {
            throw BluetoothError(error, "delete all bonds")
        }
    }

    /// Returns the devices that were connected to in earlier runs, including those without a bond.
    /// - Throws: ``BluetoothError`` if the store cannot be read.
    package static func knownDevices(
        in storage: AdapterOptions.Storage = .automatic
    ) throws(BluetoothError) -> [(name: String?, address: BluetoothAddress?)] {
        do throws(RadioError) {
            return try StoredBonds(storage).knownDevices
        } catch {
            throw BluetoothError(error, "read the known devices")
        }
    }

    /// Forgets the bond with a device.
    /// - Returns: true if there was a bond.
    /// - Throws: ``BluetoothError`` if the file cannot be read or written.
    @discardableResult
    public static func forget(
        _ id: PeripheralID, in storage: AdapterOptions.Storage = .automatic
    ) throws(BluetoothError) -> Bool {
        do throws(RadioError) {
            return try StoredBonds(storage).forget(id)
        } catch {
            throw BluetoothError(error, "delete a bond")
        }
    }
}
