import BluetoothModel
import BluetoothRuntime

/// What a GATT server knows of one connected client, and how it answers it.
public final class GATTServerSession {
    /// Which server.
    public let server: GATTServer
    /// The link to the client; nil once it is gone.
    public unowned private(set) var link: L2CAPLink?
    let bearer: ATTBearer

    /// What the client asked for, by the handle of the value.
    private(set) var subscriptions: [UInt16: GATTSubscription] = [:]
    /// The client's Client Supported Features.
    var clientFeatures: UInt8 = 0
    var awareness = GATTChangeAwareness.aware { didSet { stateChanged() } }
    /// What has to be kept of the client is another thing now.
    var onStateChange: (() -> Void)?
    var prepared = PrepareQueue()
    /// A change that the client has not been told of yet.
    var untoldChange: ClosedRange<UInt16>?
    var isTellingChange = false
    private(set) var pendingAnswer = GATTPendingAnswer.none
    private let answerTimer: QueuedTimer

    init(server: GATTServer, bearer: ATTBearer) {
        self.server = server
        self.bearer = bearer
        answerTimer = bearer.channel.timers.makeTimer()
        bearer.server = self
        answerTimer.onFire = { [unowned self] in answerIsOverdue() }
    }

    deinit {
        answerTimer.disarm()
        bearer.server = nil
    }

    func open(on link: L2CAPLink) {
        self.link = link
        server.opened(self)
    }

    /// Whether the client can be reached.
    public var isOpen: Bool { bearer.isOpen && link != nil }
    /// The ATT MTU, 23 to 517.
    public var mtu: Int { bearer.mtu }
    /// The most octets of one notification or indication: what fits a packet, and an attribute.
    public var maximumUpdateLength: Int { min(bearer.mtu - 3, LongRead.maximumLength) }
    /// Whether a notification would go out at once; ``GATTServerDelegate/server(_:isReadyToSendTo:)`` tells when again.
    public var canNotify: Bool { bearer.canNotifyAtOnce() }
    /// How many more values of a characteristic its queue takes before it is full: 0 to 64. No limit (`Int.max`) where the
    /// client has not subscribed, and where it is stalled: it completed nothing for 1 s, or two connection intervals if
    /// longer.
    public func room(for valueHandle: UInt16) -> Int {
        let asked = subscription(to: valueHandle)
        if asked.contains(.notifications) { return bearer.notificationRoom(for: valueHandle) }
        return asked.contains(.indications) ? bearer.indicationRoom : .max
    }
    /// How the client wants to hear of a characteristic.
    public func subscription(to valueHandle: UInt16) -> GATTSubscription { subscriptions[valueHandle] ?? [] }
    /// Whether the client takes several values in one notification.
    public var takesMultipleNotifications: Bool { clientFeatures & GATTClientFeatures.multipleNotifications != 0 }

    // MARK: Receiving

    /// Takes a request; exactly one answer follows.
    func receive(_ request: ATTIncomingRequest, _ opcode: ATTOpcode) {
        guard admit(request) else { return refuse(opcode, request.firstHandle, .databaseOutOfSync) }
        switch request {
        case .read(let handle): read(opcode, handle, offset: 0)
        case .readBlob(let handle, let offset): read(opcode, handle, offset: offset)
        case .write(let handle, let value): write(handle, value)
        case .readByType(let range, let type): readByType(range, type)
        case .readByGroupType(let range, let type): readByGroupType(range, type)
        case .findInformation(let range): findInformation(range)
        case .findByTypeValue(let range, let type, let value): findByTypeValue(range, type, value)
        case .readMultiple(let handles): MultipleRead(handles, hasLengths: false, session: self).proceed()
        case .readMultipleVariable(let handles): MultipleRead(handles, hasLengths: true, session: self).proceed()
        case .prepareWrite(let handle, let offset, let part): prepareWrite(handle, offset, part)
        case .executeWrite(let isWritten): executeWrite(isWritten)
        case .exchangeMTU, .writeCommand: refuse(opcode, 0, .requestNotSupported)
        }
    }

    func refuse(_ opcode: ATTOpcode, _ handle: UInt16, _ code: ATTErrorCode) {
        bearer.respondError(opcode: opcode.rawValue, handle: handle, code)
    }

    // MARK: The delegate's answers

    // A request keeps its session, and lets go of it with its answer or with the end of the link.

    /// Asks the delegate for a value; `answer` is called once, unless the link ends.
    func ask(_ handle: UInt16, offset: Int, answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void) {
        guard let delegate = server.delegate else { return answer(.failure(.unlikelyError)) }
        let request = GATTReadRequest(session: self, handle: handle, offset: offset) { [self] result in
            answered()
            answer(result)
        }
        expect(.read(request))
        delegate.server(server, received: request)
    }

    /// Asks the delegate whether writes are accepted; `answer` is called once, unless the link ends.
    func ask(
        _ writes: [GATTAttributeWrite], answer: @escaping (Result<Void, ATTErrorCode>, UInt16) -> Void
    ) {
        guard let delegate = server.delegate else {
            let isDynamic = writes.contains { write in
                if case .dynamic? = server.table[write.handle]?.value { true } else { false }
            }
            return answer(isDynamic ? .failure(.unlikelyError) : .success(()), writes.first?.handle ?? 0)
        }
        let request = GATTWriteRequest(session: self, writes: writes) { [self] result, handle in
            answered()
            answer(result, handle)
        }
        expect(.write(request))
        delegate.server(server, received: request)
    }

    private func expect(_ answer: GATTPendingAnswer) {
        pendingAnswer = answer
        answerTimer.arm(at: bearer.channel.now + server.configuration.answerTimeout)
    }

    private func answered() {
        pendingAnswer = .none
        answerTimer.disarm()
    }

    private func answerIsOverdue() { pendingAnswer.expire() }

    // MARK: Subscriptions

    func setSubscription(_ new: GATTSubscription, to valueHandle: UInt16) {
        let old = subscription(to: valueHandle)
        guard new != old else { return }
        subscriptions[valueHandle] = new.isEmpty ? nil : new
        stateChanged()
        guard valueHandle != server.serviceChangedHandle else { return }
        server.delegate?.server(server, self, changedSubscriptionTo: valueHandle, from: old, to: new)
    }

    func forgetSubscriptions(in range: ClosedRange<UInt16>) {
        for handle in subscriptions.keys.sorted() where range.contains(handle) { setSubscription([], to: handle) }
    }

    // MARK: From below

    /// A value was lost: the queue of the client was full.
    func valueDropped() { server.droppedValues += 1 }

    func bearerHasRoom() { server.delegate?.server(server, isReadyToSendTo: self) }

    /// Nothing can be sent any more, though the link may last a moment longer.
    func bearerClosed() {
        let pending = pendingAnswer
        answered()
        pending.withdraw()
        prepared.removeAll()
    }

    /// The link's channels are gone, perhaps without a word.
    func linkIsGone() { link = nil }

    func close(_ error: RadioError) {
        guard link != nil || server.sessions.contains(where: { $0 === self }) else { return }
        link = nil
        server.closed(self)
        forgetSubscriptions(in: 0...0xFFFF)
    }
}

extension GATTServerSession: Hashable {
    /// Whether both are the same session.
    public static func == (left: GATTServerSession, right: GATTServerSession) -> Bool { left === right }

    /// Hashes the identity of the session.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
