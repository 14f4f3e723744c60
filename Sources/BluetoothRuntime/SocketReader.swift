/// What reading a socket brought.
public enum SocketRead {
    /// What came with one read: a packet where the socket keeps their bounds. The memory is valid during the call only.
    case bytes(UnsafeRawBufferPointer)
    /// The loop has told everything that it read of this socket in this turn.
    case turnEnded
    /// The other side closed; nothing follows.
    case closed
    /// The socket failed with this `errno`; nothing follows.
    case failed(Int32)
    /// What was held was not sent, for this `errno`, and is still held. It is told before anything that came in.
    case unsent(Int32)
}

/// A socket that a ``RadioLoop`` reads by itself, so that waiting and reading are one system call; confined to the loop.
///
/// The loop keeps it, and itself alive, until ``cancel()`` or the end of the socket; cancel it before the descriptor is
/// closed.
public final class SocketReader {
    let descriptor: Int32
    let handler: (SocketRead) -> Void
    /// The place among the loop's readers; nil once it reads no more.
    var index: Int?
    private unowned let loop: RadioLoop
    #if os(Linux) || os(Android)
    /// The ring that reads it; nil once it reads no more.
    var ring: ReadRing?
    #endif
    private let held = UnsafeMutableRawBufferPointer.allocate(byteCount: heldCapacity, alignment: 1)
    private var heldCount = 0
    /// Whether the ring has been told.
    var isSender = false

    /// Longer packets are sent at once.
    private static let heldCapacity = 1024

    init(descriptor: Int32, loop: RadioLoop, handler: @escaping (SocketRead) -> Void) {
        self.descriptor = descriptor
        self.loop = loop
        self.handler = handler
    }

    deinit { held.deallocate() }

    // MARK: Sending

    /// Holds a packet to be sent with the system call of the loop's next wait, on a socket that keeps packets and does not
    /// block. One at a time: ``takeHeld(_:)`` before.
    /// - Returns: whether it is held; else send it.
    public func hold(_ packet: UnsafeRawBufferPointer) -> Bool {
        #if os(Linux) || os(Android)
        guard let ring, let index, packet.count <= Self.heldCapacity, heldCount == 0, !loop.isLent else { return false }
        held.copyMemory(from: packet)
        heldCount = packet.count
        if !isSender {
            isSender = true
            ring.willSend(index)
        }
        return true
        #else
        return false
        #endif
    }

    /// Whether a packet is held.
    public var holds: Bool { heldCount > 0 }

    /// Takes back the packet that is held, if there is one, for `body` to send or to keep.
    public func takeHeld(_ body: (UnsafeRawBufferPointer) -> Void) {
        guard heldCount > 0 else { return }
        let packet = UnsafeRawBufferPointer(rebasing: held[..<heldCount])
        heldCount = 0
        body(packet)
    }

    /// The packet that is held.
    var heldPacket: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: held[..<heldCount]) }

    /// What was held is on its way.
    func wasSent() { heldCount = 0 }

    // MARK: The end

    /// Ends reading, after sending what is held; the handler is not called again, and what was read and not told
    /// yet is lost. A second call does nothing.
    public func cancel() { if index != nil { loop.remove(self) } }
}
