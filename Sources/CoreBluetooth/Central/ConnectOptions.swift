import Foundation

/// The options of `connect(_:options:)`.
struct ConnectOptions: Sendable {
    /// The delay before connecting.
    var delay = Duration.zero
    /// True to connect again when the connection is lost.
    var reconnects = false
    /// The reason for which a requested option is unsupported on Linux.
    var unsupported: String?

    init() {}

    init(_ options: [String: Any]?) {
        let options = CheckedOptions(options, of: "connect(_:options:)")
        if let seconds = options.number(CBConnectPeripheralOptionStartDelayKey)?.doubleValue, seconds > 0 {
            delay = .seconds(min(seconds, 1e9))
        }
        reconnects = options.isOn(CBConnectPeripheralOptionEnableAutoReconnect)
        if options.isOn(CBConnectPeripheralOptionRequiresANCS) {
            unsupported = "the Apple Notification Center Service is not available on Linux"
        } else if options.isOn(CBConnectPeripheralOptionEnableTransportBridgingKey) {
            unsupported = "Bluetooth Classic is not supported"
        }
    }
}
