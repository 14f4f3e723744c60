/// The optional features of a backend.
public struct BackendCapabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Shows the addresses of devices.
    public static let addresses = BackendCapabilities(rawValue: 1 << 0)
    /// Reads and sets physical layers.
    public static let phy = BackendCapabilities(rawValue: 1 << 1)
    /// Reads and requests connection parameters.
    public static let connectionParameters = BackendCapabilities(rawValue: 1 << 2)
    /// Lets a subscriber choose between notifications and indications.
    public static let subscriptionKind = BackendCapabilities(rawValue: 1 << 3)
    /// Shows attribute handles, and lets the local side choose them.
    public static let handles = BackendCapabilities(rawValue: 1 << 4)
    /// LE credit-based L2CAP channels.
    public static let channels = BackendCapabilities(rawValue: 1 << 5)
    /// Local devices, which can be advertised.
    public static let peripheralRole = BackendCapabilities(rawValue: 1 << 6)
    /// Several local devices at the same time, each with its own address.
    public static let severalIdentities = BackendCapabilities(rawValue: 1 << 7)
    /// Pairing.
    public static let pairing = BackendCapabilities(rawValue: 1 << 8)
    /// Reports the exact security of a link, and can require a level.
    public static let securityLevels = BackendCapabilities(rawValue: 1 << 9)
    /// Lets a program switch the adapter on and off.
    public static let power = BackendCapabilities(rawValue: 1 << 10)
    /// Lets a program send and receive the frames of a link below the protocols.
    public static let rawFrames = BackendCapabilities(rawValue: 1 << 11)

    /// The name of each capability in the set.
    public var names: [String] {
        let all = [
            "addresses", "phy", "connectionParameters", "subscriptionKind", "handles", "channels", "peripheralRole",
            "severalIdentities", "pairing", "securityLevels", "power", "rawFrames",
        ]
        return all.enumerated().filter { rawValue & 1 << UInt32($0.offset) != 0 }.map(\.element)
    }
}
