extension CBPeripheralState {
    /// The state as text, for the description of a device.
    var word: String {
        switch self {
        case .disconnected: "disconnected"
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnecting: "disconnecting"
        @unknown default: "\(rawValue)"
        }
    }
}
