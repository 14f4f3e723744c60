import BluetoothModel

/// The header of an ACL packet (Core 6.0, Vol 4, Part E, 5.4.2).
public struct ACLHeader: Hashable, Sendable {
    /// The packet boundary flag: the part of an L2CAP frame that a packet contains.
    public enum Boundary: UInt8, Hashable, Sendable {
        /// The first fragment, sent by the host.
        case firstFromHost = 0
        /// A continuing fragment, in either direction.
        case continuing = 1
        /// The first fragment, sent by the controller.
        case firstFromController = 2
        /// A complete frame that may be flushed; BR/EDR only.
        case complete = 3

        /// True if a frame begins.
        @inlinable
        public var isFirst: Bool { self != .continuing }
    }

    /// The length of the header: packet type, handle with flags, and data length.
    public static let length = 5

    /// The connection handle, 0 to 0x0EFF.
    public var handle: UInt16
    /// The packet boundary flag.
    public var boundary: Boundary
    /// The broadcast flag, 0 to 3; 0 on LE links.
    public var broadcast: UInt8
    /// The number of data bytes that follow.
    public var dataLength: Int

    /// Creates a header.
    public init(handle: UInt16, boundary: Boundary, dataLength: Int) {
        self.handle = handle
        self.boundary = boundary
        broadcast = 0
        self.dataLength = dataLength
    }

    /// Parses the header of an H4 packet with its packet type; nil unless it is one whole ACL packet.
    public init?(_ packet: ByteView) {
        guard packet.count >= Self.length, packet[0] == HCIPacketType.acl.rawValue else { return nil }
        let field = packet.uint16(at: 1)
        handle = field & 0x0FFF
        // The flag has two bits, and the enumeration has all four values, so the default is never used.
        boundary = Boundary(rawValue: UInt8(truncatingIfNeeded: field >> 12 & 3)) ?? .complete
        broadcast = UInt8(truncatingIfNeeded: field >> 14)
        dataLength = Int(packet.uint16(at: 3))
        guard packet.count == Self.length + dataLength else { return nil }
    }

    /// Appends the packet type, the handle with flags, and the data length.
    public func write(to writer: inout ByteWriter) {
        writer.uint8(HCIPacketType.acl.rawValue)
        writer.uint16(handle & 0x0FFF | UInt16(boundary.rawValue) << 12 | UInt16(broadcast & 3) << 14)
        writer.uint16(UInt16(truncatingIfNeeded: dataLength))
    }
}
