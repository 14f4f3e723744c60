extension CBPeripheralState {
    /// The state in a word, as the description of a device has it.
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
