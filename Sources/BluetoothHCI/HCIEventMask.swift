/// The events that a host enables (Core 6.0, Vol 4, Part E, 7.3.1). Events without a bit cannot be disabled.
package struct HCIEventMask: OptionSet, Hashable, Sendable {
    /// The bits of the command parameter.
    package var rawValue: UInt64

    /// Creates a mask from its bits.
    @inlinable
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The events that are enabled after a reset, without LE Meta.
    package static let standard = HCIEventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)
    /// Disconnection Complete.
    package static let disconnectionComplete = HCIEventMask(rawValue: 1 << 4)
    /// Encryption Change [v1].
    package static let encryptionChange = HCIEventMask(rawValue: 1 << 7)
    /// Read Remote Version Information Complete.
    package static let readRemoteVersionComplete = HCIEventMask(rawValue: 1 << 11)
    /// Hardware Error.
    package static let hardwareError = HCIEventMask(rawValue: 1 << 15)
    /// Data Buffer Overflow.
    package static let dataBufferOverflow = HCIEventMask(rawValue: 1 << 25)
    /// Encryption Key Refresh Complete.
    package static let encryptionKeyRefreshComplete = HCIEventMask(rawValue: 1 << 47)
    /// LE Meta; without it no LE subevent is sent, regardless of the ``LEEventMask``.
    package static let leMeta = HCIEventMask(rawValue: 1 << 61)
}
