import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An LE credit-based L2CAP channel as a socket of the kernel: each packet is a message. Confined to the loop.
///
/// Unconsumed messages stay in the kernel, which returns no credits for them.
final class SocketChannel: BackendChannel {
    private enum State {
        case open
        /// The socket has ended; BlueZ is about to report whether the whole link did.
        case ending(RadioError?)
        case closed(RadioError?)
    }

    let psm: UInt16
    let peerMTU: Int
    let peer: PeripheralID
    private let loop: RadioLoop
    private var descriptor: Int32?
    /// Nil until a receiver is attached: until then even the end is not reported.
    private var watch: FileWatch?
    private var state = State.open
    private var outgoing: [(bytes: [UInt8], completion: (Result<Void, RadioError>) -> Void)] = []
    private var receiver: ((ByteView) -> Void)?
    private var closed: ((RadioError?) -> Void)?
    /// Messages delivered and not consumed yet.
    private var unconsumed = 0
    /// Called once, when the channel has ended, for an owner that keeps a list.
    var onEnd: (() -> Void)?
    private lazy var grace = loop.makeTimer { [weak self] in
        guard let self, case .ending(let error) = state else { return }
        finish(error)
    }

    /// The number of messages that are delivered before the first was consumed.
    private static let window = 8
    /// Limit of messages that wait to be sent.
    private static let capacity = 64
    /// The time that BlueZ may take to report that a link has ended, after the kernel has closed its sockets.
    private static let graceTime = Duration.milliseconds(500)

    /// Takes ownership of the connected, non-blocking `descriptor`.
    init(_ descriptor: Int32, psm: UInt16, peer: PeripheralID, peerMTU: Int, loop: RadioLoop) {
        self.descriptor = descriptor
        self.psm = psm
        self.peer = peer
        self.peerMTU = peerMTU
        self.loop = loop
    }

    deinit { closeSocket() }

    private func happened(_ events: FileEvents) {
        if events.contains(.writable) { flush() }
        if events.contains(.readable) || events.contains(.failed) { read(untilEnd: events.contains(.failed)) }
    }

    private func updateInterest() {
        var interest: FileEvents = []
        if receiver != nil, unconsumed < Self.window { interest.insert(.readable) }
        if !outgoing.isEmpty { interest.insert(.writable) }
        watch?.interest = interest
    }

    // MARK: Receiving

    func attach(receive: @escaping (ByteView) -> Void, closed: @escaping (RadioError?) -> Void) {
        if case .closed(let error) = state { return closed(error) }
        receiver = receive
        self.closed = closed
        if let descriptor, watch == nil {
            watch = loop.watch(descriptor, for: []) { [weak self] events in self?.happened(events) }
        }
        updateInterest()
    }

    func consumed() {
        unconsumed = max(0, unconsumed - 1)
        updateInterest()
    }

    /// Reads received messages up to the window; all of them where nothing can follow.
    private func read(untilEnd isLast: Bool) {
        withUnsafeTemporaryAllocation(byteCount: Int(L2CAPSocket.receiveMTU), alignment: 1) { buffer in
            while let descriptor, let receiver, isLast || unconsumed < Self.window {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 || count == 0 && !isHungUp(descriptor) {
                    unconsumed += 1
                    receiver(ByteView(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
                } else if count == 0 {
                    ended(0)
                } else if errno == EAGAIN {
                    break
                } else if errno != EINTR {
                    ended(errno)
                }
            }
        }
        updateInterest()
    }

    // MARK: Sending

    func write(_ bytes: [UInt8], completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard descriptor != nil else { return completion(.failure(.notConnected)) }
        guard bytes.count <= peerMTU else {
            return completion(.failure(.invalidArgument("\(bytes.count) octets exceed the peer's MTU of \(peerMTU)")))
        }
        guard outgoing.count < Self.capacity else {
            return completion(.failure(.limit("\(Self.capacity) messages are already queued")))
        }
        outgoing.append((bytes, completion))
        if outgoing.count == 1 { flush() }
    }

    private func flush() {
        while let descriptor, let next = outgoing.first {
            let count = next.bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { break }
            if count < 0 { return ended(errno) }
            outgoing.removeFirst()
            next.completion(.success(()))
        }
        updateInterest()
    }

    // MARK: The end

    func close() { finish(nil) }

    func end(_ error: RadioError) { finish(error) }

    /// Ends the channel with the error of the link.
    func linkEnded(_ error: RadioError) {
        if receiver != nil, descriptor != nil { read(untilEnd: true) }
        finish(error)
    }

    /// Handles the end of the socket. A channel closed by the peer and one whose link ended look alike.
    private func ended(_ code: Int32) {
        guard case .open = state else { return }
        closeSocket()
        let isOrderly = [0, ECONNRESET, EPIPE, ECONNABORTED].contains(code)
        let error = isOrderly ? nil : L2CAPSocket.meaning(of: code, psm: psm)
        state = .ending(error)
        failOutgoing(error ?? .disconnected(.remoteUserTerminated))
        grace.arm(at: loop.now + Self.graceTime)
    }

    private func finish(_ error: RadioError?) {
        if case .closed = state { return }
        state = .closed(error)
        grace.disarm()
        closeSocket()
        failOutgoing(error ?? .disconnected(.localHostTerminated))
        receiver = nil
        let (closed, onEnd) = (closed, onEnd)
        self.closed = nil
        self.onEnd = nil
        closed?(error)
        onEnd?()
    }

    private func closeSocket() {
        watch?.cancel()
        watch = nil
        if let descriptor { closeDescriptor(descriptor) }
        descriptor = nil
    }

    private func failOutgoing(_ error: RadioError) {
        let waiting = outgoing
        outgoing = []
        for message in waiting { message.completion(.failure(error)) }
    }
}
