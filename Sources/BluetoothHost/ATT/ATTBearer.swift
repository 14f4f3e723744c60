import BluetoothModel
import BluetoothRuntime

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
    ///
    /// Not checked for overlapping access, which every packet would pay for: a number, read and set as a whole.
    @exclusivity(unchecked) public internal(set) var mtu = ATTBearer.minimumMTU
    let channel: any ATTChannel
    let faults: LinkFaults
    /// The largest packet that we receive.
    let localMTU: Int

    // Both take themselves out when they go. Weak references would make each count of theirs several times as slow. They are
    // not checked for overlapping access, which every packet would pay for: they are read and set as a whole.
    @exclusivity(unchecked) unowned var client: GATTClient?
    @exclusivity(unchecked) unowned var server: GATTServerSession?
    /// Who has the keys for signed writes.
    weak var signer: (any AttributeSigner)?

    var state = State.open
    /// Who was told that nothing goes out at once.
    struct RoomWaiters: OptionSet {
        let rawValue: UInt8
        static let client = RoomWaiters(rawValue: 1), server = RoomWaiters(rawValue: 2)
    }
    var roomWaiters: RoomWaiters = []

    /// Not checked for overlapping access, which every packet would pay for: it is set and taken as a whole.
    @exclusivity(unchecked) var slot = ATTRequestSlot.idle
    /// The opcode of the request in the slot, 0 where there is none: a plain value, for every packet asks.
    var awaitedRequest: UInt8 = 0
    let queue = ATTRequestQueue()
    var mtuExchange = MTUExchange.notAsked
    var peerExchangedMTU = false
    var answer = AnswerState.idle
    let outbox = ATTOutbox()
    let notifications = ATTNotificationQueue()
    var indications = ATTIndicationQueue()
    /// When the peer, as a subscriber, last took a notification and last confirmed an indication.
    var notificationProgress = SubscriberProgress(), indicationProgress = SubscriberProgress()
    /// Where a packet is built before it is sent. Not checked for overlapping access, which every packet would pay for: a
    /// channel takes a packet or keeps a copy, and calls nobody before ``ATTChannel/send(_:)`` returns.
    @exclusivity(unchecked) var writer = ByteWriter(capacity: ATTBearer.maximumMTU)

    /// An indication is being handed over, and who holds its confirmation.
    var isHandingOverIndication = false
    var heldConfirmation: HeldATTConfirmation?

    private var lastID: UInt64 = 0
    /// The bits of ``ATTOperationID/caller`` in the operations that begin from now on.
    var caller: UInt64 = 0
    var armedDeadline: RadioInstant?
    /// When the request on the air has to be answered. The timer is left as it is, for requests follow each other.
    var transactionDeadline = RadioInstant.start
    let transactionTimer: QueuedTimer, indicationTimer: QueuedTimer, deadlineTimer: QueuedTimer
    let stallTimer: QueuedTimer

    init(channel: any ATTChannel, localMTU: Int, faults: LinkFaults) {
        self.channel = channel
        self.localMTU = min(max(localMTU, Self.minimumMTU), Self.maximumMTU)
        self.faults = faults
        transactionTimer = channel.timers.makeTimer()
        indicationTimer = channel.timers.makeTimer()
        deadlineTimer = channel.timers.makeTimer()
        stallTimer = channel.timers.makeTimer()
        transactionTimer.onFire = { [unowned self] in lookAtTransaction() }
        indicationTimer.onFire = { [unowned self] in transactionTimedOut() }
        deadlineTimer.onFire = { [unowned self] in deadlinePassed() }
        stallTimer.onFire = { [unowned self] in stallTimerFired() }
    }

    deinit { disarmTimers() }

    private func disarmTimers() {
        transactionTimer.disarm()
        indicationTimer.disarm()
        deadlineTimer.disarm()
        stallTimer.disarm()
    }

    /// Whether packets can still be sent.
    public var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// A name for an operation, never used before on this link.
    func makeOperationID() -> ATTOperationID {
        lastID &+= 1
        return ATTOperationID(rawValue: caller | lastID)
    }

    /// An operation that begins now.
    func makeOperation(timeout: Duration?, lane: ATTOperation.Lane = .normal) -> ATTOperation {
        var id = makeOperationID()
        // The stack's own errands belong to no caller.
        if lane == .background { id = ATTOperationID(rawValue: lastID) }
        return ATTOperation(id: id, deadline: timeout.map { channel.now + $0 }, lane: lane)
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
        guard isOpen else { return }
        if notifications.isEmpty { notificationProgress.progressed(at: channel.now, isIdle: true) }
        tellRoom()
        guard isOpen, roomWaiters.contains(.client), outbox.isEmpty, channel.hasRoom else { return }
        roomWaiters.remove(.client)
        client?.bearerHasRoom()
    }

    // MARK: The end

    private func lookAtTransaction() {
        guard awaitedRequest != 0 else { return }
        if transactionDeadline > channel.now {
            transactionTimer.arm(at: transactionDeadline)
        } else {
            transactionTimedOut()
        }
    }

    private func transactionTimedOut() {
        guard isOpen else { return }
        let channel = channel
        close(.timeout)
        channel.disconnect()
    }

    /// The link is gone, so nothing holds it any longer.
    func linkClosed(_ error: RadioError) {
        close(error)
        channel.close()
    }

    /// Sends nothing more, and ends everything that waits with `error`.
    func close(_ error: RadioError) {
        guard isOpen else { return }
        state = .closed
        disarmTimers()
        let commands = outbox.removeAll()
        let values = notifications.removeAll()
        let confirmations = indications.removeAll()
        let waiting = queue.removeAll()
        let current = slot.take()
        awaitedRequest = 0
        if let current { current.completion(.failure(error)) }
        for pending in waiting { pending.completion(.failure(error)) }
        for item in commands { item.completion(.failure(error)) }
        for item in values { item.completion(.failure(error)) }
        for completion in confirmations { completion(.failure(error)) }
        server?.bearerClosed()
    }
}
