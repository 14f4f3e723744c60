import BluetoothModel
import BluetoothRuntime

/// One bearer of the attribute protocol, client and server side: the MTU, the request in flight and those queued behind
/// it, the transaction timer, the pending indication, and packets queued until the link has room (Core 6.0, Vol 3, Part
/// F, 3.2.11 and 3.3).
package final class ATTBearer {
    /// The MTU before an exchange, in octets (Core 6.0, Vol 3, Part G, 5.2.1).
    package static let minimumMTU = 23
    /// The MTU at which the longest value, 512 octets, fits into one packet of any kind.
    package static let maximumMTU = 517
    /// The time after which an unanswered request or indication fails, in nanoseconds (Core 6.0, Vol 3, Part F, 3.3.3).
    static let transactionTimeout: Int64 = 30_000_000_000

    enum State {
        case open
        /// Nothing is sent in this state.
        case closed
    }

    /// The progress of the answer to the peer's request.
    enum AnswerState {
        case idle
        case answering
    }

    /// The progress of the one MTU exchange that a client may make.
    enum MTUExchange {
        case notAsked
        case asked([(Result<Int, RadioError>) -> Void])
        case done
    }

    /// The ATT MTU of both directions, 23 to 517 octets.
    package var mtu: Int { currentMTU }
    /// The same. It is stored without `package`, so that the compiler sees all accesses and needs no exclusivity check.
    var currentMTU = ATTBearer.minimumMTU
    let channel: ATTChannel
    let faults: ProtocolAnomalies
    /// The largest packet that this side receives, in octets.
    let localMTU: Int

    // Proof of `Unmanaged`: `GATTClient` and `GATTServerSession` set these references to nil in their `deinit`. Weak
    // references would make reference counting of both objects several times slower.
    private(set) var uncountedClient: Unmanaged<GATTClient>?
    private(set) var uncountedServer: Unmanaged<GATTServerSession>?
    var client: GATTClient? {
        get { uncountedClient?.takeUnretainedValue() }
        set { uncountedClient = newValue.map { .passUnretained($0) } }
    }
    var server: GATTServerSession? {
        get { uncountedServer?.takeUnretainedValue() }
        set { uncountedServer = newValue.map { .passUnretained($0) } }
    }
    /// The owner of the keys for signed writes.
    weak var signer: (any AttributeSigner)?

    var state = State.open
    /// The users that wait for room in the link.
    struct RoomWaiters: OptionSet {
        let rawValue: UInt8
        static let client = RoomWaiters(rawValue: 1), server = RoomWaiters(rawValue: 2)
    }
    var roomWaiters: RoomWaiters = []

    /// It is only set and taken as a whole, so that the compiler needs no exclusivity check.
    var slot = ATTRequestSlot.idle
    /// The opcode of the request in the slot, 0 if there is none. A separate integer because every packet reads it.
    var awaitedRequest: UInt8 = 0
    /// The operation whose request was in flight when the server last announced a change of its attributes.
    var operationDuringChange: LinkOperationID?
    let queue = ATTRequestQueue()
    var mtuExchange = MTUExchange.notAsked
    var answer = AnswerState.idle
    let outbox = ATTOutbox()
    let notifications = ATTNotificationQueue()
    var indications = ATTIndicationQueue()
    /// Progress of the peer as a subscriber: the last notification accepted and the last indication confirmed.
    var notificationProgress = SubscriberProgress(), indicationProgress = SubscriberProgress()
    /// The buffer in which packets are built. Proof of `@exclusivity(unchecked)`, and of views without a reference:
    /// accesses do not overlap, because a channel sends or copies the packet and calls no other code before
    /// ``ATTChannel/send(_:)`` returns. The check would cost time on every packet.
    @exclusivity(unchecked) var writer = ByteWriter(capacity: ATTBearer.maximumMTU)

    /// True while an indication is being delivered; `heldConfirmation` is its confirmation if a receiver holds it.
    var isHandingOverIndication = false
    var heldConfirmation: HeldATTConfirmation?

    private var lastID: UInt64 = 0
    /// The bits of ``LinkOperationID/caller`` in the operations that are created from now on.
    var caller: UInt64 = 0
    var armedDeadline: RadioInstant?
    /// The deadline of the request in flight. The timer is not rearmed for every request; `lookAtTransaction` checks
    /// this.
    var transactionDeadline = RadioInstant.start
    let transactionTimer: QueuedTimer, indicationTimer: QueuedTimer, deadlineTimer: QueuedTimer
    let stallTimer: QueuedTimer

    init(channel: ATTChannel, localMTU: Int, faults: ProtocolAnomalies) {
        self.channel = channel
        self.localMTU = min(max(localMTU, Self.minimumMTU), Self.maximumMTU)
        self.faults = faults
        transactionTimer = channel.timers.makeTimer()
        indicationTimer = channel.timers.makeTimer()
        deadlineTimer = channel.timers.makeTimer()
        stallTimer = channel.timers.makeTimer()
        // Proof of `unowned`: `deinit` disarms the timers.
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

    /// True while packets can be sent.
    package var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Returns an operation identifier that has not been used on this link.
    func makeOperationID() -> LinkOperationID {
        lastID &+= 1
        return LinkOperationID(rawValue: caller | lastID)
    }

    /// Creates an operation that starts now.
    /// - Parameter hasCaller: false for a request that serves several callers, and does not end with one of them.
    func makeOperation(
        timeout: Duration?, lane: ATTOperation.Lane = .normal, hasCaller: Bool = true
    ) -> ATTOperation {
        var id = makeOperationID()
        // The stack's own background requests belong to no caller.
        if lane == .background || !hasCaller { id = LinkOperationID(rawValue: lastID) }
        return ATTOperation(id: id, deadline: timeout.map { channel.now + $0 }, lane: lane)
    }

    // MARK: Receiving

    /// Processes one received packet. The caller retains the link, and thereby the client and the server.
    func receive(_ packet: ByteView) {
        guard isOpen else { return }
        guard !packet.isEmpty else { return faults.add(.malformedAttribute, packet) }
        guard let opcode = ATTOpcode(rawValue: packet[0]) else { return receiveUnknown(packet) }
        switch opcode.kind {
        case .response: receiveResponse(opcode, packet)
        case .notification: receiveNotification(opcode, packet)
        case .request: receiveRequest(opcode, packet)
        case .command: receiveCommand(opcode, packet)
        case .indication: receiveIndication(packet)
        case .confirmation: receiveConfirmation(packet)
        }
    }

    private func receiveUnknown(_ packet: ByteView) {
        let opcode = packet[0]
        if ATTOpcode.isCommand(opcode) { return faults.add(.ignoredCommand, packet) }
        guard case .idle = answer else { return faults.add(.requestTooEarly, packet) }
        answer = .answering
        respondError(opcode: opcode, handle: 0, .requestNotSupported)
    }

    /// Sends queued packets after the link reported room, and notifies the users that wait for room.
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

    // MARK: Timeout and closing

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

    /// Closes the bearer and its channel after the link has closed.
    func linkClosed(_ error: RadioError) {
        close(error)
        channel.close()
    }

    /// Closes the bearer: nothing more is sent, and every pending operation fails with `error`.
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
