/// The keys of a registration for connection events.
public struct CBConnectionEventMatchingOption: Hashable, RawRepresentable, Sendable {
    /// The text of the key.
    public let rawValue: String

    /// Creates a key from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Devices with one of these services, a `[CBUUID]`.
    public static let serviceUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
    /// These devices, a `[UUID]`.
    public static let peripheralUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}
