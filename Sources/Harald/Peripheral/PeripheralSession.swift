import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// Connects, disconnects and reconnects one peripheral; confined to the loop.
final class PeripheralSession {
    typealias ConnectCompletion = (Result<Void, RadioError>) -> Void

    private struct Waiter {
        var key: Int
        var completion: ConnectCompletion
    }

    private enum State {
        case idle
        case connecting((any BackendOperation)?, [Waiter])
        /// The link is up and what was known of the attributes is being checked.
        case validating(any PeripheralLink, [Waiter])
        case connected(any PeripheralLink)
        case pausing(QueuedTimer, attempt: Int, RadioError, [Waiter])
        case disconnecting([() -> Void])
    }

    let store: PeripheralStore
    private let boundBackend: LoopBound<any RadioBackend>
    private var state = State.idle
    private var request = ConnectRequest()
    private var policy = ReconnectPolicy.never
    /// Counts the attempts since the link was lost; 0 while nothing was lost.
    private var attempt = 0
    private var lastError: RadioError?
    private var nextKey = 0
    let feeds = FeedList()

    init(store: PeripheralStore, backend: LoopBound<any RadioBackend>) {
        self.store = store
        boundBackend = backend
    }

    private var backend: any RadioBackend { boundBackend.value }
    private var loop: RadioLoop { boundBackend.loop }

    /// The link, where it is up.
    func link() throws(RadioError) -> any PeripheralLink {
        switch state {
        case .connected(let link), .validating(let link, _): return link
        default:
            if let lastError, case .radio = lastError { throw lastError }
            throw .notConnected
        }
    }

    // MARK: Connecting

    /// Connects; the returned key names the waiter for ``cancelConnect(_:)``.
    func connect(_ request: ConnectRequest, _ policy: ReconnectPolicy, completion: @escaping ConnectCompletion) -> Int {
        nextKey += 1
        let waiter = Waiter(key: nextKey, completion: completion)
        self.policy = policy
        switch state {
        case .idle:
            self.request = request
            attempt = 0
            start([waiter])
        case .connecting(let operation, let waiters): state = .connecting(operation, waiters + [waiter])
        case .validating(let link, let waiters): state = .validating(link, waiters + [waiter])
        case .pausing(let timer, let attempt, let error, let waiters):
            state = .pausing(timer, attempt: attempt, error, waiters + [waiter])
        case .connected: loop.later { completion(.success(())) }
        case .disconnecting(let ended):
            state = .disconnecting(
                ended + [
                    { [weak self] in
                        guard let self else { return completion(.failure(.cancelled)) }
                        _ = self.connect(request, policy, completion: completion)
                    }
                ])
        }
        return nextKey
    }

    /// Gives up waiting; the attempt ends with its last waiter.
    func cancelConnect(_ key: Int) {
        switch state {
        case .connecting(let operation, let waiters):
            guard let waiter = waiters.first(where: { $0.key == key }) else { return }
            if waiters.count == 1, attempt == 0 {
                operation?.cancel()
            } else {
                state = .connecting(operation, waiters.filter { $0.key != key })
                waiter.completion(.failure(.cancelled))
            }
        case .validating(let link, let waiters):
            guard let waiter = waiters.first(where: { $0.key == key }) else { return }
            state = .validating(link, waiters.filter { $0.key != key })
            waiter.completion(.failure(.cancelled))
        case .pausing(let timer, let attempt, let error, let waiters):
            guard let waiter = waiters.first(where: { $0.key == key }) else { return }
            state = .pausing(timer, attempt: attempt, error, waiters.filter { $0.key != key })
            waiter.completion(.failure(.cancelled))
        case .idle, .connected, .disconnecting: break
        }
    }

    private func start(_ waiters: [Waiter]) {
        state = .connecting(nil, waiters)
        if attempt == 0 { store.set(.connecting) }
        var request = self.request
        if attempt > 0 { request.timeout = policy.timeout }
        let operation = backend.connect(store.id, request) { [weak self] result in
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
        switch result {
        case .success(let link):
            link.observer = self
            adopt(link)
            state = .validating(link, waiters)
            Rediscovery(tree: store.get { $0.tree }, link: link).run { [weak self] tree in self?.validated(link, tree) }
        case .failure(let error):
            lost(error, waiters)
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
        if case .success(let tree) = result { store.values.withLock { $0.tree = tree } }
        state = .connected(link)
        attempt = 0
        lastError = nil
        store.set(.connected)
        feeds.attach(to: link, tree: store.get { $0.tree })
        for waiter in waiters { waiter.completion(.success(())) }
    }

    // MARK: Disconnecting

    /// Ends this program's use of the link, after every value was unsubscribed and the device acknowledged it.
    func disconnect(completion: @escaping () -> Void) {
        policy = .never
        switch state {
        case .idle: loop.later(completion)
        case .connecting(let operation, let waiters):
            nextKey += 1
            state = .connecting(operation, waiters + [Waiter(key: nextKey) { _ in completion() }])
            operation?.cancel()
        case .validating(let link, let waiters):
            end(link, completion)
            for waiter in waiters { waiter.completion(.failure(.cancelled)) }
        case .connected(let link): end(link, completion)
        case .pausing(let timer, _, _, let waiters):
            timer.disarm()
            settle(.cancelled, waiters)
            loop.later(completion)
        case .disconnecting(let ended): state = .disconnecting(ended + [completion])
        }
    }

    private func end(_ link: any PeripheralLink, _ completion: @escaping () -> Void) {
        state = .disconnecting([completion])
        store.set(.disconnecting)
        feeds.detach(from: link) { [self] in
            link.release { [self] in
                guard case .disconnecting(let ended) = state else { return }
                state = .idle
                lastError = nil
                store.set(.disconnected(nil))
                for body in ended { body() }
            }
        }
    }

    /// The link ended, or could not be established.
    private func lost(_ error: RadioError, _ waiters: [Waiter]) {
        lastError = error
        let wasConnected = attempt > 0 || waiters.isEmpty
        if wasConnected, error != .cancelled, !error.isAboutSecurity, policy.allows(attempt: attempt + 1, after: error)
        {
            attempt += 1
            pauseThenRetry(error, waiters)
        } else {
            settle(error, waiters)
        }
    }

    private func pauseThenRetry(_ error: RadioError, _ waiters: [Waiter]) {
        let timer = loop.makeTimer { [weak self] in
            guard let self, case .pausing(_, _, _, let waiters) = self.state else { return }
            self.start(waiters)
        }
        state = .pausing(timer, attempt: attempt, error, waiters)
        let label = store.label
        store.set(.reconnecting(attempt: attempt, after: BluetoothError(error, "connection to \(label)")))
        timer.arm(at: loop.now + policy.pause(before: attempt))
    }

    private func settle(_ error: RadioError, _ waiters: [Waiter]) {
        state = .idle
        attempt = 0
        let label = store.label
        let publicError = BluetoothError(error, "connection to \(label)")
        store.set(.disconnected(error == .cancelled ? nil : publicError))
        feeds.finish(error)
        for waiter in waiters { waiter.completion(.failure(error)) }
    }

    /// The program no longer holds the peripheral.
    func abandon() { disconnect {} }
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
        guard let link = try? link() else { return }
        adopt(link)
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
    /// Whether keys are missing, which no further attempt brings back: the user has to decide.
    fileprivate var isAboutSecurity: Bool {
        if case .security = self { true } else { false }
    }
}
