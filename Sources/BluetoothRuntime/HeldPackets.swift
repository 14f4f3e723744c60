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
    private(set) var batches = true

    deinit {
        slots.deallocate()
        lengths.deallocate()
    }

    var count: Int { end - first }
    /// True if no packet can be appended until all are removed.
    var isFull: Bool { end == Self.capacity }
    /// The packet that was appended last.
    var last: UnsafeRawBufferPointer { packet(end - 1) }

    mutating func removeAll() { (first, end) = (0, 0) }

    /// Removes all packets, and calls `body` with each.
    mutating func removeAll(_ body: (UnsafeRawBufferPointer) -> Void) {
        let packets = first..<end
        removeAll()
        for slot in packets { body(packet(slot)) }
    }

    /// Appends a packet of at most ``longest`` octets; there must be room for it.
    mutating func append(_ packet: UnsafeRawBufferPointer) {
        guard let start = packet.baseAddress else { return }
        slots.advanced(by: end * Self.longest).copyMemory(from: start, byteCount: packet.count)
        lengths[end] = UInt32(packet.count)
        end += 1
    }

    /// Sends and removes the first `count` packets, with one system call where the socket permits it.
    /// - Returns: the `errno` for which the first one that is left was not sent; 0 if all were.
    mutating func send(_ count: Int, to descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        if count == 1 {
            code = harald_send_packet(descriptor, slots.advanced(by: first * Self.longest), Int(lengths[first]))
            if code == 0 { drop(1) }
            return code
        }
        let sent = harald_send_packets(
            descriptor, slots.advanced(by: first * Self.longest), Self.longest, lengths + first, UInt32(count),
            &batches,
            &code)
        drop(Int(sent))
        return code
    }

    private mutating func drop(_ count: Int) {
        first += count
        if first == end { removeAll() }
    }

    private func packet(_ slot: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: slots.advanced(by: slot * Self.longest), count: Int(lengths[slot]))
    }
}
#endif
