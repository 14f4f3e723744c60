import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport

/// An adapter with this package's host stack: the interface for the code that opens it. Confined to the loop of its
/// channel.
package struct HostAdapter {
    private let radio: HostRadio

    /// Creates an adapter on a channel to a controller; ``start()`` starts it.
    package init(channel: any HCIChannel, info: AdapterInfo, configuration: HostRadioConfiguration) {
        radio = HostRadio(channel: channel, info: info, configuration: configuration)
    }

    /// Creates an absent adapter; every operation fails with the reason.
    package init(absent state: RadioState, reason: String, info: AdapterInfo, loop: RadioLoop) {
        radio = HostRadio(absent: state, reason: reason, info: info, loop: loop)
    }

    /// The backend.
    package var backend: any RadioBackend { radio }
    /// The host stack, for a simulation to inspect.
    package var host: LEHost { radio.host }

    /// Starts the adapter, whose state is reported later.
    package func start() { radio.start() }

    /// Switches the adapter off or on, as a user does in the system's settings.
    package func setPowered(_ isOn: Bool) { radio.setPowered(isOn) }

    /// Logs the error that ends the capture.
    package func logError(of capture: BtsnoopWriter) {
        capture.onError = { [log = radio.log] in log.error("the capture ended early: \($0)") }
    }

    /// Sets the closure that is called once the adapter was released.
    package func onClosed(_ body: @escaping () -> Void) { radio.onClosed = body }

    /// Checks the bonds in a directory. Without them every bonded device would be treated as unknown.
    /// - Throws: ``RadioError`` if they cannot be read.
    package static func checkBonds(in directory: String?) throws(RadioError) {
        if let directory, let failure = BondFileStore(directory).failure { throw failure }
    }

    /// Returns the counter of failed attempts on fixed passkeys that is stored in a directory.
    package static func passkeyLimiter(in directory: String?) -> any PasskeyLimiter { PasskeyFailureStore(directory) }
}
