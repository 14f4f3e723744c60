/// The events that a host enables (Core 6.0, Vol 4, Part E, 7.3.1). Events without a bit cannot be disabled.
public struct HCIEventMask: OptionSet, Hashable, Sendable {
    /// The bits of the command parameter.
    public var rawValue: UInt64

    /// Creates a mask from its bits.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The events that are enabled after a reset, without LE Meta.
    public static let standard = HCIEventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)
    /// Disconnection Complete.
    public static let disconnectionComplete = HCIEventMask(rawValue: 1 << 4)
    /// Encryption Change [v1].
    public static let encryptionChange = HCIEventMask(rawValue: 1 << 7)
    /// Read Remote Version Information Complete.
    public static let readRemoteVersionComplete = HCIEventMask(rawValue: 1 << 11)
    /// Hardware Error.
    public static let hardwareError = HCIEventMask(rawValue: 1 << 15)
    /// Data Buffer Overflow.
    public static let dataBufferOverflow = HCIEventMask(rawValue: 1 << 25)
    /// Encryption Key Refresh Complete.
    public static let encryptionKeyRefreshComplete = HCIEventMask(rawValue: 1 << 47)
    /// LE Meta; without it no LE subevent is sent, whatever the ``LEEventMask``.
    public static let leMeta = HCIEventMask(rawValue: 1 << 61)
}
