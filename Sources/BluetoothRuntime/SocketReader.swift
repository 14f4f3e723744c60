/// A result of reading a socket.
public enum SocketRead {
    /// The data of one read: a packet where the socket keeps packet boundaries. The memory is valid until the next
    /// result is taken.
    case bytes(UnsafeRawBufferPointer)
    /// The peer closed; no result follows.
    case closed
    /// The socket failed with this `errno`; no result follows.
    case failed(Int32)
    /// The held packets were not sent, because of this `errno`, and are still held. This is delivered before received
    /// data.
    case unsent(Int32)
}

/// A socket that a ``RadioLoop`` reads by itself, so that waiting and reading are one system call. Confined to the
/// loop.
///
/// The loop retains the reader, and stays alive itself, until ``cancel()`` or the end of the socket; cancel the reader
/// before the descriptor is closed.
public final class SocketReader {
    #if os(Linux) || os(Android)
    let descriptor: Int32
    /// Called with the reader when there are results to take.
    let handler: (SocketReader) -> Void
    /// The receiver that reads the socket; nil once reading has ended.
    var receiver: DirectReceiver?
    /// Proof of `@exclusivity(unchecked)`: no access spans a call that leads back here; the callbacks of
    /// ``takeHeld(_:)`` hold no packets. Every packet would pay for the checks.
    @exclusivity(unchecked) private var held = HeldPackets()
    /// The `errno` for which held packets were not sent; 0 if they did not fail.
    private(set) var unsentCode: Int32 = 0

    init(descriptor: Int32, handler: @escaping (SocketReader) -> Void) {
        self.descriptor = descriptor
        self.handler = handler
    }

    /// Calls `body` with each result that has arrived, in order. Only the handler may call this.
    public func takeAll(_ body: (SocketRead) -> Void) {
        if unsentCode != 0 { body(.unsent(unsentCode)) }
        receiver?.takeAll(body)
    }

    /// Holds a packet to be sent before the loop's next wait, together with others, on a non-blocking socket that keeps
    /// packet boundaries.
    /// - Returns: true if the packet is held; if false, take the held ones with ``takeHeld(_:)`` and send all.
    public func hold(_ packet: UnsafeRawBufferPointer) -> Bool {
        guard let receiver, !receiver.isAsleep, packet.count <= HeldPackets.longest, unsentCode == 0,
            !held.isFull || sendHeld()
        else { return false }
        held.append(packet)
        receiver.holds = true
        return true
    }

    /// Sends the held packets.
    /// - Returns: false if that failed, now or before.
    func sendHeld() -> Bool {
        if unsentCode == 0 { unsentCode = held.send(to: descriptor) }
        return unsentCode == 0
    }

    /// Takes back the held packets, in order, for `body` to send or to store. `body` must not hold packets.
    public func takeHeld(_ body: (UnsafeRawBufferPointer) -> Void) {
        unsentCode = 0
        held.removeAll(body)
    }

    /// Ends reading, after the held packets were sent; the handler is not called again, and undelivered data is lost.
    /// Further calls do nothing.
    public func cancel() { receiver?.remove(self) }
    #else
    // Loops create no reader.
    private init() {}

    /// Does nothing.
    public func takeAll(_ body: (SocketRead) -> Void) {}

    /// Returns false.
    public func hold(_ packet: UnsafeRawBufferPointer) -> Bool { false }

    /// Does nothing.
    public func takeHeld(_ body: (UnsafeRawBufferPointer) -> Void) {}

    /// Does nothing.
    public func cancel() {}
    #endif
}
