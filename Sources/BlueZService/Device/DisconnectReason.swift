import BluetoothModel
import SystemBus

/// The reason of the end of a link, in the words of BlueZ's signal `Disconnected`.
struct DisconnectReason {
    private let name: String
    private let text: String

    /// The arguments of the signal.
    var arguments: [BusValue] { [.string("org.bluez.Reason." + name), .string(text)] }

    /// True for an end after which `bluetoothd` connects again automatically.
    var isExpected: Bool { ["Local", "Timeout", "Remote"].contains(name) }

    /// - Parameter error: the error that the link ended with; nil if this side ended it.
    init(_ error: RadioError?) {
        switch error {
        case nil, .radio, .cancelled, .disconnected(.localHostTerminated):
            (name, text) = ("Local", "Connection terminated by local host")
        case .timeout, .disconnected(.connectionTimeout): (name, text) = ("Timeout", "Connection timeout")
        case .disconnected(.remoteUserTerminated), .disconnected(.remoteLowResources), .disconnected(.remotePowerOff):
            (name, text) = ("Remote", "Connection terminated by remote user")
        case .disconnected(.authenticationFailure):
            (name, text) = ("Authentication", "Connection terminated due to authentication failure")
        default: (name, text) = ("Unknown", "Unspecified")
        }
    }
}
