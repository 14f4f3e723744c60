/// The discoverability and capabilities of a device (Core Specification Supplement, Part A, 1.3).
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
    /// The first octet of the flags.
    public var rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE limited discoverable mode.
    public static let limitedDiscoverable = AdvertisingFlags(rawValue: 0x01)
    /// LE general discoverable mode.
    public static let generalDiscoverable = AdvertisingFlags(rawValue: 0x02)
    /// BR/EDR is not supported.
    public static let classicNotSupported = AdvertisingFlags(rawValue: 0x04)
    /// The controller supports simultaneous LE and BR/EDR to the same device.
    public static let simultaneousController = AdvertisingFlags(rawValue: 0x08)
    /// The host supports simultaneous LE and BR/EDR to the same device. Used by older versions of the specification.
    public static let simultaneousHost = AdvertisingFlags(rawValue: 0x10)

    /// The flags of a discoverable LE-only device: 0x06.
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
