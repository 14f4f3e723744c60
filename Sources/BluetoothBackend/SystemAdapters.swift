import BluetoothModel
import BluetoothRuntime

/// Access to the adapters of the operating system's Bluetooth service: BlueZ on Linux.
///
/// The caller passes it when it opens an adapter, so that backends do not depend on each other.
package protocol SystemAdapters: Sendable {
    /// Opens the adapter with this name (`hci0`), or, without a name, the first usable one.
    ///
    /// Without a name the result is nil if the service does not run or has no adapter. A named adapter that is missing
    /// or switched off is still opened; its state gives the reason.
    /// - Throws: ``RadioError`` if the service cannot be used.
    func open(
        _ name: String?, uri: String, on loop: RadioLoop
    ) async throws(RadioError) -> LoopBound<any RadioBackend>?
}
