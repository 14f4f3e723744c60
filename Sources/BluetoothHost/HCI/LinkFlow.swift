import BluetoothModel

/// The state of one link in the ACL scheduler.
///
/// Each number is a separate stored property that is never accessed while other code runs inside an access to it. So
/// the compiler can omit the checks for overlapping access, of which each packet would need a dozen.
final class LinkFlow {
    /// The number of packets in the controller that are not reported as completed.
    var inFlight = 0
    /// The numbers of packets that were passed to the controller and received from it.
    var sent = 0, received = 0
    /// True if a sender asked for room and did not get it.
    var wantsRoom = false
    /// True if the link closes as soon as nothing is in flight or queued.
    var isDraining = false
    /// True while the link is in line for credits.
    var isInLine = false
    /// True while the link is in line for credits that values may use.
    var isInValueLine = false
    /// The number of packets that the link may send in its turn.
    var allowance = Int.max
    /// The number of bytes in frames that wait for credits.
    private(set) var queuedBytes = 0
    /// True if a queued frame may use the reserved buffers. The frames before it in the queue may then use them too.
    private(set) var mayUseReserve = false
    private var queue = FrameQueue()

    /// True if the link waits for the completion of its packets.
    var isWaiting: Bool { hasWork || isDraining }

    /// True if the link needs a turn.
    var hasWork: Bool { wantsRoom || queuedBytes > 0 }

    /// Queues a frame.
    func append(cid: UInt16, _ payload: ByteView, isValue: Bool) {
        queue.append(cid: cid, payload, isValue: isValue)
        note()
    }

    private func note() {
        queuedBytes = queue.count
        mayUseReserve = queue.otherFrames > 0
    }

    /// Moves the next fragment, of at most `limit` bytes, to `offset` of `buffer`; nil if nothing is queued.
    func next(limit: Int, to buffer: PacketBuffer, at offset: Int) -> (count: Int, isFirst: Bool)? {
        let fragment = queue.next(limit: limit, to: buffer, at: offset)
        note()
        return fragment
    }

    /// Drops all queued frames.
    func drop() {
        queue.removeAll()
        note()
        wantsRoom = false
    }
}
