/// The state of an adapter.
public enum RadioState: String, Hashable, Sendable {
    /// The state is unknown: the adapter is being opened.
    case unknown
    /// The connection to the adapter was lost temporarily. Another state follows.
    case resetting
    /// There is no adapter, or it does not support Bluetooth Low Energy.
    case unsupported
    /// The program is not allowed to use the adapter.
    case unauthorized
    /// The adapter is switched off.
    case poweredOff
    /// The adapter is ready.
    case poweredOn
}

extension RadioState {
    /// The state in words, for logs.
    package var text: String {
        switch self {
        case .unknown: "not ready yet"
        case .resetting: "restarting"
        case .unsupported: "not available"
        case .unauthorized: "not authorized"
        case .poweredOff: "switched off"
        case .poweredOn: "switched on"
        }
    }
}
