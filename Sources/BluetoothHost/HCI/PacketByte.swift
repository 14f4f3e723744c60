/// The H4 packet types and lengths of the hot path. Constants of another module would cost a call.
enum PacketByte {
    static let command: UInt8 = 1
    static let acl: UInt8 = 2
    static let event: UInt8 = 4
    /// The packet type, the handle with flags, and the data length.
    static let aclHeaderLength = 5
}
