import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime

/// Connects to devices with the host stack: repeats attempts that failed to be established, and prepares links.
final class HostConnector: ConnectionDriver {
    /// The progress of an attempt.
    enum Phase {
        case initial
        case initiating(PendingConnection)
        /// The link is up; its device is verified, and the attributes discovered before are validated.
        case preparing
    }

    typealias Attempt = ConnectionAttempt<Phase>

    /// Proof of `unowned`: the radio owns this object, and closes it before it is released.
    private unowned let radio: HostRadio
    private(set) lazy var coordinator = ConnectionCoordinator(self, loop: radio.loop, log: radio.log)

    init(radio: HostRadio) { self.radio = radio }

    // MARK: The coordinator's questions

    var unavailableError: RadioError? { radio.unavailableError }
    var initialPhase: Phase { .initial }

    func refusal(of peripheral: PeripheralID, _ request: ConnectRequest) -> RadioError? {
        peripheral.address == nil ? .invalidArgument("no device has the identifier \(peripheral)") : nil
    }

    func share(of peripheral: PeripheralID, for user: RadioUser?) -> Result<any PeripheralLink, RadioError>? {
        radio.link(to: peripheral).flatMap { $0.isUp ? share(of: $0, for: user) : nil }
    }

    private func share(of link: HostLink, for user: RadioUser?) -> Result<any PeripheralLink, RadioError> {
        if let error = (user?.policy ?? SecurityPolicy()).refusal(of: link.link.security) { return .failure(error) }
        return .success(link.share(for: user))
    }

    /// Returns true if the link to that device, which is being established, carries raw frames only.
    func wantsFrames(of peripheral: PeripheralID) -> Bool {
        coordinator.attempt(to: peripheral)?.request.isRaw ?? false
    }

    // MARK: An attempt

    func begin(_ attempt: Attempt) {
        if let link = radio.link(to: attempt.peripheral) {
            if link.isEnding {
                // Its last user has just released it.
                return link.whenEnded { [weak self] in
                    if let self, coordinator.isCurrent(attempt), !attempt.isStopping { begin(attempt) }
                }
            }
            // The peer has just connected to a local device.
            prepare(attempt, link)
        } else {
            initiate(attempt)
        }
    }

    private func initiate(_ attempt: Attempt) {
        guard let address = attempt.peripheral.address else { return }
        let pending = radio.host.connect(to: address, parameters: attempt.request.parameters) { [weak self] result in
            // This may run inside `connect`: the attempt has to store its pending connection first.
            self?.radio.loop.executeNext { self?.initiated(attempt, result) }
        }
        attempt.phase = .initiating(pending)
    }

    private func initiated(_ attempt: Attempt, _ result: Result<LELink, RadioError>) {
        let id = attempt.peripheral
        guard coordinator.isCurrent(attempt) else {
            if case .success(let link) = result, isUnwanted(id), radio.link(to: id)?.isInUse != true {
                link.disconnect()
            }
            return
        }
        attempt.phase = .initial
        switch result {
        case .success(let link):
            // It may have ended since the host announced it.
            guard let hostLink = radio.hostLink(of: link) else {
                return retryOrFail(attempt, .disconnected(.failedToEstablish))
            }
            prepare(attempt, hostLink)
        case .failure(let error):
            retryOrFail(attempt, error)
        }
    }

    private func prepare(_ attempt: Attempt, _ link: HostLink) {
        attempt.phase = .preparing
        link.prepare { [weak self] error in self?.prepared(attempt, link, error) }
    }

    /// Ends an attempt after the link was prepared: a response of the peer proves that the link is established.
    private func prepared(_ attempt: Attempt, _ link: HostLink, _ error: RadioError?) {
        let id = attempt.peripheral
        guard coordinator.isCurrent(attempt) else {
            if isUnwanted(id) { link.dropIfUnused() }
            return
        }
        if let error {
            // The device could not prove its identity: the users are completed when its link has ended, and may try
            // again.
            return link.drop { [weak self] in self?.retryOrFail(attempt, error) }
        }
        radio.store.remember(id, name: id.address.flatMap { radio.heard[$0]?.data.localName })
        coordinator.succeed(attempt) { share(of: link, for: $0) }
        link.dropIfUnused()
    }

    /// Returns true if no attempt to connect to the device runs.
    private func isUnwanted(_ id: PeripheralID) -> Bool { coordinator.attempt(to: id) == nil }

    private func retryOrFail(_ attempt: Attempt, _ error: RadioError) {
        guard coordinator.isCurrent(attempt), !attempt.isStopping, attempt.retries > 0,
            error == .disconnected(.failedToEstablish)
        else { return coordinator.fail(attempt, error) }
        coordinator.willRetry(attempt, after: "the link failed to be established (0x3E)")
        initiate(attempt)
    }

    func unanswered(_ attempt: Attempt) -> RadioError? {
        guard case .preparing = attempt.phase else { return nil }
        return radio.link(to: attempt.peripheral)?.unanswered
    }

    func stop(_ attempt: Attempt) {
        switch attempt.phase {
        case .initial: coordinator.fail(attempt, .cancelled)
        case .initiating(let pending):
            pending.cancel()
        case .preparing: if radio.unavailableError == nil { radio.link(to: attempt.peripheral)?.link.disconnect() }
        }
    }
}
