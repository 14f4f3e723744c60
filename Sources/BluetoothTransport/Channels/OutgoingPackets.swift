import BluetoothModel

/// A queue of packets with their boundaries, in one buffer, so that a packet costs no allocation.
package struct OutgoingPackets {
    private var bytes = OutgoingBytes()
    private var lengths: [Int] = []
    private var start = 0

    /// Creates an empty queue.
    package init() {}

    /// The number of waiting bytes, in all packets together.
    package var count: Int { bytes.count }

    /// True if no packet waits.
    package var isEmpty: Bool { start == lengths.count }

    /// Appends a packet, which is copied.
    package mutating func append(_ packet: ByteView) {
        bytes.append(packet.unsafeBytes)
        lengths.append(packet.count)
    }

    /// Calls `body` with the first packet; returns nil if there is none.
    func withFirst<Result>(_ body: (ByteView) -> Result) -> Result? {
        guard start < lengths.count else { return nil }
        return bytes.withFront(length: lengths[start]) { body(ByteView($0)) }
    }

    /// Removes the first packet.
    mutating func removeFirst() {
        guard start < lengths.count else { return }
        bytes.consume(lengths[start])
        start += 1
        if start == lengths.count {
            lengths.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 1024, start > lengths.count / 2 {
            lengths.removeFirst(start)
            start = 0
        }
    }

    /// Removes all packets, and releases the memory of a large backlog.
    mutating func removeAll() { self = OutgoingPackets() }

    /// Removes all packets and keeps the memory for further ones.
    package mutating func removeAllKeepingMemory() {
        bytes.consume(bytes.count)
        lengths.removeAll(keepingCapacity: true)
        start = 0
    }

    /// Calls `body` with each packet, first to last, until it returns false.
    package func forEach(while body: (ByteView) -> Bool) {
        bytes.withFront { all in
            var offset = 0
            for length in lengths[start...] {
                guard body(ByteView(UnsafeRawBufferPointer(rebasing: all[offset..<offset + length]))) else { return }
                offset += length
            }
        }
    }
}
