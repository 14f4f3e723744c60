import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// An adapter with one device in range. Confined to its loop.
final class FakeRadio: RadioBackend {
    static let peerID = PeripheralID(BluetoothAddress(value: 0xF0F1_F2F3_F4F5, kind: .random))

    let loop: RadioLoop
    let adapter = AdapterInfo(uri: "fake", summary: "fake adapter")
    let capabilities: BackendCapabilities = [.addresses, .pairing, .securityLevels, .power]
    private(set) var state = RadioState.poweredOn
    private(set) var stateReason = ""
    let events: Events<PeerEvent>
    var device = FakeDevice()
    private(set) var link: FakeLink?
    private var users: [RadioUser] = []
    private let scans = ScanClients()
    private let observers = RadioObservers()
    private lazy var connections = ConnectionCoordinator(self, loop: loop)

    init(loop: RadioLoop, events: Events<PeerEvent>) {
        self.loop = loop
        self.events = events
    }

    var unavailableError: RadioError? { state == .poweredOn ? nil : .radio(state, reason: stateReason) }

    // MARK: Users and observers

    func addUser(_ user: RadioUser) { if !users.has(user) { users.append(user) } }

    func removeUser(_ user: RadioUser) {
        users.removeAll { $0 === user }
        link?.userRemoved(user)
        user.pairingHandler = nil
    }

    func addObserver(_ observer: any RadioObserver) { observers.add(observer) }
    func removeObserver(_ observer: any RadioObserver) { observers.remove(observer) }

    // MARK: Scanning

    func scan(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation {
        let client = scans.add(request, discovered: discovered, ended: ended)
        let error = unavailableError
        loop.executeNext { [scans] in
            if let error { scans.end(client, error) } else { scans.tell(.passive) }
        }
        return client
    }

    /// Reports an advertisement of the device to the scans that select it.
    func heard() {
        var data = AdvertisingData()
        data.serviceUUIDs = [PeerAttribute.service]
        for client in scans.all {
            client.report(
                ScanReport(
                    peripheral: Self.peerID, address: Self.peerID.address, knownName: nil, advertisement: data,
                    rssi: -40,
                    isConnectable: true, time: loop.now))
        }
    }

    // MARK: Connecting

    func connect(
        _ peripheral: PeripheralID, _ request: ConnectRequest, for user: RadioUser?,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation { connections.connect(peripheral, request, for: user, completion: completion) }

    /// Continues the attempts, after the device became reachable.
    func deviceChanged() { for attempt in connections.current { advance(attempt) } }

    private func advance(_ attempt: ConnectionAttempt<Void>) {
        loop.executeNext { [self] in
            guard connections.isCurrent(attempt), !attempt.isStopping, device.isReachable else { return }
            guard device.failedEstablishments == 0 else {
                device.failedEstablishments -= 1
                guard attempt.retries > 0 else { return connections.fail(attempt, .disconnected(.failedToEstablish)) }
                connections.willRetry(attempt, after: "the device did not answer (0x3E)")
                return advance(attempt)
            }
            let link = FakeLink(self)
            self.link = link
            events.append(.connected)
            observers.tell { $0.peripheralConnected(Self.peerID) }
            connections.succeed(attempt) { link.share(for: $0) }
            link.endIfUnused()
        }
    }

    /// Ends the link.
    func lose(_ error: RadioError) {
        guard let link else { return }
        self.link = nil
        events.append(.disconnected)
        link.ended(error)
        observers.tell { $0.peripheralDisconnected(Self.peerID, error) }
    }

    // MARK: State

    func setPowered(_ isOn: Bool, completion: @escaping (Result<Void, RadioError>) -> Void) {
        change(to: isOn ? .poweredOn : .poweredOff, isOn ? "" : "the adapter is switched off")
        completion(.success(()))
    }

    func close(completion: @escaping () -> Void) {
        scans.endAll(.cancelled)
        connections.end(.cancelled)
        change(to: .unsupported, "the adapter was closed")
        observers.removeAll()
        loop.executeNext(completion)
    }

    private func change(to new: RadioState, _ reason: String) {
        guard new != state else { return }
        state = new
        stateReason = reason
        if let error = unavailableError {
            lose(error)
            scans.endAll(error)
            connections.end(error)
        }
        observers.tell { $0.radioStateChanged(self) }
    }

    // MARK: Devices: the one

    func knownPeripherals(_ identifiers: [PeripheralID]) -> [KnownPeripheral] { [] }
    func allKnownPeripherals() -> [KnownPeripheral] { [] }
    func connectedPeripherals(withServices services: [BluetoothUUID]) -> [KnownPeripheral] { [] }
    func peripheral(at address: BluetoothAddress) -> PeripheralID? { PeripheralID(address) }
    func forgetCache(_ peripheral: PeripheralID) {}
    var bonds: [BondedPeripheral] { [] }
    func forgetBond(_ peripheral: PeripheralID) -> Bool { false }
    func makeLocalDevice(
        _ configuration: LocalDeviceConfiguration, for user: RadioUser?, delegate: any LocalDeviceDelegate
    ) throws(RadioError) -> any LocalDevice { throw .unsupported("the fake adapter has no peripheral role") }
}

extension FakeRadio: ConnectionDriver {
    var initialPhase: Void { () }

    func refusal(of peripheral: PeripheralID, _ request: ConnectRequest) -> RadioError? {
        peripheral == Self.peerID ? nil : .invalidArgument("no device has the identifier \(peripheral)")
    }

    func share(of peripheral: PeripheralID, for user: RadioUser?) -> Result<any PeripheralLink, RadioError>? {
        link?.share(for: user)
    }

    func begin(_ attempt: ConnectionAttempt<Void>) { advance(attempt) }

    /// Stops an attempt. As with a controller, this takes some time, in which further callers may be added.
    func stop(_ attempt: ConnectionAttempt<Void>) {
        loop.executeNext { [self] in loop.executeNext { [self] in connections.fail(attempt, .cancelled) } }
    }
}
