import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// Connects to devices through BlueZ: discovers devices that it has forgotten, retries failed attempts, shares links,
/// and enforces timeouts.
final class BlueZConnector {
    private typealias Completion = (Result<any PeripheralLink, RadioError>) -> Void

    /// One user that waits for a device.
    private final class Waiter: BackendOperation {
        let id: PeripheralID
        let user: RadioUser?
        var completion: Completion?
        var timer: QueuedTimer?
        /// The error for the waiter once BlueZ has stopped connecting.
        var verdict: RadioError?
        weak var connector: BlueZConnector?

        init(
            _ id: PeripheralID, user: RadioUser?, connector: BlueZConnector, completion: @escaping Completion
        ) {
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
    }

    private enum Phase {
        /// BlueZ does not know the device: a discovery is looking for it.
        case looking
        case connecting(path: String, since: RadioInstant)
        case pausing(QueuedTimer)
        /// The previous link is still being disconnected.
        case parting
    }

    /// The connection attempt to one device.
    private final class Attempt {
        let id: PeripheralID
        var waiters: [Waiter]
        var phase = Phase.looking
        var retries: Int
        /// The number of refusals because another program is connecting, which are temporary.
        var refusals = 0
        var hasPausedScan = false

        init(_ waiter: Waiter, retries: Int) {
            id = waiter.id
            waiters = [waiter]
            self.retries = retries
        }

        var isLooking: Bool { if case .looking = phase { true } else { false } }
        var isAbandoned: Bool { waiters.allSatisfy { $0.verdict != nil } }
    }

    private unowned let radio: BlueZRadio
    private var attempts: [PeripheralID: Attempt] = [:]
    /// A failure that took longer was not caused by the radio: the device was out of range.
    private static let quickFailure = Duration.seconds(8)
    private static let refusalLimit = 100
    private static let pause = Duration.milliseconds(300)

    init(radio: BlueZRadio) { self.radio = radio }

    func connect(
        _ id: PeripheralID, _ request: ConnectRequest, for user: RadioUser?,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation {
        let waiter = Waiter(id, user: user, connector: self, completion: completion)
        radio.loop.later { [self] in begin(waiter, request) }
        return waiter
    }

    private func begin(_ waiter: Waiter, _ request: ConnectRequest) {
        guard waiter.completion != nil else { return }
        if let verdict = waiter.verdict { return waiter.end(.failure(verdict)) }
        if let error = radio.unreadiness { return waiter.end(.failure(error)) }
        guard waiter.id.address != nil else {
            return waiter.end(.failure(.invalidArgument("no device has the identifier \(waiter.id)")))
        }
        if let timeout = request.timeout {
            let timer = radio.loop.makeTimer { [weak self, weak waiter] in
                if let waiter { self?.giveUp(waiter, .timeout) }
            }
            timer.arm(at: radio.loop.now + timeout)
            waiter.timer = timer
        }
        if let attempt = attempts[waiter.id] {
            attempt.waiters.append(waiter)
            return
        }
        let attempt = Attempt(waiter, retries: request.retries)
        attempts[waiter.id] = attempt
        next(attempt)
    }

    private func next(_ attempt: Attempt) {
        guard attempts[attempt.id] === attempt else { return }
        if let path = radio.path(of: attempt.id) { return connect(attempt, path) }
        attempt.phase = .looking
        radio.scans.update()
    }

    /// True if a device has to be discovered before it can be connected.
    var isLooking: Bool { attempts.values.contains(where: \.isLooking) }
    /// True if a connection attempt needs the radio without a scan.
    var needsQuiet: Bool { attempts.values.contains { $0.hasPausedScan && !$0.isLooking } }

    /// Fails the attempts that need a discovery, which BlueZ refuses.
    func cannotLook(_ error: RadioError) {
        for attempt in attempts.values.filter(\.isLooking) { fail(attempt, error) }
    }

    /// Connects to a device that BlueZ discovered.
    func deviceAppeared(_ path: String) {
        guard let id = radio.device(at: path)?.id, let attempt = attempts[id], attempt.isLooking else { return }
        connect(attempt, path)
    }

    private func connect(_ attempt: Attempt, _ path: String) {
        // The device still looks connected: its previous link is being disconnected.
        if radio.partings.contains(path) {
            attempt.phase = .parting
            radio.scans.update()
            return radio.partings.disconnect(path) { [weak self] in self?.next(attempt) }
        }
        if radio.device(at: path)?.isConnected == true {
            // Connected already, by this program or by another one, which keeps the link.
            return finish(attempt, radio.link(to: attempt.id, at: path, isForeign: true))
        }
        attempt.phase = .connecting(path: path, since: radio.loop.now)
        // The discovery may stop before BlueZ connects: a simultaneous scan often makes the attempt fail.
        radio.scans.update()
        radio.client.call(path, BlueZ.device, "Connect", timeout: nil) { [weak self] in
            self?.connected(attempt, path, $0)
        }
    }

    private func connected(_ attempt: Attempt, _ path: String, _ result: Result<[BusValue], BusError>) {
        let isCurrent = attempts[attempt.id] === attempt
        if case .connecting(_, let since) = attempt.phase, isCurrent, case .failure(let error) = result,
            error.kind != "AlreadyConnected"
        {
            return failed(attempt, error, after: radio.loop.now - since)
        }
        guard case .success = result, isCurrent, !attempt.isAbandoned else {
            // Too late: a link without a caller is disconnected again.
            if case .success = result, radio.links[path]?.isInUse != true { disconnect(path) }
            if isCurrent { fail(attempt, .cancelled) }
            return
        }
        finish(attempt, radio.link(to: attempt.id, at: path, isForeign: false))
    }

    private func disconnect(_ path: String) { radio.partings.disconnect(path) }

    private func failed(_ attempt: Attempt, _ error: BusError, after time: Duration) {
        if attempt.isAbandoned { return fail(attempt, .cancelled) }
        if error.kind == "UnknownObject" || error.kind == "DoesNotExist" {
            // BlueZ forgot the device during the call.
            return next(attempt)
        }
        guard error.isWorthAnotherAttempt else { return fail(attempt, error.radioError()) }
        let isBusy = error.kind == "InProgress"
        if isBusy {
            attempt.refusals += 1
            guard attempt.refusals < Self.refusalLimit else { return fail(attempt, error.radioError()) }
        } else if time < Self.quickFailure {
            guard attempt.retries > 0 else { return fail(attempt, .disconnected(.failedToEstablish)) }
            attempt.retries -= 1
            radio.log.notice("connection to \(attempt.id.address?.text ?? "?") failed (\(error.text)); retrying")
        }
        // From now on the scans of other users are paused too.
        if !isBusy, time < Self.quickFailure { attempt.hasPausedScan = true }
        let timer = radio.loop.makeTimer { [weak self] in self?.next(attempt) }
        attempt.phase = .pausing(timer)
        timer.arm(at: radio.loop.now + Self.pause)
        radio.scans.update()
    }

    private func finish(_ attempt: Attempt, _ link: BlueZLink) {
        remove(attempt)
        for waiter in attempt.waiters {
            waiter.end(waiter.verdict.map { .failure($0) } ?? .success(link.share(for: waiter.user)))
        }
    }

    private func fail(_ attempt: Attempt, _ error: RadioError) {
        remove(attempt)
        for waiter in attempt.waiters { waiter.end(.failure(waiter.verdict ?? error)) }
    }

    private func remove(_ attempt: Attempt) {
        if attempts[attempt.id] === attempt { attempts[attempt.id] = nil }
        radio.scans.update()
    }

    /// Cancels a waiter; the last one stops BlueZ, and is completed when that is done.
    private func giveUp(_ waiter: Waiter, _ verdict: RadioError) {
        guard waiter.completion != nil, waiter.verdict == nil else { return }
        waiter.verdict = verdict
        guard let attempt = attempts[waiter.id], attempt.waiters.contains(where: { $0 === waiter }) else { return }
        guard attempt.isAbandoned else {
            attempt.waiters.removeAll { $0 === waiter }
            return waiter.end(.failure(verdict))
        }
        switch attempt.phase {
        case .looking, .parting: fail(attempt, verdict)
        case .pausing(let timer):
            timer.disarm()
            fail(attempt, verdict)
        case .connecting(let path, _):
            // BlueZ aborts the attempt, and then answers the pending call.
            disconnect(path)
            radio.loop.makeTimer { [weak self] in
                if let self, attempts[attempt.id] === attempt { fail(attempt, verdict) }
            }.arm(at: radio.loop.now + .seconds(5))
        }
    }

    /// Fails all attempts because the adapter is no longer ready.
    func end(_ error: RadioError) {
        let ended = attempts.values
        for attempt in ended {
            switch attempt.phase {
            case .pausing(let timer): timer.disarm()
            case .looking, .parting: break
            case .connecting(let path, _): if radio.unreadiness == nil { disconnect(path) }
            }
            fail(attempt, error)
        }
    }
}
