/// What reading a socket brought.
public enum SocketRead {
    /// What came with one read: a packet where the socket keeps their bounds. The memory is valid until the next is taken.
    case bytes(UnsafeRawBufferPointer)
    /// The other side closed; nothing follows.
    case closed
    /// The socket failed with this `errno`; nothing follows.
    case failed(Int32)
    /// What was held was not sent, for this `errno`, and is still held. It comes before anything that came in.
    case unsent(Int32)
}

/// A socket that a ``RadioLoop`` reads by itself, so that waiting and reading are one system call; confined to the loop.
///
/// The loop keeps it, and itself alive, until ``cancel()`` or the end of the socket; cancel it before the descriptor is
/// closed.
public final class SocketReader {
    let descriptor: Int32
    /// Called with the reader when there is something to take.
    let handler: (SocketReader) -> Void
    /// What its completions are marked with.
    var token = noToken
    /// While it does not read yet, or no more.
    static let noToken = UInt64.max
    var isReading: Bool { token != Self.noToken }
    /// Whether it got anything since its request was last made.
    var wasServed = false
    private unowned let loop: RadioLoop
    #if os(Linux) || os(Android)
    /// The ring that reads it; nil once it reads no more. A ring clears it before it goes, and the loop keeps its ring, so it
    /// need not be counted, which every packet would pay for several times.
    var ring: Unmanaged<ReadRing>?
    #endif
    private let held = UnsafeMutableRawPointer.allocate(byteCount: heldCapacity, alignment: 1)
    private var heldCount = 0
    /// Where the ring has the packet that is held, until it hands it over.
    private var heldPlace: UInt64 = 0
    /// Why the packet that is held was not sent; 0 where that was not so.
    var unsentCode: Int32 = 0
    private var isUnsentTold = false
    /// Whether the handler has heard that there is nothing more.
    private var hasToldAll = false

    /// Longer packets are sent at once.
    private static let heldCapacity = 1024

    init(descriptor: Int32, loop: RadioLoop, handler: @escaping (SocketReader) -> Void) {
        self.descriptor = descriptor
        self.loop = loop
        self.handler = handler
    }

    deinit { held.deallocate() }

    // MARK: Reading

    /// Takes what was read next; nil when all was told that there is in this turn. Only the handler may ask, and has to until
    /// then: what it leaves is lost.
    public func next() -> SocketRead? {
        #if os(Linux) || os(Android)
        if unsentCode != 0, !isUnsentTold {
            isUnsentTold = true
            return .unsent(unsentCode)
        }
        guard let read = ring?._withUnsafeGuaranteedRef({ $0.take(for: self) }) else {
            hasToldAll = true
            return nil
        }
        return read
        #else
        return nil
        #endif
    }

    /// Lets the handler take what there is.
    func tell() {
        hasToldAll = false
        handler(self)
        while !hasToldAll { _ = next() }
    }

    // MARK: Sending

    /// Holds a packet to be sent with the system call of the loop's next wait, on a socket that keeps packets and does not
    /// block. One at a time: ``takeHeld(_:)`` before.
    /// - Returns: whether it is held; else send it.
    public func hold(_ packet: UnsafeRawBufferPointer) -> Bool {
        #if os(Linux) || os(Android)
        guard let start = packet.baseAddress, packet.count <= Self.heldCapacity, !holds else { return false }
        return ring?._withUnsafeGuaranteedRef { ring in
            guard !ring.isAsleep else { return false }
            held.copyMemory(from: start, byteCount: packet.count)
            heldCount = packet.count
            unsentCode = 0
            isUnsentTold = false
            heldPlace = ring.send(heldPacket, for: self)
            return true
        } ?? false
        #else
        return false
        #endif
    }

    /// Whether a packet is held.
    public var holds: Bool {
        #if os(Linux) || os(Android)
        guard heldCount > 0 else { return false }
        return unsentCode != 0 || (ring?._withUnsafeGuaranteedRef { $0.isQueued(heldPlace) } ?? false)
        #else
        return false
        #endif
    }

    /// Takes back the packet that is held, if there is one, for `body` to send or to keep.
    public func takeHeld(_ body: (UnsafeRawBufferPointer) -> Void) {
        #if os(Linux) || os(Android)
        guard holds else { return }
        if unsentCode == 0 { ring?._withUnsafeGuaranteedRef { $0.takeBack(heldPlace) } }
        let packet = heldPacket
        heldCount = 0
        unsentCode = 0
        isUnsentTold = false
        body(packet)
        #endif
    }

    private var heldPacket: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: held, count: heldCount) }

    // MARK: The end

    /// Ends reading, after sending what is held; the handler is not called again, and what was read and not told
    /// yet is lost. A second call does nothing.
    public func cancel() { if isReading { loop.remove(self) } }
}
