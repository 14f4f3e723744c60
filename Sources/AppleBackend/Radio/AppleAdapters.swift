import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// The adapter of the system's CoreBluetooth.
package struct AppleAdapters: SystemAdapters {
    /// The optional features of CoreBluetooth. It hides addresses and handles, offers no physical layers, no connection
    /// parameters and no choice between notifications and indications, pairs by itself, and has one identity.
    package static let capabilities: BackendCapabilities = [.channels, .peripheralRole]

    /// Creates access to the adapter.
    package init() {}

    /// Opens the adapter, which has no name.
    package func open(
        _ name: String?, uri: String, on loop: RadioLoop
    ) async throws(RadioError) -> LoopBound<any RadioBackend>? {
        await loop.run { LoopBound(confined: AppleRadio(uri: uri.isEmpty ? "auto" : uri, loop: loop), loop: loop) }
    }
}
