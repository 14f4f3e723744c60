import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// Connects, disconnects and reconnects one peripheral; confined to the loop.
final class PeripheralSession {
    typealias ConnectCompletion = (Result<Void, RadioError>) -> Void

    /// A caller of ``connect(_:_:completion:)``.
    private final class Waiter {
        let key: Int
        let request: ConnectRequest
        let policy: ReconnectPolicy
        private var completion: ConnectCompletion?
        /// The error of a caller that cancelled or timed out while the adapter stops connecting.
        var verdict: RadioError?
        var timer: QueuedTimer?

        init(
            _ key: Int, _ request: ConnectRequest, _ policy: ReconnectPolicy, _ completion: @escaping ConnectCompletion
        ) {
            self.key = key
            self.request = request
            self.policy = policy
            self.completion = completion
        }

        /// Completes the call; only the first call has an effect.
        func end(_ result: Result<Void, RadioError>) {
            timer?.disarm()
            let completion = completion
            self.completion = nil
            completion?(verdict.map { .failure($0) } ?? result)
        }
    }

    private enum State {
        case idle
        case connecting((any BackendOperation)?, [Waiter])
        /// The link is up and the attributes discovered before are being checked.
        case validating(any PeripheralLink, [Waiter])
        case connected(any PeripheralLink)
        case pausing(QueuedTimer, attempt: Int, RadioError, [Waiter])
        /// The link is being ended; the waiters connect again afterwards.
        case disconnecting([() -> Void], [Waiter])
    }

    let store: PeripheralStore
    private let boundBackend: LoopBound<any RadioBackend>
    private let user: LoopBound<RadioUser>
    private var state = State.idle
    private var request = ConnectRequest()
    private var policy = ReconnectPolicy.never
    /// The number of attempts since the link was lost; 0 while it was not lost.
    private var attempt = 0
    private var lastError: RadioError?
    private var nextKey = 0
    /// True if the current attempt has no caller left and the adapter was asked to stop connecting.
    private var isGivenUp = false
    let feeds = FeedList()

    init(store: PeripheralStore, backend: LoopBound<any RadioBackend>, user: LoopBound<RadioUser>) {
        self.store = store
        self.user = user
        boundBackend = backend
    }

    private var backend: any RadioBackend { boundBackend.value }
    private var loop: RadioLoop { boundBackend.loop }

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

    /// Connects. The returned key identifies the caller for ``cancelConnect(_:)``. The timeout of the request covers
    /// all steps to a usable link. Where a connection is up or in progress, its reconnect policy stays.
    func connect(_ request: ConnectRequest, _ policy: ReconnectPolicy, completion: @escaping ConnectCompletion) -> Int {
        nextKey += 1
        let waiter = Waiter(nextKey, request, policy, completion)
        if let timeout = request.timeout {
            let timer = loop.makeTimer { [weak self, weak waiter] in
                if let waiter { self?.timeOver(of: waiter) }
            }
            timer.arm(at: loop.now + timeout)
            waiter.timer = timer
        }
        switch state {
        case .idle: begin([waiter])
        case .connecting(let operation, let waiters): state = .connecting(operation, waiters + [waiter])
        case .validating(let link, let waiters): state = .validating(link, waiters + [waiter])
        case .pausing(let timer, let attempt, let error, let waiters):
            state = .pausing(timer, attempt: attempt, error, waiters + [waiter])
        case .connected: loop.later { waiter.end(.success(())) }
        case .disconnecting(let ended, let waiters): state = .disconnecting(ended, waiters + [waiter])
        }
        return waiter.key
    }

    /// Cancels a caller. The attempt ends with its last caller, which is completed when the adapter has stopped
    /// connecting.
    func cancelConnect(_ key: Int) { giveUp(key, .cancelled) }

    private func timeOver(of waiter: Waiter) {
        guard waiter.verdict == nil else { return waiter.end(.failure(.timeout)) }
        waiter.timer?.arm(at: loop.now + Self.stoppingTime)
        giveUp(waiter.key, .timeout)
    }

    private func giveUp(_ key: Int, _ verdict: RadioError) {
        switch state {
        case .connecting(let operation, let waiters):
            guard let waiter = waiters.first(where: { $0.key == key }), waiter.verdict == nil else { return }
            waiter.verdict = verdict
            if attempt == 0, waiters.allSatisfy({ $0.verdict != nil }) {
                isGivenUp = true
                operation?.cancel(because: verdict)
            } else {
                state = .connecting(operation, waiters.filter { $0 !== waiter })
                waiter.end(.failure(verdict))
            }
        case .validating(let link, let waiters):
            guard let waiter = waiters.first(where: { $0.key == key }) else { return }
            waiter.verdict = verdict
            if attempt == 0, waiters.count == 1 { return end(link) { waiter.end(.failure(verdict)) } }
            state = .validating(link, waiters.filter { $0 !== waiter })
            waiter.end(.failure(verdict))
        case .pausing(let timer, let attempt, let error, let waiters):
            guard let waiter = waiters.first(where: { $0.key == key }) else { return }
            state = .pausing(timer, attempt: attempt, error, waiters.filter { $0 !== waiter })
            // The state of an adapter that is not ready is a more precise reason than the timeout.
            if verdict == .timeout, backend.state != .poweredOn, case .radio = error {
                return waiter.end(.failure(error))
            }
            waiter.end(.failure(verdict))
        case .disconnecting(let ended, let waiters):
            guard let waiter = waiters.first(where: { $0.key == key }) else { return }
            state = .disconnecting(ended, waiters.filter { $0 !== waiter })
            waiter.end(.failure(verdict))
        case .idle, .connected: break
        }
    }

    /// Starts a new connection, with the request and policy of the first waiter.
    private func begin(_ waiters: [Waiter]) {
        guard let first = waiters.first else { return }
        request = first.request
        // Each waiter has its own timer.
        request.timeout = nil
        policy = first.policy
        attempt = 0
        start(waiters)
    }

    private func start(_ waiters: [Waiter]) {
        backend.removeObserver(self)
        state = .connecting(nil, waiters)
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
        if case .connecting(_, let waiters) = state { state = .connecting(operation, waiters) }
    }

    private func connectEnded(_ result: Result<any PeripheralLink, RadioError>) {
        guard case .connecting(_, let waiters) = state else {
            if case .success(let link) = result { link.release {} }
            return
        }
        let live = waiters.filter { $0.verdict == nil }
        let gone = waiters.filter { $0.verdict != nil }
        switch result {
        // The link was established before the adapter could be stopped.
        case .success(let link) where isGivenUp && live.isEmpty:
            end(link) { for waiter in gone { waiter.end(.failure(.cancelled)) } }
        case .success(let link):
            isGivenUp = false
            link.observer = self
            adopt(link)
            state = .validating(link, live)
            for waiter in gone { waiter.end(.failure(.cancelled)) }
            Rediscovery(tree: store.get { $0.tree }, link: link).run { [weak self] tree in self?.validated(link, tree) }
        // Earlier callers cancelled; later ones start a new attempt.
        case .failure where isGivenUp && !live.isEmpty:
            begin(live)
            for waiter in gone { waiter.end(.failure(.cancelled)) }
        case .failure(let error): lost(error, waiters)
        }
    }

    private func adopt(_ link: any PeripheralLink) {
        store.values.withLock { values in
            values.mtu = link.mtu
            values.parameters = link.parameters
            values.maximumWriteWithResponse = link.maximumWriteLength(withResponse: true)
            values.maximumWriteWithoutResponse = link.maximumWriteLength(withResponse: false)
        }
        store.set(link.security)
    }

    private func validated(_ link: any PeripheralLink, _ result: Result<AttributeTree, RadioError>) {
        guard case .validating(let current, let waiters) = state, current === link else { return }
        switch result {
        // The link ended, which ``linkDisconnected(_:)`` is about to report.
        case .failure(.disconnected), .failure(.notConnected), .failure(.radio): return
        // No attribute can be used, and the unanswered request blocks all others: a new link may succeed.
        case .failure(.timeout):
            link.observer = nil
            link.release {}
            return lost(.timeout, waiters)
        case .success, .failure: break
        }
        if case .success(let tree) = result { store.values.withLock { $0.tree = tree } }
        state = .connected(link)
        attempt = 0
        lastError = nil
        store.set(.connected)
        feeds.attach(to: link, tree: store.get { $0.tree })
        for waiter in waiters { waiter.end(.success(())) }
    }

    // MARK: Disconnecting

    /// Ends this program's use of the link, after every subscription ended and the device acknowledged it.
    func disconnect(completion: @escaping () -> Void) {
        policy = .never
        switch state {
        case .idle: loop.later(completion)
        case .connecting(let operation, let waiters):
            nextKey += 1
            let last = Waiter(nextKey, request, .never) { _ in completion() }
            for waiter in waiters + [last] where waiter.verdict == nil { waiter.verdict = .cancelled }
            isGivenUp = true
            state = .connecting(operation, waiters + [last])
            operation?.cancel()
        case .validating(let link, let waiters):
            end(link, completion)
            for waiter in waiters { waiter.end(.failure(.cancelled)) }
        case .connected(let link): end(link, completion)
        case .pausing(let timer, _, _, let waiters):
            timer.disarm()
            settle(.cancelled, waiters)
            loop.later(completion)
        case .disconnecting(let ended, let waiters):
            state = .disconnecting(ended + [completion], [])
            for waiter in waiters { waiter.end(.failure(.cancelled)) }
        }
    }

    private func end(_ link: any PeripheralLink, _ completion: @escaping () -> Void) {
        state = .disconnecting([completion], [])
        store.set(.disconnecting)
        feeds.detach(from: link) { [self] in
            link.release { [self] in
                guard case .disconnecting(let ended, let waiters) = state else { return }
                state = .idle
                lastError = nil
                store.set(.disconnected(nil))
                begin(waiters)
                for body in ended { body() }
            }
        }
    }

    /// Handles a link that ended or could not be established.
    private func lost(_ error: RadioError, _ waiters: [Waiter]) {
        lastError = error
        let wasConnected = attempt > 0 || waiters.isEmpty
        if wasConnected, !isGivenUp, error != .cancelled, !error.isAboutSecurity, !isEnd(error),
            policy.allows(attempt: attempt + 1, after: error)
        {
            attempt += 1
            pauseThenRetry(error, waiters)
        } else {
            settle(error, waiters)
        }
    }

    /// Returns true if the adapter was removed and does not return, so that waiting is useless.
    private func isEnd(_ error: RadioError) -> Bool {
        if case .radio(.unsupported, _) = error { !backend.comesBack } else { false }
    }

    private func pauseThenRetry(_ error: RadioError, _ waiters: [Waiter]) {
        let timer = loop.makeTimer { [weak self] in
            guard let self, case .pausing(_, _, _, let waiters) = self.state else { return }
            self.start(waiters)
        }
        state = .pausing(timer, attempt: attempt, error, waiters)
        noteReconnecting(after: error)
        timer.arm(at: loop.now + policy.pause(before: attempt))
        backend.addObserver(self)
    }

    private func noteReconnecting(after error: RadioError) {
        let label = store.label
        store.set(.reconnecting(attempt: attempt, after: BluetoothError(error, "connection to \(label)")))
    }

    private func settle(_ error: RadioError, _ waiters: [Waiter]) {
        backend.removeObserver(self)
        state = .idle
        attempt = 0
        let label = store.label
        let publicError = BluetoothError(error, "connection to \(label)")
        store.set(.disconnected(error == .cancelled ? nil : publicError))
        feeds.finish(error)
        for waiter in waiters { waiter.end(.failure(error)) }
    }

    /// Disconnects because the program released the peripheral.
    func abandon() { disconnect {} }
}

/// Observes the adapter during a pause between two attempts.
extension PeripheralSession: RadioObserver {
    /// Ends the pause when the adapter is powered on: the attempts that failed without it say nothing of the device,
    /// so they are counted anew.
    func radioStateChanged(_ backend: any RadioBackend) {
        guard backend.state == .poweredOn, case .pausing(let timer, _, let error, let waiters) = state else { return }
        attempt = 1
        state = .pausing(timer, attempt: attempt, error, waiters)
        noteReconnecting(after: error)
        timer.arm(at: loop.now)
    }

    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}

extension PeripheralSession: LinkObserver {
    func linkDisconnected(_ error: RadioError) {
        switch state {
        case .connected:
            feeds.linkLost()
            lost(error, [])
        case .validating(_, let waiters): lost(error, waiters)
        case .disconnecting, .idle, .connecting, .pausing: break
        }
    }

    func linkMTUChanged(_ mtu: Int) {
        switch state {
        case .connected(let link), .validating(let link, _): adopt(link)
        case .idle, .connecting, .pausing, .disconnecting: break
        }
    }

    func linkParametersChanged(_ parameters: ConnectionParameters) {
        store.values.withLock { $0.parameters = parameters }
    }

    func linkSecurityChanged(_ security: LinkSecurity) { store.set(security) }

    func linkServicesChanged(_ services: [AttributeID]) {
        let gone = store.values.withLock { values -> [BluetoothUUID] in
            let gone = values.tree.services.filter { services.contains($0.record.id) }.map(\.record.uuid)
            values.tree.services.removeAll { services.contains($0.record.id) }
            values.tree.isComplete = false
            return gone
        }
        store.serviceChanges.push(gone)
    }

    func linkIsReadyToWriteWithoutResponse() {}

    func linkNameChanged(_ name: String) { store.values.withLock { $0.name = name } }
}

extension RadioError {
    /// True for a security error, which a further attempt does not resolve: the user has to decide.
    fileprivate var isAboutSecurity: Bool {
        if case .security = self { true } else { false }
    }
}
