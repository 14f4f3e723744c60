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
    let descriptor: Int32
    /// Called with the reader when there are results to take.
    let handler: (SocketReader) -> Void
    /// The token of its completions.
    var token = noToken
    /// The token of a reader that does not read yet, or has ended.
    static let noToken = UInt64.max
    /// The token of a reader without completions.
    static let directToken = UInt64.max - 1
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
    /// The receiver that reads the socket, in place of a ring; the same holds for it.
    var direct: Unmanaged<DirectReceiver>?
    #endif
    #if os(Linux) || os(Android)
    /// Proof of `@exclusivity(unchecked)`: no access spans a call that leads back here; the callbacks of
    /// ``takeHeld(_:)`` hold no packets. Every packet would pay for the checks.
    @exclusivity(unchecked) private var held = HeldPackets()
    #endif
    /// The place of the last held packet in the ring's queue, until it is submitted.
    private var heldPlace: UInt64 = 0
    /// The `errno` for which held packets were not sent; 0 if they did not fail.
    var unsentCode: Int32 = 0
    private var isUnsentTold = false
    /// True once the handler has taken the results.
    private var hasTakenAll = false

    init(descriptor: Int32, loop: RadioLoop, handler: @escaping (SocketReader) -> Void) {
        self.descriptor = descriptor
        self.loop = loop
        self.handler = handler
    }

    // MARK: Reading

    /// Calls `body` with each result that has arrived, in order. Only the handler may call this; results that it does
    /// not take are discarded.
    public func takeAll(_ body: (SocketRead) -> Void) {
        #if os(Linux) || os(Android)
        hasTakenAll = true
        if unsentCode != 0, !isUnsentTold {
            isUnsentTold = true
            body(.unsent(unsentCode))
        }
        if let direct {
            direct._withUnsafeGuaranteedRef { $0.takeAll(body) }
        } else {
            while let read = ring?._withUnsafeGuaranteedRef({ $0.take(for: self) }) { body(read) }
        }
        #endif
    }

    /// Calls the handler, and discards the results that it does not take.
    func tell() {
        hasTakenAll = false
        handler(self)
        if !hasTakenAll { takeAll { _ in } }
    }

    // MARK: Sending

    /// Holds a packet to be sent with the loop's next wait, on a non-blocking socket that keeps packet boundaries. The
    /// last held packet is sent by the system call that waits, if that is a ring's, and the others by one before it.
    /// - Returns: true if the packet is held; if false, take the held ones with ``takeHeld(_:)`` and send all.
    public func hold(_ packet: UnsafeRawBufferPointer) -> Bool {
        #if os(Linux) || os(Android)
        guard packet.count <= HeldPackets.longest, unsentCode == 0 else { return false }
        if let direct { return direct._withUnsafeGuaranteedRef { hold(packet, $0) } }
        return ring?._withUnsafeGuaranteedRef { ring in
            guard !ring.isAsleep else { return false }
            if held.count > 0, ring.isQueued(heldPlace) {
                ring.takeBack(heldPlace)
                if held.isFull, !send(held.count) { return false }
            } else {
                held.removeAll()
            }
            held.append(packet)
            if held.count == 2 { ring.sendsFirst(for: self) }
            heldPlace = ring.send(held.last, for: self)
            // Making room in the ring may have sent the others, and failed.
            if unsentCode != 0 { ring.takeBack(heldPlace) }
            return true
        } ?? false
        #else
        return false
        #endif
    }

    /// True if a packet is held.
    public var holds: Bool {
        #if os(Linux) || os(Android)
        guard held.count > 0 else { return false }
        if direct != nil { return true }
        return unsentCode != 0 || (ring?._withUnsafeGuaranteedRef { $0.isQueued(heldPlace) } ?? false)
        #else
        return false
        #endif
    }

    /// Takes back the held packets, in order, for `body` to send or to store. `body` must not hold packets.
    public func takeHeld(_ body: (UnsafeRawBufferPointer) -> Void) {
        #if os(Linux) || os(Android)
        guard holds else { return }
        if unsentCode == 0 { ring?._withUnsafeGuaranteedRef { $0.takeBack(heldPlace) } }
        unsentCode = 0
        isUnsentTold = false
        held.removeAll(body)
        #endif
    }

    #if os(Linux) || os(Android)
    private func hold(_ packet: UnsafeRawBufferPointer, _ direct: DirectReceiver) -> Bool {
        guard !direct.isAsleep, !held.isFull || send(held.count) else { return false }
        held.append(packet)
        direct.holds = true
        return true
    }

    /// Sends all held packets.
    /// - Returns: false if that failed.
    func sendAll() -> Bool { held.count == 0 || unsentCode != 0 || send(held.count) }

    /// Sends all held packets but the last, which the ring is about to send.
    /// - Returns: false if that failed. The ring then does not send the last one either.
    func sendAllButLast() -> Bool {
        guard held.count > 1, unsentCode == 0, !send(held.count - 1) else { return true }
        ring?._withUnsafeGuaranteedRef { if $0.isQueued(heldPlace) { $0.takeBack(heldPlace) } }
        return false
    }

    private func send(_ count: Int) -> Bool {
        unsentCode = held.send(count, to: descriptor)
        return unsentCode == 0
    }
    #endif

    // MARK: The end

    /// Ends reading, after the held packets were sent; the handler is not called again, and undelivered data is lost.
    /// Further calls do nothing.
    public func cancel() { if isReading { loop.remove(self) } }
}
