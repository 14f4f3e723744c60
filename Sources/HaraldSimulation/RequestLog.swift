import BluetoothRuntime

/// The requests of the attribute protocol that a host sends, and the first one that is not necessary: GATT defines the
/// procedures for long values for values that do not fit into one packet (Core 6.0, Vol 3, Part G, 4.8.3 and 4.9.4).
struct RequestLog {
    private struct Link {
        var mtu = 23
        /// The MTU in the last Exchange MTU Request.
        var askedMTU = 23
        /// The octets of the prepared writes, and the MTU at the first of them.
        var prepared = 0
        var mtuOfPrepared = 23
    }

    private var links: [UInt16: Link] = [:]
    /// The first request that was not necessary.
    private(set) var violation: String?

    /// Records a packet between the host and its controller.
    mutating func note(_ bytes: [UInt8], isFromHost: Bool) {
        // Disconnection Complete
        if !isFromHost, bytes.count > 5, bytes[0] == 4, bytes[1] == 0x05 {
            links[Self.number(bytes, at: 4) & 0xFFF] = nil
        }
        // The first fragment of a packet of the attribute protocol
        guard bytes.count > 9, bytes[0] == 2, bytes[2] & 0x10 == 0, bytes[7] == 4, bytes[8] == 0 else { return }
        let handle = Self.number(bytes, at: 1) & 0xFFF
        var link = links[handle] ?? Link()
        let length = Int(Self.number(bytes, at: 5))
        switch (bytes[9], bytes.count) {
        case (0x02, 12...): link.askedMTU = Int(Self.number(bytes, at: 10))
        case (0x03, 12...): link.mtu = max(min(link.askedMTU, Int(Self.number(bytes, at: 10))), 23)
        case (0x0C, 14...) where isFromHost && Self.number(bytes, at: 12) >= 512:
            violation = violation ?? "has requested octets behind the longest value"
        case (0x16, 14...) where isFromHost:
            if link.prepared == 0 { link.mtuOfPrepared = link.mtu }
            link.prepared += length - 5
        case (0x18, 11...) where isFromHost:
            if bytes[10] == 1, link.prepared > 0, link.prepared <= link.mtuOfPrepared - 3 {
                violation = violation ?? "has written \(link.prepared) octets in parts, which fit into one packet"
            }
            link.prepared = 0
        default: break
        }
        links[handle] = link
    }

    private static func number(_ bytes: [UInt8], at place: Int) -> UInt16 {
        UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
    }
}
