/// What an adapter can do at the moment.
public enum RadioState: String, Hashable, Sendable {
    /// Nothing is known yet: the adapter is being opened.
    case unknown
    /// The connection to the adapter was lost for a moment; another state follows.
    case resetting
    /// There is no adapter, or it cannot do Bluetooth Low Energy.
    case unsupported
    /// The program may not use the adapter.
    case unauthorized
    /// The adapter is there and switched off.
    case poweredOff
    /// The adapter is ready.
    case poweredOn
}
