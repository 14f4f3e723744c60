import BluetoothModel
import BluetoothRuntime
import DequeModule

/// One channel of the attribute protocol, both sides of it: the MTU, the request on the air and those behind it, the
/// transaction timer, the pending indication, and what waits for room (Core 6.0, Vol 3, Part F, 3.2.11 and 3.3).
public final class ATTBearer {
    /// The MTU until it was exchanged (Core 6.0, Vol 3, Part G, 5.2.1).
    public static let minimumMTU = 23
    /// The MTU that carries the longest value, 512 octets, in one packet of any kind.
    public static let maximumMTU = 517
    /// How long a request or an indication may stay unanswered (Core 6.0, Vol 3, Part F, 3.3.3), in nanoseconds.
    static let transactionTimeout: Int64 = 30_000_000_000

    enum State {
        case open
        /// Nothing is sent any more.
        case closed
    }

    /// Whether the peer's request is being answered.
    enum AnswerState {
        case idle
        case answering
    }

    /// The progress of the one exchange that a client may make.
    enum MTUExchange {
        case notAsked
        case asked([(Result<Int, RadioError>) -> Void])
        case done
    }

    /// The largest packet that both sides send, 23 to 517 octets.
    public internal(set) var mtu = ATTBearer.minimumMTU
    let channel: any ATTChannel
    let faults: LinkFaults
    /// The largest packet that we receive.
    let localMTU: Int

    weak var client: GATTClient?
    weak var server: GATTServerSession?
    /// Who has the keys for signed writes.
    weak var signer: (any AttributeSigner)?

    var state = State.open
    var slot = ATTRequestSlot.idle
    var queue: Deque<ATTPendingRequest> = []
    var backgroundQueue: Deque<ATTPendingRequest> = []
    var mtuExchange = MTUExchange.notAsked
    var peerExchangedMTU = false
    var answer = AnswerState.idle
    var outbox = ATTOutbox()
    var indications = ATTIndicationQueue()
    var writer = ByteWriter(capacity: ATTBearer.maximumMTU)

    private var lastID: UInt64 = 0
    var armedDeadline: RadioInstant?
    private(set) lazy var transactionTimer = channel.timers.makeTimer { [weak self] in self?.transactionTimedOut() }
    private(set) lazy var indicationTimer = channel.timers.makeTimer { [weak self] in self?.transactionTimedOut() }
    private(set) lazy var deadlineTimer = channel.timers.makeTimer { [weak self] in self?.deadlinePassed() }

    init(channel: any ATTChannel, localMTU: Int, faults: LinkFaults) {
        self.channel = channel
        self.localMTU = min(max(localMTU, Self.minimumMTU), Self.maximumMTU)
        self.faults = faults
    }

    /// Whether packets can still be sent.
    public var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// A name for an operation, never used before on this link.
    func makeOperationID() -> ATTOperationID {
        lastID &+= 1
        return ATTOperationID(rawValue: lastID)
    }

    /// An operation that begins now.
    func makeOperation(timeout: Duration?, lane: ATTOperation.Lane = .normal) -> ATTOperation {
        ATTOperation(id: makeOperationID(), deadline: timeout.map { channel.now + $0 }, lane: lane)
    }

    // MARK: Receiving

    /// Takes one packet.
    func receive(_ packet: ByteView) {
        guard isOpen else { return }
        guard !packet.isEmpty else { return faults.add(.malformedAttribute) }
        guard let opcode = ATTOpcode(rawValue: packet[0]) else { return receiveUnknown(packet[0]) }
        switch opcode.kind {
        case .response: receiveResponse(opcode, packet)
        case .notification: receiveNotification(opcode, packet)
        case .request: receiveRequest(opcode, packet)
        case .command: receiveCommand(opcode, packet)
        case .indication: receiveIndication(packet)
        case .confirmation: receiveConfirmation(packet)
        }
    }

    private func receiveUnknown(_ opcode: UInt8) {
        if ATTOpcode.isCommand(opcode) { return faults.add(.ignoredCommand) }
        guard case .idle = answer else { return faults.add(.requestTooEarly) }
        answer = .answering
        respondError(opcode: opcode, handle: 0, .requestNotSupported)
    }

    /// The link has room again: what waits goes out in the order in which it came.
    func roomAvailable() {
        guard isOpen else { return }
        sendWaiting()
        guard isOpen, outbox.isEmpty, channel.hasRoom else { return }
        client?.bearerHasRoom()
        server?.bearerHasRoom()
    }

    // MARK: The end

    private func transactionTimedOut() {
        guard isOpen else { return }
        let channel = channel
        close(.timeout)
        channel.disconnect()
    }

    /// Sends nothing more, and ends everything that waits with `error`.
    func close(_ error: RadioError) {
        guard isOpen else { return }
        state = .closed
        transactionTimer.disarm()
        indicationTimer.disarm()
        deadlineTimer.disarm()
        let commands = outbox.removeAll()
        let confirmations = indications.removeAll()
        let waiting = queue + backgroundQueue
        let current = slot
        slot = .idle
        queue = []
        backgroundQueue = []
        if case .waiting(let pending) = current { pending.completion(.failure(error)) }
        for pending in waiting { pending.completion(.failure(error)) }
        for item in commands { item.completion(.failure(error)) }
        for completion in confirmations { completion(.failure(error)) }
        server?.bearerClosed()
    }
}
