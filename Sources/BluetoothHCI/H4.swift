import BluetoothModel

/// Lengths of packets on an H4 transport (Core 6.0, Vol 4, Part A).
public enum H4 {
    /// No packet is longer than this: an ACL packet with 65,535 bytes of data.
    public static let maximumPacketLength = 5 + 0xFFFF

    /// The length of the packet that `bytes` begin with, header and type byte included; nil while its header is not
    /// complete.
    ///
    /// - Throws: ``H4FramingError`` where the first byte is no packet type.
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

    /// Whether `packet` is exactly one packet: its type is known and its length is the one in its header.
    public static func isWholePacket(_ packet: ByteView) -> Bool {
        // What comes all the time, on a short way.
        if packet.count >= 5, packet[0] == HCIPacketType.acl.rawValue {
            return Int(packet.uint16(at: 3)) == packet.count - 5
        }
        guard let length = try? packetLength(of: packet) else { return false }
        return length == packet.count
    }
}

/// A byte stands where a packet type has to be: the stream is out of step and cannot be followed any further.
public struct H4FramingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The byte that is no packet type.
    public var type: UInt8

    /// An error about `type`.
    public init(type: UInt8) { self.type = type }

    /// What is wrong, and the usual cause.
    public var description: String {
        "0x\([type].hexText()) is no H4 packet type: the other side does not speak HCI over H4, or bytes were lost"
    }
}
