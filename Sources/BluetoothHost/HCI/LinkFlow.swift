import BluetoothModel

/// What the scheduler of ACL packets knows of one link.
///
/// Its numbers are properties of their own, and none is changed while something else runs: so the compiler can leave
/// out the checks for overlapping access, of which each packet would pay a dozen.
final class LinkFlow {
    /// Packets in the controller that it has not reported as completed.
    var inFlight = 0
    /// Whether somebody asked for room and did not get it.
    var wantsRoom = false
    /// Whether the link ends as soon as nothing is in flight and nothing waits.
    var isDraining = false
    /// Whether the link stands in the line for credits.
    var isInLine = false
    /// Whether the link stands in the line for credits that values may use.
    var isInValueLine = false
    /// How many packets the link may send in its turn.
    var allowance = Int.max
    /// How many bytes of frames wait for credits.
    private(set) var queuedBytes = 0
    /// Whether a frame waits that may use the reserved buffers; what stands before it in the queue may then, too.
    private(set) var mayUseReserve = false
    private var queue = FrameQueue()

    /// Whether a turn is of use.
    var hasWork: Bool { wantsRoom || queuedBytes > 0 }

    /// Lets a frame wait.
    func append(cid: UInt16, _ payload: ByteView, isValue: Bool) {
        queue.append(cid: cid, payload, isValue: isValue)
        note()
    }

    private func note() {
        queuedBytes = queue.count
        mayUseReserve = queue.otherFrames > 0
    }

    /// Moves the next fragment, of at most `limit` bytes, to `offset` of `buffer`; nil where nothing waits.
    func next(limit: Int, to buffer: PacketBuffer, at offset: Int) -> (count: Int, isFirst: Bool)? {
        let fragment = queue.next(limit: limit, to: buffer, at: offset)
        note()
        return fragment
    }

    /// Drops what waits.
    func drop() {
        queue.removeAll()
        note()
        wantsRoom = false
    }
}
