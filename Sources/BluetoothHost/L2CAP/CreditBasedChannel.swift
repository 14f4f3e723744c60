import BluetoothModel
import BluetoothRuntime
import DequeModule

/// A connection-oriented channel with credit-based flow control: messages in both directions, delivered whole and in
/// order (Core 6.0, Vol 3, Part A, 10.1).
///
/// The peer may send while received messages are consumed: ``consumed()`` returns the credits of one message.
package final class CreditBasedChannel {
    enum State {
        /// The connection request was sent and is not answered yet.
        case connecting
        case open
        /// The disconnection request was sent; the value is its cause, nil for a local request.
        case closing(RadioError?)
        case closed(RadioError?)
    }

    private struct Message {
        var bytes: [UInt8]
        var completion: (Result<Void, RadioError>) -> Void
    }

    /// A received message and the number of credits it used.
    private struct Delivery {
        var bytes: [UInt8]
        var credits: Int
    }

    /// The maximum number of messages in the send queue.
    private static let capacity = 64

    /// The PSM (protocol/service multiplexer) that the channel was opened to.
    package let psm: UInt16
    /// The link; nil once it has closed.
    package var link: L2CAPLink? { table?.link }
    /// The maximum length of a received message, in octets.
    package let mtu: Int
    /// The maximum length of a message that the peer accepts, in octets.
    package private(set) var peerMTU = 23

    let localCID: UInt16
    private(set) var peerCID: UInt16 = 0
    private let mps: Int
    private var peerMPS = 23
    /// nil once the channel is closed.
    private var table: CreditBasedChannelTable?
    private(set) var state = State.connecting

    // Sending.
    private var credits = 0
    private var messages: Deque<Message> = []
    private var offset = 0
    private var isSending = false
    private var writer = ByteWriter(capacity: 256)

    // Receiving.
    private var peerCredits: Int
    private var assembled: [UInt8] = []
    private var expected: Int?
    /// The credits of the message that is being reassembled: those the peer has used, and those returned before the end
    /// of the message because the peer had none left.
    private var usedCredits = 0, returnedCredits = 0
    private var backlog: Deque<Delivery> = []
    /// The credits of messages that were delivered but not consumed yet.
    private var unconsumed: Deque<Int> = []
    private var receiver: ((ByteView) -> Void)?
    private var closed: ((RadioError?) -> Void)?

    init(
        psm: UInt16, localCID: UInt16, configuration: CreditBasedChannelConfiguration, table: CreditBasedChannelTable
    ) {
        self.psm = psm
        self.localCID = localCID
        self.table = table
        mtu = configuration.mtu
        mps = configuration.mps
        peerCredits = configuration.initialCredits
    }

    /// True while messages can be sent.
    package var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// True while the connection request is not answered.
    var isConnecting: Bool {
        if case .connecting = state { true } else { false }
    }

    /// Appends the MTU, MPS and initial credits of the local side.
    func describe(to writer: inout ByteWriter) {
        writer.uint16(UInt16(mtu))
        writer.uint16(UInt16(mps))
        writer.uint16(UInt16(peerCredits))
    }

    func opened(peerCID: UInt16, mtu: UInt16, mps: UInt16, credits: UInt16) {
        self.peerCID = peerCID
        peerMTU = Int(mtu)
        peerMPS = Int(mps)
        self.credits = Int(credits)
        state = .open
    }

    // MARK: Receiving

    /// Registers the receiver of messages; those received earlier are delivered first. Each message must be
    /// acknowledged with ``consumed()``. Views are valid only during the call. `closed` is called once, after the last
    /// message, with nil if one of the sides closed the channel normally.
    package func attach(receive: @escaping (ByteView) -> Void, closed: @escaping (RadioError?) -> Void) {
        receiver = receive
        while let delivery = backlog.popFirst() {
            unconsumed.append(delivery.credits)
            delivery.bytes.withByteView { receive($0) }
        }
        if case .closed(let error) = state {
            receiver = nil
            closed(error)
        } else {
            self.closed = closed
        }
    }

    /// Acknowledges the oldest unconsumed message and returns its credits to the peer.
    package func consumed() {
        guard let credits = unconsumed.popFirst() else { return }
        give(credits)
    }

    private func give(_ count: Int) {
        guard count > 0, case .open = state else { return }
        peerCredits += count
        table?.signalling.inform(LESignalCode.flowControlCredit) { writer in
            writer.uint16(localCID)
            writer.uint16(UInt16(clamping: count))
        }
    }

    /// Processes one frame of the peer.
    func receive(_ frame: ByteView) {
        guard case .open = state else { return }
        guard peerCredits > 0 else { return fail("a frame without a credit") }
        guard frame.count <= mps else { return fail("a frame longer than the MPS") }
        peerCredits -= 1
        usedCredits += 1
        var part = frame
        if expected == nil {
            guard frame.count >= 2 else { return fail("a message without a length") }
            let length = Int(frame.uint16(at: 0))
            guard length <= mtu else { return fail("a message longer than the MTU") }
            part = frame.dropFirst(2)
            if part.count == length { return deliver(part) }
            expected = length
            assembled.removeAll(keepingCapacity: true)
        }
        guard let expected, assembled.count + part.count <= expected else {
            return fail("a message longer than its length field")
        }
        assembled.append(contentsOf: part.unsafeBytes)
        if assembled.count == expected {
            self.expected = nil
            let message = assembled
            assembled = []
            message.withByteView { deliver($0) }
        } else if peerCredits == 0 {
            // With small frames the peer can run out of credits before the end of the message, which cannot be consumed
            // earlier.
            let early = usedCredits - returnedCredits
            returnedCredits += early
            give(early)
        }
    }

    private func deliver(_ message: ByteView) {
        let credits = usedCredits - returnedCredits
        usedCredits = 0
        returnedCredits = 0
        guard let receiver else {
            return backlog.append(Delivery(bytes: message.array, credits: credits))
        }
        unconsumed.append(credits)
        receiver(message)
    }

    // MARK: Sending

    /// Sends one message of at most ``peerMTU`` octets; completes when the link has accepted all of it.
    package func write(_ bytes: [UInt8], completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard case .open = state else { return completion(.failure(.notConnected)) }
        guard bytes.count <= peerMTU else {
            return completion(.failure(.invalidArgument("\(bytes.count) octets exceed the peer's MTU of \(peerMTU)")))
        }
        guard messages.count < Self.capacity else {
            return completion(.failure(.limit("\(Self.capacity) messages are already queued")))
        }
        messages.append(Message(bytes: bytes, completion: completion))
        send()
    }

    /// Sends as many frames as credits and the link permit.
    func send() {
        // If a completion calls `write`, the loop that called the completion sends the message.
        guard !isSending else { return }
        isSending = true
        while sendFrame() {}
        isSending = false
    }

    /// Sends one frame; returns false without a message, a credit or room.
    func sendFrame() -> Bool {
        guard case .open = state, credits > 0, !messages.isEmpty, let transmitter = table?.transmitter,
            transmitter.hasRoom
        else { return false }
        // A copy of the octets alone; a copy of the message would also retain the completion, for each frame.
        let bytes = messages[0].bytes
        writer.reset()
        if offset == 0 { writer.uint16(UInt16(bytes.count)) }
        bytes.withByteView { writer.append($0.dropFirst(offset).prefix(peerMPS - writer.count)) }
        offset += writer.count - (offset == 0 ? 2 : 0)
        credits -= 1
        writer.withByteView { transmitter.sendValue(cid: peerCID, $0) }
        if offset == bytes.count {
            offset = 0
            messages.removeFirst().completion(.success(()))
        }
        return true
    }

    /// Adds credits from the peer.
    func receiveCredits(_ count: UInt16) {
        guard case .open = state else { return }
        guard credits + Int(count) <= 65_535 else { return fail("more than 65,535 credits") }
        credits += Int(count)
        send()
    }

    // MARK: Closing

    /// Closes the channel; queued messages fail.
    /// - Parameter error: the reason of an end that the user of the channel did not request.
    package func close(_ error: RadioError? = nil) {
        switch state {
        case .connecting: table?.abandon(self)
        case .open: disconnect(error)
        case .closing, .closed: break
        }
    }

    private func fail(_ what: String) { disconnect(.invalidResponse("the peer sent \(what)")) }

    private func disconnect(_ error: RadioError?) {
        state = .closing(error)
        let request: LESignalling.Completion = { [weak self] _ in
            // The channel ends with any result: a response, a timeout, or a rejection because the peer no longer has
            // it.
            self?.finish(error)
        }
        table?.signalling.request(
            LESignalCode.disconnectionRequest, response: LESignalCode.disconnectionResponse, completion: request
        ) { writer in
            writer.uint16(peerCID)
            writer.uint16(localCID)
        }
        failMessages(error ?? .disconnected(.localHostTerminated))
    }

    /// Handles a disconnection request of the peer, possibly while a local one is outstanding.
    func closedByPeer() {
        if case .closing(let error) = state { return finish(error) }
        failMessages(.disconnected(.remoteUserTerminated))
        finish(nil)
    }

    /// Completes the end of the channel. No call follows this one.
    func finish(_ error: RadioError?) {
        if case .closed = state { return }
        state = .closed(error)
        table?.remove(self)
        table = nil
        failMessages(error ?? .disconnected(.localHostTerminated))
        receiver = nil
        let closed = closed
        self.closed = nil
        closed?(error)
    }

    private func failMessages(_ error: RadioError) {
        let waiting = messages
        messages = []
        offset = 0
        for message in waiting { message.completion(.failure(error)) }
    }
}
