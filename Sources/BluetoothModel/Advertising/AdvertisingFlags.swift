/// How a device can be discovered and what it is capable of (Core Specification Supplement, Part A, 1.3).
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
    /// The first octet of the flags.
    public var rawValue: UInt8

    /// A set by its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Discoverable for a limited time.
    public static let limitedDiscoverable = AdvertisingFlags(rawValue: 0x01)
    /// Discoverable.
    public static let generalDiscoverable = AdvertisingFlags(rawValue: 0x02)
    /// Low Energy only.
    public static let classicNotSupported = AdvertisingFlags(rawValue: 0x04)
    /// The controller does Low Energy and BR/EDR with the same device at once.
    public static let simultaneousController = AdvertisingFlags(rawValue: 0x08)
    /// The host does; a bit of older versions.
    public static let simultaneousHost = AdvertisingFlags(rawValue: 0x10)

    /// What a discoverable device with Low Energy alone says: 0x06.
    public static let standard: AdvertisingFlags = [.generalDiscoverable, .classicNotSupported]

    /// The name of each flag in the set, in the order of the bits.
    public var names: [String] {
        let all = [
            "LE Limited Discoverable", "LE General Discoverable", "BR/EDR Not Supported",
            "Simultaneous LE and BR/EDR (Controller)", "Simultaneous LE and BR/EDR (Host)",
        ]
        return all.enumerated().filter { rawValue & 1 << UInt8($0.offset) != 0 }.map(\.element)
    }
}
