import BluetoothModel
import BluetoothRuntime
import DequeModule

/// A connection-oriented channel with credits: messages both ways, each whole and in order
/// (Core 6.0, Vol 3, Part A, 10.1).
///
/// The peer may send as long as the messages that came in are consumed: ``consumed()`` gives the credits of one message
/// back.
public final class CreditBasedChannel {
    enum State {
        /// We asked and wait for the answer.
        case connecting
        case open
        /// We asked to end it; why, unless somebody here wanted it.
        case closing(RadioError?)
        case closed(RadioError?)
    }

    private struct Message {
        var bytes: [UInt8]
        var completion: (Result<Void, RadioError>) -> Void
    }

    /// A message that came in, and the credits that it cost.
    private struct Delivery {
        var bytes: [UInt8]
        var credits: Int
    }

    /// How many messages may wait to be sent.
    private static let capacity = 64

    /// The protocol/service multiplexer that the channel was opened to.
    public let psm: UInt16
    /// The link; nil once it is gone.
    public var link: L2CAPLink? { table?.link }
    /// The longest message that we receive.
    public let mtu: Int
    /// The longest message that the peer receives.
    public private(set) var peerMTU = 23

    let localCID: UInt16
    private(set) var peerCID: UInt16 = 0
    private let mps: Int
    private var peerMPS = 23
    /// Nil once the channel is closed.
    private var table: CreditBasedChannelTable?
    private(set) var state = State.connecting

    // What we send.
    private var credits = 0
    private var messages: Deque<Message> = []
    private var offset = 0
    private var isSending = false
    private var writer = ByteWriter(capacity: 256)

    // What we receive.
    private var peerCredits: Int
    private var assembled: [UInt8] = []
    private var expected: Int?
    /// Credits of the message that is being assembled: used by the peer, and given back early because it had no more.
    private var usedCredits = 0, returnedCredits = 0
    private var backlog: Deque<Delivery> = []
    /// Credits of messages that were handed over and not consumed yet.
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

    /// Whether messages can be sent.
    public var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Whether the peer has not answered yet.
    var isConnecting: Bool {
        if case .connecting = state { true } else { false }
    }

    /// What we tell the peer about our side: MTU, MPS and credits.
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

    /// Takes over the messages that come in, those from before first. Each has to be acknowledged with ``consumed()``;
    /// views are valid during the call. `closed` is called once, last: with nil where one of the
    /// sides ended the channel in good order.
    public func attach(receive: @escaping (ByteView) -> Void, closed: @escaping (RadioError?) -> Void) {
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

    /// The reader has taken one message, the oldest that it has: the peer may send as much again.
    public func consumed() {
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

    /// Takes one frame of the peer.
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
            return fail("a message longer than it says")
        }
        assembled.append(contentsOf: part.unsafeBytes)
        if assembled.count == expected {
            self.expected = nil
            let message = assembled
            assembled = []
            message.withByteView { deliver($0) }
        } else if peerCredits == 0 {
            // Small frames: the peer cannot finish the message, and nobody could consume it before that.
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

    /// Sends one message of at most ``peerMTU`` octets; completes when the link has taken all of it.
    public func write(_ bytes: [UInt8], completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard case .open = state else { return completion(.failure(.notConnected)) }
        guard bytes.count <= peerMTU else {
            return completion(.failure(.invalidArgument("\(bytes.count) octets; the peer takes \(peerMTU) at once")))
        }
        guard messages.count < Self.capacity else {
            return completion(.failure(.limit("\(Self.capacity) messages wait already")))
        }
        messages.append(Message(bytes: bytes, completion: completion))
        send()
    }

    /// Sends as much as credits and the link allow.
    func send() {
        // A completion may write: its message is sent by the loop that called it.
        guard !isSending else { return }
        isSending = true
        while sendFrame() {}
        isSending = false
    }

    /// Sends one frame; false where there is nothing to send, no credit or no room.
    func sendFrame() -> Bool {
        guard case .open = state, credits > 0, let message = messages.first, let transmitter = table?.transmitter,
            transmitter.hasRoom
        else { return false }
        writer.reset()
        if offset == 0 { writer.uint16(UInt16(message.bytes.count)) }
        message.bytes.withByteView { writer.append($0.dropFirst(offset).prefix(peerMPS - writer.count)) }
        offset += writer.count - (offset == 0 ? 2 : 0)
        credits -= 1
        writer.withByteView { transmitter.sendValue(cid: peerCID, $0) }
        if offset == message.bytes.count {
            offset = 0
            messages.removeFirst()
            message.completion(.success(()))
        }
        return true
    }

    /// The peer gives credits.
    func receiveCredits(_ count: UInt16) {
        guard case .open = state else { return }
        guard credits + Int(count) <= 65_535 else { return fail("more than 65,535 credits") }
        credits += Int(count)
        send()
    }

    // MARK: The end

    /// Ends the channel; messages that still wait to be sent fail.
    public func close() {
        switch state {
        case .connecting: table?.abandon(self)
        case .open: disconnect(nil)
        case .closing, .closed: break
        }
    }

    private func fail(_ what: String) { disconnect(.invalidResponse("the peer sent \(what)")) }

    private func disconnect(_ error: RadioError?) {
        state = .closing(error)
        let request: LESignalling.Completion = { [weak self] _ in
            // The answer, its absence, or that the peer knows no such channel any more: it is over.
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

    /// The peer ended the channel, in good order, perhaps while we asked to.
    func closedByPeer() {
        if case .closing(let error) = state { return finish(error) }
        failMessages(.disconnected(.remoteUserTerminated))
        finish(nil)
    }

    /// It is over: nothing follows.
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
