import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// Connects to devices through BlueZ: discovers devices that it has forgotten, and repeats failed attempts.
final class BlueZConnector: ConnectionDriver {
    /// The progress of an attempt.
    struct Phase {
        enum Step {
            /// BlueZ does not know the device: a discovery is looking for it.
            case looking
            case connecting(path: String, since: RadioInstant)
            case pausing(QueuedTimer)
            /// The previous link is still being disconnected.
            case disconnecting
        }

        var step = Step.looking
        /// The number of refusals because another program is connecting, which are temporary.
        var refusals = 0
        /// True once the attempt needs the radio without a scan.
        var hasPausedScan = false
        /// Ends an attempt that BlueZ does not answer.
        var patience: QueuedTimer?

        var isLooking: Bool { if case .looking = step { true } else { false } }
    }

    typealias Attempt = ConnectionAttempt<Phase>

    /// Proof of `unowned`: the radio owns this object, and closes it before it is released.
    private unowned let radio: BlueZRadio
    private(set) lazy var coordinator = ConnectionCoordinator(self, loop: radio.loop, log: radio.log)
    /// A failure that took longer was not caused by the radio: the device was out of range.
    private static let quickFailure = Duration.seconds(8)
    private static let refusalLimit = 100
    private static let pause = Duration.milliseconds(300)
    /// The time after which an attempt is aborted and repeated. Linux (6.1) sometimes stops listening for the device as
    /// soon as an attempt has begun, if it follows a disconnection, and BlueZ (5.66) then never answers.
    private static let patience = Duration.seconds(20)

    init(radio: BlueZRadio) { self.radio = radio }

    // MARK: The coordinator's questions

    var unavailableError: RadioError? { radio.unavailableError }
    var initialPhase: Phase { Phase() }

    func refusal(of peripheral: PeripheralID, _ request: ConnectRequest) -> RadioError? {
        peripheral.address == nil ? .invalidArgument("no device has the identifier \(peripheral)") : nil
    }

    /// Nil: only BlueZ's objects show whether a device is connected.
    func share(of peripheral: PeripheralID, for user: RadioUser?) -> Result<any PeripheralLink, RadioError>? { nil }

    /// True if a device has to be discovered before it can be connected.
    var isLooking: Bool { coordinator.current.contains(where: \.phase.isLooking) }
    /// True if a connection attempt needs the radio without a scan.
    var needsQuiet: Bool { coordinator.current.contains { $0.phase.hasPausedScan && !$0.phase.isLooking } }

    // MARK: An attempt

    func begin(_ attempt: Attempt) { next(attempt) }

    private func next(_ attempt: Attempt) {
        guard coordinator.isCurrent(attempt) else { return }
        if let path = radio.path(of: attempt.peripheral) { return connect(attempt, path) }
        attempt.phase.step = .looking
        radio.scans.update()
    }

    /// Fails the attempts that need a discovery, which BlueZ refuses.
    func cannotLook(_ error: RadioError) {
        for attempt in coordinator.current where attempt.phase.isLooking { fail(attempt, error) }
    }

    /// Connects to a device that BlueZ discovered.
    func deviceAppeared(_ path: String) {
        guard let id = radio.device(at: path)?.id, let attempt = coordinator.attempt(to: id), attempt.phase.isLooking
        else { return }
        connect(attempt, path)
    }

    private func connect(_ attempt: Attempt, _ path: String) {
        // The device still looks connected: its previous link is being disconnected.
        if radio.pendingDisconnects.contains(path) {
            attempt.phase.step = .disconnecting
            radio.scans.update()
            return radio.pendingDisconnects.disconnect(path) { [weak self] in self?.next(attempt) }
        }
        if radio.device(at: path)?.isConnected == true {
            // Connected already, by this program or by another one, which keeps the link.
            return finish(attempt, radio.link(to: attempt.peripheral, at: path, isForeign: true))
        }
        let since = radio.loop.now
        attempt.phase.step = .connecting(path: path, since: since)
        let timer = radio.loop.makeTimer { [weak self, weak attempt] in
            guard let self, let attempt, coordinator.isCurrent(attempt), !attempt.isStopping else { return }
            radio.log.debug("BlueZ does not answer; connecting again")
            // BlueZ aborts the attempt, and then answers the pending call.
            disconnect(path)
        }
        attempt.phase.patience = timer
        timer.arm(at: since + Self.patience)
        // The discovery may stop before BlueZ connects: a simultaneous scan often makes the attempt fail.
        radio.scans.update()
        radio.client.call(path, BlueZ.device, "Connect", timeout: nil) { [weak self] in
            self?.connected(attempt, path, $0)
        }
    }

    private func connected(_ attempt: Attempt, _ path: String, _ result: Result<[BusValue], BusError>) {
        attempt.phase.patience?.disarm()
        attempt.phase.patience = nil
        let isCurrent = coordinator.isCurrent(attempt)
        if case .connecting(_, let since) = attempt.phase.step, isCurrent, case .failure(let error) = result,
            error.kind != "AlreadyConnected"
        {
            return failed(attempt, error, after: radio.loop.now - since)
        }
        guard case .success = result, isCurrent, !attempt.isStopping else {
            // Too late: a link without a caller is disconnected again.
            if case .success = result, radio.links[path]?.isInUse != true { disconnect(path) }
            return fail(attempt, .cancelled)
        }
        finish(attempt, radio.link(to: attempt.peripheral, at: path, isForeign: false))
    }

    private func disconnect(_ path: String) { radio.pendingDisconnects.disconnect(path) }

    private func failed(_ attempt: Attempt, _ error: BusError, after time: Duration) {
        if attempt.isStopping { return fail(attempt, .cancelled) }
        if error.kind == "UnknownObject" || error.kind == "DoesNotExist" {
            // BlueZ forgot the device during the call.
            return next(attempt)
        }
        guard error.isWorthAnotherAttempt else { return fail(attempt, error.radioError()) }
        let isBusy = error.kind == "InProgress"
        if isBusy {
            attempt.phase.refusals += 1
            guard attempt.phase.refusals < Self.refusalLimit else { return fail(attempt, error.radioError()) }
        } else if time < Self.quickFailure {
            guard attempt.retries > 0 else { return fail(attempt, .disconnected(.failedToEstablish)) }
            coordinator.willRetry(attempt, after: "BlueZ could not connect (\(error.text))")
        }
        // From now on the scans of other users are paused too.
        if !isBusy, time < Self.quickFailure { attempt.phase.hasPausedScan = true }
        let timer = radio.loop.makeTimer { [weak self] in self?.next(attempt) }
        attempt.phase.step = .pausing(timer)
        timer.arm(at: radio.loop.now + Self.pause)
        radio.scans.update()
    }

    private func finish(_ attempt: Attempt, _ link: BlueZLink) {
        coordinator.succeed(attempt) { .success(link.share(for: $0)) }
        radio.scans.update()
    }

    private func fail(_ attempt: Attempt, _ error: RadioError) {
        coordinator.fail(attempt, error)
        radio.scans.update()
    }

    func stop(_ attempt: Attempt) {
        switch attempt.phase.step {
        case .looking, .disconnecting: fail(attempt, .cancelled)
        case .pausing(let timer):
            timer.disarm()
            fail(attempt, .cancelled)
        case .connecting(let path, _):
            guard radio.unavailableError == nil else { return }
            // BlueZ aborts the attempt, and then answers the pending call.
            disconnect(path)
            radio.loop.makeTimer { [weak self] in self?.fail(attempt, .cancelled) }
                .arm(at: radio.loop.now + .seconds(5))
        }
    }
}
