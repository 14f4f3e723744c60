/// The channel identifiers of LE links (Core 6.0, Vol 3, Part A, 2.1).
package enum L2CAPChannelID {
    /// The channel of the attribute protocol.
    package static let attribute: UInt16 = 0x0004
    /// The L2CAP signalling channel.
    package static let signalling: UInt16 = 0x0005
    /// The channel of the security manager protocol.
    package static let security: UInt16 = 0x0006
    /// The dynamic channels, for connection-oriented channels.
    package static let dynamic: ClosedRange<UInt16> = 0x0040...0x007F
}
