/// A result of reading a socket.
public enum SocketRead {
    /// The data of one read: a packet where the socket keeps packet boundaries. The memory is valid until the next
    /// result is taken.
    case bytes(UnsafeRawBufferPointer)
    /// The peer closed; no result follows.
    case closed
    /// The socket failed with this `errno`; no result follows.
    case failed(Int32)
    /// The held packet was not sent, because of this `errno`, and is still held. It is delivered before received data.
    case unsent(Int32)
}

/// A socket that a ``RadioLoop`` reads by itself, so that waiting and reading are one system call. Confined to the
/// loop.
///
/// The loop retains the reader, and stays alive itself, until ``cancel()`` or the end of the socket; cancel the reader
/// before the descriptor is closed.
public final class SocketReader {
    let descriptor: Int32
    /// Called with the reader when there are results to take.
    let handler: (SocketReader) -> Void
    /// The token of its completions.
    var token = noToken
    /// The token of a reader that does not read yet, or has ended.
    static let noToken = UInt64.max
    var isReading: Bool { token != Self.noToken }
    /// True if it received data since its request was last made.
    var wasServed = false
    /// Proof of `unowned`: the reader is used on the loop only, and whoever runs the loop retains it: its thread, or a
    /// caller that runs as the loop.
    private unowned let loop: RadioLoop
    #if os(Linux) || os(Android)
    /// The ring that reads the socket; nil once reading has ended. A ring clears it before it is released, and the loop
    /// retains its ring, so the reference need not be counted, which every packet would pay for several times.
    var ring: Unmanaged<ReadRing>?
    #endif
    private let held = UnsafeMutableRawPointer.allocate(byteCount: heldCapacity, alignment: 1)
    private var heldCount = 0
    /// The place of the held packet in the ring's queue, until it is submitted.
    private var heldPlace: UInt64 = 0
    /// The `errno` for which the held packet was not sent; 0 where it did not fail.
    var unsentCode: Int32 = 0
    private var isUnsentTold = false
    /// True once the handler has received nil from ``next()``.
    private var hasToldAll = false

    /// Capacity for the held packet, in bytes; longer packets are sent at once.
    private static let heldCapacity = 1024

    init(descriptor: Int32, loop: RadioLoop, handler: @escaping (SocketReader) -> Void) {
        self.descriptor = descriptor
        self.loop = loop
        self.handler = handler
    }

    deinit { held.deallocate() }

    // MARK: Reading

    /// Returns the next result; nil when drained. Only the handler may call this, until nil; unread data is discarded.
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

    /// Calls the handler, and discards the results that it does not take.
    func tell() {
        hasToldAll = false
        handler(self)
        while !hasToldAll { _ = next() }
    }

    // MARK: Sending

    /// Holds a packet to be sent with the system call of the loop's next wait, on a non-blocking socket that keeps
    /// packet boundaries. Only one packet can be held: call ``takeHeld(_:)`` before.
    /// - Returns: true if the packet is held; if false, send it.
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

    /// True if a packet is held.
    public var holds: Bool {
        #if os(Linux) || os(Android)
        guard heldCount > 0 else { return false }
        return unsentCode != 0 || (ring?._withUnsafeGuaranteedRef { $0.isQueued(heldPlace) } ?? false)
        #else
        return false
        #endif
    }

    /// Takes back the held packet, if there is one, for `body` to send or to store.
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

    /// Ends reading, after the held packet was sent; the handler is not called again, and undelivered data is lost.
    /// Further calls do nothing.
    public func cancel() { if isReading { loop.remove(self) } }
}
