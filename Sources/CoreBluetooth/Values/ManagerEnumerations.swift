/// What an adapter can do at the moment.
public enum CBManagerState: Int, Sendable {
    /// Nothing is known yet.
    case unknown = 0
    /// The connection to the adapter was lost for a moment; another state follows.
    case resetting = 1
    /// There is no adapter, or it cannot do Bluetooth Low Energy.
    case unsupported = 2
    /// The program may not use the adapter.
    case unauthorized = 3
    /// The adapter is switched off.
    case poweredOff = 4
    /// The adapter is ready.
    case poweredOn = 5
}

/// What an adapter can do at the moment, by its old name for centrals.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBCentralManagerState: Int, Sendable {
    /// Nothing is known yet.
    case unknown = 0
    /// The connection to the adapter was lost for a moment.
    case resetting = 1
    /// There is no adapter, or it cannot do Bluetooth Low Energy.
    case unsupported = 2
    /// The program may not use the adapter.
    case unauthorized = 3
    /// The adapter is switched off.
    case poweredOff = 4
    /// The adapter is ready.
    case poweredOn = 5
}

/// What an adapter can do at the moment, by its old name for peripherals.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBPeripheralManagerState: Int, Sendable {
    /// Nothing is known yet.
    case unknown = 0
    /// The connection to the adapter was lost for a moment.
    case resetting = 1
    /// There is no adapter, or it cannot do Bluetooth Low Energy.
    case unsupported = 2
    /// The program may not use the adapter.
    case unauthorized = 3
    /// The adapter is switched off.
    case poweredOff = 4
    /// The adapter is ready.
    case poweredOn = 5
}

/// Whether the program may use Bluetooth.
public enum CBManagerAuthorization: Int, Sendable {
    /// The user was not asked yet.
    case notDetermined = 0
    /// Somebody else decided against it.
    case restricted = 1
    /// The program may not.
    case denied = 2
    /// The program may.
    case allowedAlways = 3
}

/// Whether the program may offer services while it is in the background, by its old name.
@available(*, deprecated, renamed: "CBManagerAuthorization")
public enum CBPeripheralManagerAuthorizationStatus: Int, Sendable {
    /// The user was not asked yet.
    case notDetermined = 0
    /// Somebody else decided against it.
    case restricted = 1
    /// The program may not.
    case denied = 2
    /// The program may.
    case authorized = 3
}

/// How fast a link reacts.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
    /// Fast, at the price of power.
    case low = 0
    /// In between.
    case medium = 1
    /// Slow, for the sake of power.
    case high = 2
}

/// What became of a connection that somebody else may have made.
public enum CBConnectionEvent: Int, Sendable {
    /// The device is not connected any more.
    case peerDisconnected = 0
    /// The device is connected.
    case peerConnected = 1
}

/// What connection events are wanted for.
public struct CBConnectionEventMatchingOption: Hashable, RawRepresentable, Sendable {
    /// The text of the key.
    public let rawValue: String

    /// A key by its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Devices with one of these services, a `[CBUUID]`.
    public static let serviceUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
    /// These devices, a `[UUID]`.
    public static let peripheralUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}
