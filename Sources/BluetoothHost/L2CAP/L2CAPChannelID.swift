/// The channel identifiers of LE links (Core 6.0, Vol 3, Part A, 2.1).
enum L2CAPChannelID {
    /// The attribute protocol.
    static let attribute: UInt16 = 0x0004
    /// L2CAP's own signalling.
    static let signalling: UInt16 = 0x0005
    /// The security manager.
    static let security: UInt16 = 0x0006
    /// What connection-oriented channels may use.
    static let dynamic: ClosedRange<UInt16> = 0x0040...0x007F
}
