import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime

/// Connects to devices for their users: shares existing links, retries attempts that failed to be established, and
/// enforces timeouts.
final class Connector {
    private typealias Completion = (Result<any PeripheralLink, RadioError>) -> Void

    /// One user that waits for a device.
    private final class Waiter: BackendOperation {
        let id: PeripheralID
        let user: RadioUser?
        var completion: Completion?
        var timer: QueuedTimer?
        /// The error for the waiter once the controller has stopped connecting.
        var verdict: RadioError?
        weak var connector: Connector?

        init(_ id: PeripheralID, user: RadioUser?, connector: Connector, completion: @escaping Completion) {
            self.id = id
            self.user = user
            self.connector = connector
            self.completion = completion
        }

        func cancel() { connector?.giveUp(self, .cancelled) }

        func end(_ result: Result<any PeripheralLink, RadioError>) {
            timer?.disarm()
            guard let completion else { return }
            self.completion = nil
            completion(result)
        }

        /// Completes with a share of a link, or with the reason why the user gets none.
        func join(_ link: HostLink) {
            if let error = verdict ?? (user?.policy ?? SecurityPolicy()).refusal(of: link.link.security) {
                end(.failure(error))
            } else {
                end(.success(link.share(for: user)))
            }
        }
    }

    /// The connection attempt to one device.
    private struct Attempt {
        var waiters: [Waiter]
        var pending: PendingConnection?
        var retries: Int
        var parameters: ConnectionParametersRequest
    }

    private unowned let radio: HostRadio
    private var attempts: [PeripheralID: Attempt] = [:]

    init(radio: HostRadio) { self.radio = radio }

    func connect(
        _ id: PeripheralID, _ request: ConnectRequest, for user: RadioUser?,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation {
        let waiter = Waiter(id, user: user, connector: self, completion: completion)
        radio.loop.later { [self] in begin(waiter, request) }
        return waiter
    }

    /// Returns the users that wait for a device.
    func users(waitingFor id: PeripheralID) -> [RadioUser?] {
        attempts[id]?.waiters.filter { $0.verdict == nil }.map(\.user) ?? []
    }

    private func begin(_ waiter: Waiter, _ request: ConnectRequest) {
        guard waiter.completion != nil else { return }
        if let verdict = waiter.verdict { return waiter.end(.failure(verdict)) }
        if let error = radio.unreadiness { return waiter.end(.failure(error)) }
        guard let address = waiter.id.address else {
            return waiter.end(.failure(.invalidArgument("no device has the identifier \(waiter.id)")))
        }
        if let link = radio.link(to: waiter.id), link.isUsable { return waiter.join(link) }
        if let timeout = request.timeout {
            let timer = radio.loop.makeTimer { [weak self, weak waiter] in
                if let waiter { self?.giveUp(waiter, .timeout) }
            }
            timer.arm(at: radio.loop.now + timeout)
            waiter.timer = timer
        }
        if attempts[waiter.id] != nil {
            attempts[waiter.id]?.waiters.append(waiter)
            return
        }
        attempts[waiter.id] = Attempt(waiters: [waiter], retries: request.retries, parameters: request.parameters)
        if let link = radio.link(to: waiter.id) {
            // The peer has just connected to a local device.
            link.prepare { [weak self] error in self?.prepared(waiter.id, link, error) }
        } else {
            initiate(waiter.id, address)
        }
    }

    private func initiate(_ id: PeripheralID, _ address: BluetoothAddress) {
        guard let attempt = attempts[id] else { return }
        radio.setHostTime()
        let pending = radio.host.connect(to: address, parameters: attempt.parameters) { [weak self] result in
            // This may run inside `connect`: the attempt has to store its pending connection first.
            self?.radio.loop.later { self?.initiated(id, result) }
        }
        attempts[id]?.pending = pending
    }

    private func initiated(_ id: PeripheralID, _ result: Result<LELink, RadioError>) {
        guard let attempt = attempts[id] else {
            if case .success(let link) = result, radio.link(to: id)?.isInUse != true { link.disconnect() }
            return
        }
        attempts[id]?.pending = nil
        switch result {
        case .success(let link):
            guard let hostLink = radio.link(to: id), hostLink.link === link else {
                return retryOrFail(id, attempt, .disconnected(.failedToEstablish))
            }
            hostLink.prepare { [weak self] error in self?.prepared(id, hostLink, error) }
        case .failure(let error):
            retryOrFail(id, attempt, error)
        }
    }

    /// Completes an attempt after the link was prepared: a response of the peer proves that the link is established.
    private func prepared(_ id: PeripheralID, _ link: HostLink, _ error: RadioError?) {
        guard let attempt = attempts[id] else { return link.dropIfUnused() }
        if let error {
            // The device could not prove its identity: the users are completed when its link has ended, and may try
            // again.
            return link.drop { [weak self] in
                if let attempt = self?.attempts[id] { self?.retryOrFail(id, attempt, error) }
            }
        }
        attempts[id] = nil
        radio.store.remember(id, name: id.address.flatMap { radio.heard[$0]?.data.localName })
        for waiter in attempt.waiters { waiter.join(link) }
        link.dropIfUnused()
    }

    private func retryOrFail(_ id: PeripheralID, _ attempt: Attempt, _ error: RadioError) {
        let isWorthIt = error == .disconnected(.failedToEstablish) && attempt.retries > 0
        if isWorthIt, attempt.waiters.contains(where: { $0.verdict == nil }), let address = id.address {
            radio.log.notice("connection to \(address) failed to be established (0x3E); retrying")
            attempts[id]?.retries -= 1
            return initiate(id, address)
        }
        attempts[id] = nil
        for waiter in attempt.waiters { waiter.end(.failure(waiter.verdict ?? error)) }
    }

    /// Cancels a waiter; the last one stops the controller, and is completed when that is done.
    private func giveUp(_ waiter: Waiter, _ verdict: RadioError) {
        guard waiter.completion != nil, waiter.verdict == nil else { return }
        waiter.verdict = verdict
        guard let attempt = attempts[waiter.id], attempt.waiters.contains(where: { $0 === waiter }) else { return }
        if attempt.waiters.contains(where: { $0.verdict == nil }) {
            attempts[waiter.id]?.waiters.removeAll { $0 === waiter }
            waiter.end(.failure(verdict))
        } else if let pending = attempt.pending {
            radio.setHostTime()
            pending.cancel()
        } else {
            radio.link(to: waiter.id)?.link.disconnect()
        }
    }

    /// Fails all attempts because the adapter is no longer ready.
    func end(_ error: RadioError) {
        let ended = attempts
        attempts = [:]
        for attempt in ended.values {
            attempt.pending?.cancel()
            for waiter in attempt.waiters { waiter.end(.failure(waiter.verdict ?? error)) }
        }
    }
}
