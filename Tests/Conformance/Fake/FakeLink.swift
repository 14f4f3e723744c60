import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// The link to the fake device, with its users. Confined to the loop.
final class FakeLink: KernelLink {
    let radio: FakeRadio
    let pending: PendingOperations
    private(set) var isUp = true
    private(set) var security = LinkSecurity()
    private let shares = LinkShares()
    /// The attributes whose values the peer sends.
    private var sending: Set<PeerAttribute> = []
    private(set) lazy var subscriptions = SubscriptionRegistry { [weak self] request, completion in
        self?.turn(request, completion)
    }
    /// The requests that wait for the response to an earlier one.
    private var queue: [(@escaping () -> Void) -> Void] = []
    /// The pairing in progress, and the user that began it.
    private var pairing: (owner: RadioUser?, procedure: SharedProcedure<LinkSecurity>)?

    init(_ radio: FakeRadio) {
        self.radio = radio
        pending = PendingOperations(loop: radio.loop)
    }

    // MARK: Users

    var isShared: Bool { shares.isShared }

    func share(for user: RadioUser?) -> Result<any PeripheralLink, RadioError> {
        if let error = (user?.policy ?? SecurityPolicy()).refusal(of: security) { return .failure(error) }
        return .success(shares.add(FakeShare(self, user: user)))
    }

    func remove(_ share: ObjectIdentifier, completion: @escaping () -> Void) {
        if shares.remove(share), isUp { radio.lose(.disconnected(.localHostTerminated)) }
        radio.loop.executeNext(completion)
    }

    func endIfUnused() {
        if isUp, !shares.isInUse { radio.lose(.disconnected(.localHostTerminated)) }
    }

    func ended(_ error: RadioError) {
        isUp = false
        queue = []
        withdrawQuestion()
        pairing = nil
        subscriptions.endAll()
        pending.failAll(error)
        shares.tell { $0.linkDisconnected(error) }
    }

    // MARK: Requests

    /// Sends a request once the earlier ones are answered; `request` calls its argument with the response.
    func ask(_ request: @escaping (@escaping () -> Void) -> Void) {
        queue.append(request)
        if queue.count == 1 { sendNext() }
    }

    private func sendNext() {
        radio.loop.executeNext { [self] in
            guard isUp, let next = queue.first else { return }
            next { [self] in
                guard isUp else { return }
                queue.removeFirst()
                if !queue.isEmpty { sendNext() }
            }
        }
    }

    // MARK: Values

    func attribute(_ id: AttributeID) -> PeerAttribute? {
        PeerAttribute(rawValue: UInt16(truncatingIfNeeded: id.rawValue))
    }

    private func turn(
        _ request: SubscriptionRegistry.Request, _ completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard let attribute = attribute(request.characteristic) else { return completion(.failure(.notConnected)) }
        let isOn = !request.kinds.isEmpty
        ask { [weak self] done in
            guard let self else { return }
            done()
            if isOn { sending.insert(attribute) } else { sending.remove(attribute) }
            radio.events.append(isOn ? .subscribed(attribute) : .unsubscribed(attribute))
            if isOn, attribute == .notifying, let greeting = radio.device.greeting { received(greeting, of: attribute) }
            completion(.success(()))
        }
    }

    /// Receives a value, which the peer sends only while it is asked to.
    func received(_ value: [UInt8], of attribute: PeerAttribute) {
        guard sending.contains(attribute) else { return }
        _ = value.withByteView { subscriptions.received($0, of: AttributeID(rawValue: UInt32(attribute.rawValue))) }
    }

    // MARK: Pairing

    /// Secures the link, once for all callers: the user that began is asked.
    func pair(_ operation: LinkOperation<LinkSecurity>, for user: RadioUser?) {
        if security.level > .none { return operation.complete(.success(security)) }
        if let pairing { return pairing.procedure.add(operation) }
        if shares.users.contains(where: { $0?.policy.requiresSecureConnections == true }) {
            return operation.complete(.failure(.security(.init(.tooWeak, "Just Works is not sufficient"))))
        }
        let procedure = SharedProcedure<LinkSecurity> { [weak self] in self?.paired(false) }
        procedure.add(operation)
        pairing = (user, procedure)
        guard let handler = user?.pairingHandler else { return paired(true) }
        handler.pairing(with: FakeRadio.peerID, asks: .compare(number: 123_456)) { [weak self] answer in
            self?.paired(answer != .refuse)
        }
    }

    private func withdrawQuestion() {
        pairing?.owner?.pairingHandler?.pairingQuestionWithdrawn(with: FakeRadio.peerID)
    }

    private func paired(_ isAccepted: Bool) {
        guard let procedure = pairing?.procedure else { return }
        withdrawQuestion()
        pairing = nil
        if isAccepted { security = LinkSecurity(level: .encrypted, keySize: 16, isBonded: true) }
        procedure.end(
            isAccepted ? .success(security) : .failure(.security(.init(.refused, "the user refused the pairing"))))
        if isAccepted { shares.tell { $0.linkSecurityChanged(security) } }
    }

    func userRemoved(_ user: RadioUser) { if pairing?.owner === user { paired(false) } }
}
