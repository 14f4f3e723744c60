import BluetoothModel
import BluetoothRuntime

/// The adapters of the operating system's own Bluetooth service, which a backend reaches: BlueZ on Linux.
///
/// A front door brings it along when it opens an adapter, so that the backends need not know each other.
public protocol SystemAdapters: Sendable {
    /// Opens the adapter with this name (`hci0`), or, without a name, the first that can be used.
    ///
    /// Without a name the answer is nil where the service does not run or has no adapter. An adapter that was asked for
    /// by name and is missing or switched off is one whose state says so.
    func open(
        _ name: String?, uri: String, on loop: RadioLoop
    ) async throws(RadioError) -> LoopBound<any RadioBackend>?
}
