import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// Connects, disconnects and reconnects one peripheral; confined to the loop.
final class PeripheralSession {
    typealias ConnectCompletion = (Result<Void, RadioError>) -> Void

    /// A caller of ``connect(_:_:completion:)``.
    struct Caller {
        let request: ConnectRequest
        let policy: ReconnectPolicy
        let waiter: Waiter<Void>
    }

    enum State {
        case idle
        case connecting((any BackendOperation)?, [Caller])
        /// The link is up and the attributes discovered before are being checked.
        case validating(any PeripheralLink, [Caller])
        case connected(any PeripheralLink)
        case pausing(QueuedTimer, attempt: Int, RadioError, [Caller])
        /// The link is being ended; the callers connect again afterwards.
        case disconnecting([() -> Void], [Caller])
    }

    private(set) var store: PeripheralStore
    private let boundBackend: LoopBound<any RadioBackend>
    private let user: LoopBound<RadioUser>
    var state = State.idle
    /// The check of the attributes after a reconnection, while it runs.
    weak var rediscovery: Rediscovery?
    private var request = ConnectRequest()
    private var policy = ReconnectPolicy.never
    /// The number of attempts since the link was lost; 0 while it was not lost.
    var attempt = 0
    private var lastError: RadioError?
    /// True if the current attempt has no caller left and the adapter was asked to stop connecting.
    private var isGivenUp = false
    let subscriptions = StreamSubscriptions()

    init(store: PeripheralStore, backend: LoopBound<any RadioBackend>, user: LoopBound<RadioUser>) {
        self.store = store
        self.user = user
        boundBackend = backend
    }

    private var backend: any RadioBackend { boundBackend.value }
    var loop: RadioLoop { boundBackend.loop }

    /// Returns the link where it can be used: it is up, and the attributes discovered before were checked.
    func link() throws(RadioError) -> any PeripheralLink {
        if case .connected(let link) = state { return link }
        // The error is valid while the adapter is not powered on.
        if backend.state != .poweredOn, let lastError, case .radio = lastError { throw lastError }
        throw .notConnected
    }

    // MARK: Connecting

    /// The time that a timed-out call waits for the adapter to stop connecting.
    private static let stoppingTime = Duration.milliseconds(500)

    /// Connects; the returned operation cancels this caller. The attempt ends with its last caller, which is completed
    /// when the adapter has stopped connecting. The timeout of the request covers all steps to a usable link. Where a
    /// connection is up or in progress, its reconnect policy stays.
    func connect(
        _ request: ConnectRequest, _ policy: ReconnectPolicy, completion: @escaping ConnectCompletion
    ) -> any BackendOperation {
        if case .connected = state {
            loop.executeNext { completion(.success(())) }
            return Waiter<Void> { _ in }
        }
        let waiter = Waiter(completion)
        waiter.onGiveUp = { [weak self] in self?.gaveUp($0) }
        waiter.limit(to: request.timeout, stopping: Self.stoppingTime, on: loop)
        let caller = Caller(request: request, policy: policy, waiter: waiter)
        switch state {
        case .idle, .connected: begin([caller])
        case .connecting(let operation, let callers): state = .connecting(operation, callers + [caller])
        case .validating(let link, let callers): state = .validating(link, callers + [caller])
        case .pausing(let timer, let attempt, let error, let callers):
            state = .pausing(timer, attempt: attempt, error, callers + [caller])
        case .disconnecting(let ended, let callers): state = .disconnecting(ended, callers + [caller])
        }
        return waiter
    }

    /// Completes a caller that cancelled or timed out, at once unless it is the last one of a first attempt.
    private func gaveUp(_ waiter: Waiter<Void>) {
        func others(_ callers: [Caller]) -> [Caller] { callers.filter { $0.waiter !== waiter } }
        switch state {
        case .connecting(let operation, let callers):
            if attempt == 0, !callers.contains(where: \.waiter.wantsResult) {
                isGivenUp = true
                if let verdict = waiter.verdict, let reason = operation?.cancel(because: verdict) {
                    waiter.sharpen(reason)
                }
                return
            }
            state = .connecting(operation, others(callers))
        case .validating(let link, let callers):
            if attempt == 0, callers.count == 1 { return end(link) { waiter.end(.failure(.cancelled)) } }
            state = .validating(link, others(callers))
        case .pausing(let timer, let attempt, let error, let callers):
            state = .pausing(timer, attempt: attempt, error, others(callers))
            // The state of an adapter that is not ready is a more precise reason than the timeout.
            if waiter.verdict == .timeout, backend.state != .poweredOn, case .radio = error {
                waiter.sharpen(error)
            }
        case .disconnecting(let ended, let callers): state = .disconnecting(ended, others(callers))
        case .idle, .connected: break
        }
        waiter.end(.failure(.cancelled))
    }

    /// Starts a new connection, with the request and policy of the first caller.
    private func begin(_ callers: [Caller]) {
        guard let first = callers.first else { return }
        request = first.request
        // Each caller has its own timer.
        request.timeout = nil
        policy = first.policy
        attempt = 0
        start(callers)
    }

    private func start(_ callers: [Caller]) {
        backend.removeObserver(self)
        state = .connecting(nil, callers)
        isGivenUp = false
        if attempt == 0 { store.set(.connecting) }
        var request = self.request
        if attempt > 0 { request.timeout = policy.timeout }
        let operation = backend.connect(store.id, request, for: user.value) { [weak self] result in
            guard let self else {
                if case .success(let link) = result { link.release {} }
                return
            }
            self.connectEnded(result)
        }
        // The completion never runs inside the call, so the state is still the one set above.
        if case .connecting(_, let callers) = state { state = .connecting(operation, callers) }
    }

    private func connectEnded(_ result: Result<any PeripheralLink, RadioError>) {
        guard case .connecting(_, let callers) = state else {
            if case .success(let link) = result { link.release {} }
            return
        }
        let live = callers.filter(\.waiter.wantsResult)
        let gone = callers.filter { !$0.waiter.wantsResult }
        switch result {
        // The link was established before the adapter could be stopped.
        case .success(let link) where isGivenUp && live.isEmpty:
            end(link) { Self.end(gone, .failure(.cancelled)) }
        case .success(let link):
            isGivenUp = false
            link.observer = self
            adopt(link)
            state = .validating(link, live)
            Self.end(gone, .failure(.cancelled))
            let tree = store.get { $0.tree }
            // Without a client of the attribute protocol, nothing can be discovered.
            if request.isRaw { return validated(link, .success(tree)) }
            let rediscovery = Rediscovery(tree: tree, link: link)
            self.rediscovery = rediscovery
            rediscovery.run { [weak self] tree in self?.validated(link, tree) }
        // Earlier callers cancelled; later ones start a new attempt.
        case .failure where isGivenUp && !live.isEmpty:
            begin(live)
            Self.end(gone, .failure(.cancelled))
        case .failure(let error): lost(error, callers)
        }
    }

    private static func end(_ callers: [Caller], _ result: Result<Void, RadioError>) {
        for caller in callers { caller.waiter.end(result) }
    }

    func adopt(_ link: any PeripheralLink) {
        store.values.withLock { values in
            values.mtu = link.mtu
            values.parameters = link.parameters
            values.maximumWriteWithResponse = link.maximumWriteLength(withResponse: true)
            values.maximumWriteWithoutResponse = link.maximumWriteLength(withResponse: false)
        }
        store.set(link.security)
    }

    private func validated(_ link: any PeripheralLink, _ result: Result<AttributeTree, RadioError>) {
        guard case .validating(let current, let callers) = state, current === link else { return }
        switch result {
        // The link ended, which ``linkDisconnected(_:)`` is about to report.
        case .failure(.disconnected), .failure(.notConnected), .failure(.radio): return
        // No attribute can be used, and the unanswered request blocks all others: a new link may succeed.
        case .failure(.timeout):
            link.observer = nil
            link.release {}
            return lost(.timeout, callers)
        case .success, .failure: break
        }
        if case .success(let tree) = result { store.values.withLock { $0.tree = tree } }
        state = .connected(link)
        attempt = 0
        lastError = nil
        store.set(.connected)
        subscriptions.attach(to: link, tree: store.get { $0.tree })
        Self.end(callers, .success(()))
    }

    // MARK: Disconnecting

    /// Ends this program's use of the link, after every subscription ended and the device acknowledged it.
    func disconnect(completion: @escaping () -> Void) {
        policy = .never
        switch state {
        case .idle: loop.executeNext(completion)
        case .connecting(let operation, let callers):
            let all = callers + [Caller(request: request, policy: .never, waiter: Waiter { _ in completion() })]
            for caller in all {
                // They wait together until the adapter has stopped connecting.
                caller.waiter.onGiveUp = nil
                caller.waiter.cancel()
            }
            isGivenUp = true
            state = .connecting(operation, all)
            operation?.cancel()
        case .validating(let link, let callers):
            end(link, completion)
            Self.end(callers, .failure(.cancelled))
        case .connected(let link): end(link, completion)
        case .pausing(let timer, _, _, let callers):
            timer.disarm()
            settle(.cancelled, callers)
            loop.executeNext(completion)
        case .disconnecting(let ended, let callers):
            state = .disconnecting(ended + [completion], [])
            Self.end(callers, .failure(.cancelled))
        }
    }

    private func end(_ link: any PeripheralLink, _ completion: @escaping () -> Void) {
        state = .disconnecting([completion], [])
        store.set(.disconnecting)
        subscriptions.detach(from: link) { [self] in
            link.release { [self] in
                guard case .disconnecting(let ended, let callers) = state else { return }
                state = .idle
                lastError = nil
                store.set(.disconnected(nil))
                begin(callers)
                for body in ended { body() }
            }
        }
    }

    /// Handles a link that ended or could not be established.
    func lost(_ error: RadioError, _ callers: [Caller]) {
        lastError = error
        let wasConnected = attempt > 0 || callers.isEmpty
        if wasConnected, !isGivenUp, error != .cancelled, !error.isAboutSecurity, !isEnd(error),
            policy.allows(attempt: attempt + 1, after: error)
        {
            attempt += 1
            pauseThenRetry(error, callers)
        } else {
            settle(error, callers)
        }
    }

    /// Returns true if the adapter was removed and does not return, so that waiting is useless.
    private func isEnd(_ error: RadioError) -> Bool {
        if case .radio(.unsupported, _) = error { !backend.comesBack } else { false }
    }

    private func pauseThenRetry(_ error: RadioError, _ callers: [Caller]) {
        let timer = loop.makeTimer { [weak self] in
            guard let self, case .pausing(_, _, _, let callers) = self.state else { return }
            self.start(callers)
        }
        state = .pausing(timer, attempt: attempt, error, callers)
        noteReconnecting(after: error)
        timer.arm(at: loop.now + policy.pause(before: attempt))
        backend.addObserver(self)
    }

    func noteReconnecting(after error: RadioError) {
        let label = store.label
        store.set(.reconnecting(attempt: attempt, after: BluetoothError(error, "connection to \(label)")))
    }

    private func settle(_ error: RadioError, _ callers: [Caller]) {
        backend.removeObserver(self)
        state = .idle
        attempt = 0
        let label = store.label
        let publicError = BluetoothError(error, "connection to \(label)")
        store.set(.disconnected(error == .cancelled ? nil : publicError))
        subscriptions.finish(error)
        Self.end(callers, .failure(error))
    }

    /// Disconnects because the program released the peripheral. The store belongs to a later object for the same
    /// device, so the end of this link is not recorded there.
    func abandon() {
        if case .idle = state { return }
        store.set(.disconnected(nil))
        let (name, address) = store.get { ($0.name, $0.address) }
        store = PeripheralStore(KnownPeripheral(id: store.id, address: address, name: name))
        disconnect {}
    }
}

extension RadioError {
    /// True for a security error, which a further attempt does not resolve: the user has to decide.
    fileprivate var isAboutSecurity: Bool {
        if case .security = self { true } else { false }
    }
}
