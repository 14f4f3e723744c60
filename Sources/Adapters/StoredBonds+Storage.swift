import BluetoothModel
import HostBackend

/// The stored bonds, which the front doors list and forget without an adapter.
package typealias StoredBonds = HostBackend.StoredBonds

extension StoredBonds {
    /// Opens the bonds of adapters with this storage; those of the user for `automatic`.
    ///
    /// - Throws: ``RadioError`` if the file cannot be read, is damaged, or is of a newer version.
    package init(_ storage: AdapterOptions.Storage = .automatic) throws(RadioError) {
        try self.init(directory: storage.directory(isVirtual: false))
    }

    /// Forgets all bonds, also where their file cannot be read.
    ///
    /// - Throws: ``RadioError`` if the file cannot be written.
    package static func forgetAll(in storage: AdapterOptions.Storage) throws(RadioError) {
        try forgetAll(inDirectory: storage.directory(isVirtual: false))
    }
}
