/// Which keys a side hands over at the end of pairing (Core 6.0, Vol 3, Part H, 3.6.1).
public struct KeyDistribution: OptionSet, Hashable, Sendable {
    /// The bits as they stand in the packet.
    public let rawValue: UInt8

    /// A set by its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The long-term key with its names; only in legacy pairing, where it is not agreed on but made by one side.
    public static let encryption = KeyDistribution(rawValue: 1)
    /// The identity resolving key and the identity address.
    public static let identity = KeyDistribution(rawValue: 2)
    /// The key for signed writes.
    public static let signing = KeyDistribution(rawValue: 4)
    /// The key of Bluetooth Classic, derived on both sides. This host never asks for it.
    static let link = KeyDistribution(rawValue: 8)

    /// Everything that this host knows what to do with.
    public static let all: KeyDistribution = [.encryption, .identity, .signing]
}
