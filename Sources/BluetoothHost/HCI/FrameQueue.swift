import BluetoothModel
import DequeModule

/// L2CAP frames of one link that wait for credits, stored contiguously in memory that is reused.
struct FrameQueue {
    private var bytes: [UInt8] = []
    private var head = 0
    /// The number of unsent bytes of the frame at `head`; 0 at the beginning of a frame.
    private var unsent = 0
    /// For each frame from the one at `head` on: true if it carries a value.
    private var areValues: Deque<Bool> = []
    /// The number of frames that do not carry a value.
    private(set) var otherFrames = 0

    /// The number of queued bytes.
    var count: Int { bytes.count - head }
    var isEmpty: Bool { bytes.count == head }

    /// Appends a frame: its basic header (Core 6.0, Vol 3, Part A, 3.1) and its payload.
    mutating func append(cid: UInt16, _ payload: ByteView, isValue: Bool) {
        areValues.append(isValue)
        if !isValue { otherFrames += 1 }
        let length = UInt16(truncatingIfNeeded: payload.count)
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        bytes.append(UInt8(truncatingIfNeeded: cid))
        bytes.append(UInt8(truncatingIfNeeded: cid >> 8))
        bytes.append(contentsOf: payload.unsafeBytes)
    }

    /// Moves the next fragment, of at most `limit` bytes, to `offset` of `buffer`; nil if the queue is empty.
    mutating func next(limit: Int, to buffer: PacketBuffer, at offset: Int) -> (count: Int, isFirst: Bool)? {
        guard !isEmpty else { return nil }
        let isFirst = unsent == 0
        if isFirst { unsent = 4 + Int(bytes[head]) + Int(bytes[head + 1]) << 8 }
        let size = min(unsent, limit)
        bytes.withUnsafeBytes { buffer.copy(UnsafeRawBufferPointer(rebasing: $0[head..<head + size]), at: offset) }
        head += size
        unsent -= size
        if unsent == 0, areValues.popFirst() == false { otherFrames -= 1 }
        compact()
        return (size, isFirst)
    }

    /// Removes all frames.
    mutating func removeAll() {
        bytes = []
        head = 0
        unsent = 0
        areValues = []
        otherFrames = 0
    }

    private mutating func compact() {
        if head == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 16384, head > bytes.count / 2 {
            bytes.removeSubrange(0..<head)
            head = 0
        }
    }
}
