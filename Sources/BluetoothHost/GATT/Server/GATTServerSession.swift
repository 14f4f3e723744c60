import BluetoothModel
import BluetoothRuntime

/// The session of a connected client with a GATT server: its state, and the processing of its requests.
package final class GATTServerSession {
    /// The server.
    package let server: GATTServer
    /// The link to the client; nil once it has closed. Proof of `unowned`: the link's `deinit` sets this to nil.
    package unowned private(set) var link: L2CAPLink?
    let bearer: ATTBearer

    /// The client's subscriptions, by value handle.
    private(set) var subscriptions: [UInt16: GATTSubscription] = [:] { didSet { last = (0, []) } }
    /// The subscription that was looked up last, which most likely is that of the next value too. No attribute has the
    /// handle 0.
    private var last: (handle: UInt16, subscription: GATTSubscription) = (0, [])
    /// The client's Client Supported Features.
    var clientFeatures: UInt8 = 0
    var awareness = GATTChangeAwareness.aware { didSet { stateChanged() } }
    /// Called when the state to store for the client has changed.
    var onStateChange: (() -> Void)?
    var prepared = PrepareQueue()
    /// A change that has not been indicated to the client yet.
    var pendingChange: ClosedRange<UInt16>?
    var isIndicatingChange = false
    private(set) var pendingAnswer = GATTPendingAnswer.none
    private let answerTimer: QueuedTimer

    init(server: GATTServer, bearer: ATTBearer) {
        self.server = server
        self.bearer = bearer
        answerTimer = bearer.channel.timers.makeTimer()
        bearer.server = self
        // Proof of `unowned`: `deinit` disarms the timer.
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

    /// True while the client can be reached.
    package var isOpen: Bool { bearer.isOpen && link != nil }
    /// The ATT MTU, 23 to 517 octets.
    package var mtu: Int { bearer.mtu }
    /// The maximum length of a notification or indication in octets, limited by the MTU and the maximum attribute
    /// length.
    package var maximumUpdateLength: Int { min(bearer.mtu - 3, LongRead.maximumLength) }
    /// True if a notification would be sent immediately. After false, ``GATTServerDelegate/server(_:isReadyToSendTo:)``
    /// is called when it would.
    package var canNotify: Bool { bearer.canNotifyAtOnce() }
    /// Returns the number of values of a characteristic that still fit into its queue, 0 to 64. Unlimited (`Int.max`)
    /// if the client has not subscribed, or is stalled: no value completed for 1 s, or for two connection intervals if
    /// longer.
    package func room(for valueHandle: UInt16) -> Int {
        let asked = subscription(to: valueHandle)
        if asked.contains(.notifications) { return bearer.notificationRoom(for: valueHandle) }
        return asked.contains(.indications) ? bearer.indicationRoom : .max
    }
    /// Returns the number of values of a characteristic that fit into the queue of a stalled client; nil if the client
    /// has not subscribed, or is live.
    func stalledRoom(for valueHandle: UInt16) -> Int? {
        let asked = subscription(to: valueHandle)
        if asked.contains(.notifications) { return bearer.stalledNotificationRoom(for: valueHandle) }
        return asked.contains(.indications) ? bearer.stalledIndicationRoom : nil
    }
    /// Returns the client's subscription to a characteristic.
    package func subscription(to valueHandle: UInt16) -> GATTSubscription {
        if valueHandle != last.handle { last = (valueHandle, subscriptions[valueHandle] ?? []) }
        return last.subscription
    }
    /// True if the client supports Multiple Handle Value Notifications.
    package var takesMultipleNotifications: Bool { clientFeatures & GATTClientFeatures.multipleNotifications != 0 }

    // MARK: Receiving

    /// Processes a request, which is answered exactly once.
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

    // MARK: Answers of the delegate

    // A pending request retains its session until it is answered or the link ends.

    /// Requests a value from the delegate; `answer` is called once, unless the link ends.
    func ask(_ handle: UInt16, offset: Int, answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void) {
        guard let delegate = server.delegate else { return answer(.failure(.unlikelyError)) }
        let request = GATTReadRequest(session: self, handle: handle, offset: offset) { [self] result in
            answered()
            answer(result)
        }
        expect(.read(request))
        delegate.server(server, received: request)
    }

    /// Asks the delegate to accept writes; `answer` is called once, unless the link ends.
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
        guard valueHandle != server.serviceChangedHandle else { return changeSubscriptionChanged() }
        server.delegate?.server(server, self, changedSubscriptionTo: valueHandle, from: old, to: new)
    }

    func forgetSubscriptions(in range: ClosedRange<UInt16>) {
        for handle in subscriptions.keys.sorted() where range.contains(handle) { setSubscription([], to: handle) }
    }

    // MARK: Events of the bearer

    /// Counts a value that was dropped because the client's queue was full.
    func valueDropped() { server.droppedValues += 1 }

    func bearerHasRoom() { server.delegate?.server(server, isReadyToSendTo: self) }

    /// Withdraws the pending request after the bearer closed; the link itself may close later.
    func bearerClosed() {
        let pending = pendingAnswer
        answered()
        pending.withdraw()
        prepared.removeAll()
    }

    /// Clears the reference to the link, whose channels may be deallocated without a preceding close.
    func linkIsGone() { link = nil }

    func close(_ error: RadioError) {
        guard link != nil || server.sessions.contains(where: { $0 === self }) else { return }
        link = nil
        server.closed(self)
        forgetSubscriptions(in: 0...0xFFFF)
    }
}

extension GATTServerSession: Hashable {
    /// Returns true if both are the same session.
    package static func == (left: GATTServerSession, right: GATTServerSession) -> Bool { left === right }

    /// Hashes the identity of the session.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
