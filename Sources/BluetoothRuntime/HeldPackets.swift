#if os(Linux) || os(Android)
import CLinuxPolling

/// Packets in memory that does not move while the system sends them.
struct HeldPackets: ~Copyable {
    /// The maximum length of a packet, in octets.
    static let longest = 1024
    private static let capacity = Int(HARALD_PACKETS)

    private let slots = UnsafeMutableRawPointer.allocate(byteCount: capacity * longest, alignment: 1)
    private let lengths = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    /// The packets are in the slots `first..<end`.
    private var (first, end) = (0, 0)
    /// False for a socket that accepts only one packet in a call.
    private var batches = true

    deinit {
        slots.deallocate()
        lengths.deallocate()
    }

    /// True if no packet can be appended until all are removed.
    var isFull: Bool { end == Self.capacity }

    /// Appends a packet of at most ``longest`` octets; there must be room for it.
    mutating func append(_ packet: UnsafeRawBufferPointer) {
        guard let start = packet.baseAddress else { return }
        slots.advanced(by: end * Self.longest).copyMemory(from: start, byteCount: packet.count)
        lengths[end] = UInt32(packet.count)
        end += 1
    }

    /// Removes all packets, and calls `body` with each.
    mutating func removeAll(_ body: (UnsafeRawBufferPointer) -> Void) {
        let packets = first..<end
        (first, end) = (0, 0)
        for slot in packets {
            body(UnsafeRawBufferPointer(start: slots.advanced(by: slot * Self.longest), count: Int(lengths[slot])))
        }
    }

    /// Sends and removes the packets, with one system call where the socket permits it.
    /// - Returns: the `errno` for which the first one that is left was not sent; 0 if all were.
    mutating func send(to descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        let start = slots.advanced(by: first * Self.longest)
        if end - first == 1 {
            code = harald_send_packet(descriptor, start, Int(lengths[first]))
            if code == 0 { first += 1 }
        } else {
            first += Int(
                harald_send_packets(
                    descriptor, start, Self.longest, lengths + first, UInt32(end - first), &batches, &code))
        }
        if first == end { (first, end) = (0, 0) }
        return code
    }
}
#endif
