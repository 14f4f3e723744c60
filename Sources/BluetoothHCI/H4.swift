import BluetoothModel

/// Lengths of packets on an H4 transport (Core 6.0, Vol 4, Part A).
public enum H4 {
    /// The maximum length of a packet in bytes: an ACL packet with 65,535 bytes of data.
    public static let maximumPacketLength = 5 + 0xFFFF

    /// Returns the length of the packet at the beginning of `bytes`, including the packet type and the header; nil
    /// while the header is incomplete.
    ///
    /// - Throws: ``H4FramingError`` if the first byte is not a packet type.
    public static func packetLength(of bytes: ByteView) throws(H4FramingError) -> Int? {
        guard !bytes.isEmpty else { return nil }
        guard let type = HCIPacketType(rawValue: bytes[0]) else { throw H4FramingError(type: bytes[0]) }
        let header = type.headerLength
        guard bytes.count >= header else { return nil }
        switch type {
        case .event: return header + Int(bytes[2])
        case .command, .synchronous: return header + Int(bytes[3])
        case .acl: return header + Int(bytes.uint16(at: 3))
        case .iso: return header + Int(bytes.uint16(at: 3) & 0x3FFF)
        }
    }

    /// Returns true if `packet` is exactly one packet: its type is known, and its length matches its header.
    public static func isWholePacket(_ packet: ByteView) -> Bool {
        // Fast paths for the most frequent packets.
        if packet.count >= 5, packet[0] == HCIPacketType.acl.rawValue {
            return Int(packet.uint16(at: 3)) == packet.count - 5
        }
        if packet.count >= 3, packet[0] == HCIPacketType.event.rawValue { return Int(packet[2]) == packet.count - 3 }
        guard let length = try? packetLength(of: packet) else { return false }
        return length == packet.count
    }
}

/// A byte is not a packet type: the stream is out of synchronization and cannot be parsed any further.
public struct H4FramingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The invalid packet type.
    public var type: UInt8

    /// Creates an error for an invalid packet type.
    public init(type: UInt8) { self.type = type }

    /// A message with the problem and its usual cause.
    public var description: String {
        "0x\([type].hexText()) is not an H4 packet type: the other side does not use HCI over H4, or bytes were lost"
    }
}
