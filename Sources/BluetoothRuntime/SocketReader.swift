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

    init(descriptor: Int32, loop: RadioLoop, handler: @escaping (SocketRead) -> Void) {
        self.descriptor = descriptor
        self.loop = loop
        self.handler = handler
    }

    /// Ends reading; the handler is not called again, and what was read and not told yet is lost. A second call does
    /// nothing.
    public func cancel() { if index != nil { loop.remove(self) } }
}
