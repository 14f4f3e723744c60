import BluetoothModel
import BluetoothRuntime

/// The adapters of the operating system's own Bluetooth service, which a backend accesses: BlueZ on Linux.
///
/// The caller passes it when it opens an adapter, so that the backends need not depend on each other.
package protocol SystemAdapters: Sendable {
    /// Opens the adapter with this name (`hci0`), or, without a name, the first that can be used.
    ///
    /// Without a name the result is nil where the service does not run or has no adapter. A named adapter that is
    /// missing or switched off is opened all the same, and its state tells why.
    /// - Throws: ``RadioError`` where the service cannot be used.
    func open(
        _ name: String?, uri: String, on loop: RadioLoop
    ) async throws(RadioError) -> LoopBound<any RadioBackend>?
}
