import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport
import Dispatch
import Logging

/// An adapter with this package's host stack: drives ``LEHost`` and implements ``RadioBackend``.
///
/// Confined to the loop of its channel.
final class HostRadio: RadioBackend {
    let loop: RadioLoop
    private(set) var adapter: AdapterInfo
    let capabilities: BackendCapabilities = [
        .addresses, .phy, .connectionParameters, .subscriptionKind, .handles, .channels, .peripheralRole,
        .severalIdentities, .pairing, .securityLevels, .power, .rawFrames,
    ]
    private(set) var state = RadioState.unknown
    private(set) var stateReason = "the adapter is still starting"
    /// The users of the adapter, oldest first.
    var users: [RadioUser] = []
    /// The pending pairing questions, by link.
    var questions: [ObjectIdentifier: AskedQuestion] = [:]

    let host: LEHost
    let log: Logger
    let heard: HeardDevices
    let storeDirectory: String?
    let store: KnownDeviceStore
    let bondStore: BondFileStore
    /// The problem of ``bondStore`` that was logged last.
    var reportedProblem: String?
    let passkeyFailures: PasskeyFailureStore
    let cache: BondedCacheStore
    private(set) var links = HostLinks()
    /// The devices of ours, the oldest first.
    var localDevices: [HostLocalDevice] = []
    private(set) lazy var connector = HostConnector(radio: self)
    let scans: ScanHub
    private let driver: HostDriver?
    private lazy var timer = loop.makeTimer { [weak self] in self?.advance() }
    /// The observers of the adapter, in the order of registration.
    private let observers = RadioObservers()
    private(set) lazy var record = RadioRecord(loop: loop)
    /// The counters of links that have ended.
    private(set) var endedLinks = EndedLinks()
    /// True while the adapter is switched off by a user.
    private var isSwitchedOff = false
    /// True once the last user has closed the adapter.
    private var isClosing = false
    /// Called once the adapter was released.
    var onClosed: (() -> Void)?

    /// Creates an adapter on a channel to a controller; ``start()`` starts it.
    init(channel: any HCIChannel, info: AdapterInfo, configuration options: HostRadioConfiguration) {
        let directory = options.directory
        let loop = channel.loop
        self.loop = loop
        adapter = info
        log = Logger(label: "harald.radio", adapter: info)
        let interval: DispatchTimeInterval? = loop.clock.isManual ? nil : .ofStores
        storeDirectory = directory
        store = KnownDeviceStore(directory, atMostEvery: interval)
        bondStore = BondFileStore(directory, atMostEvery: interval)
        passkeyFailures = PasskeyFailureStore(directory)
        cache = BondedCacheStore(directory)
        var configuration = HostConfiguration()
        var identity: BluetoothAddress?
        if case .randomStatic(let own) = options.address {
            identity = own
        } else if let role = options.role, options.address == .automatic {
            identity = .staticRandom(with: bondStore.identityKey, for: role)
            if options.keepsBondedAddress { configuration.formerAddresses = Set(bondStore.bonds.map(\.localAddress)) }
        }
        if let identity { configuration.ownAddress = .staticRandom(identity) }
        if let time = options.privateAddressRotationInterval {
            configuration.ownAddress = .resolvable(bondStore.identityKey, each: time)
        }
        host = LEHost(configuration: configuration, time: HostTime { loop.now }) { packet in channel.send(packet) }
        driver = HostDriver(host: host, channel: channel)
        heard = HeardDevices { [host] in host.identity(behind: $0) }
        scans = Self.makeScans(host, heard, loop, store)
        scans.uri = info.uri
        if let problem = store.problem { log.warning("\(problem)") }
        useSecurity(identity: identity)
    }

    /// Creates an absent adapter; every operation fails with the reason.
    init(absent state: RadioState, reason: String, info: AdapterInfo, loop: RadioLoop) {
        driver = nil
        self.loop = loop
        adapter = info
        log = Logger(label: "harald.radio", adapter: info)
        storeDirectory = nil
        store = KnownDeviceStore(nil)
        bondStore = BondFileStore(nil)
        passkeyFailures = PasskeyFailureStore(nil)
        cache = BondedCacheStore(nil)
        host = LEHost { _ in }
        heard = HeardDevices { $0 }
        scans = Self.makeScans(host, heard, loop, store)
        self.state = state
        stateReason = reason
    }

    deinit { host.delegate = nil }

    private static func makeScans(
        _ host: LEHost, _ heard: HeardDevices, _ loop: RadioLoop, _ store: KnownDeviceStore
    ) -> ScanHub {
        ScanHub(host: host, heard: heard, loop: loop) { store.devices.isEmpty ? nil : store.devices[$0]?.name }
    }

    func start() {
        guard let driver else { return }
        driver.start { [weak self] in self?.channelClosed($0) }
        host.delegate = self
        observers.add(record)
        logHost()
        host.timers.onEarlierDeadline = { [weak self] in self?.armTimer() }
        scans.onRestart = { [log, record] in
            record.scanRestarted()
            log.notice("no advertisement was received for a minute; restarting the scan")
        }
        host.start()
    }

    /// Switches the adapter off or on, as a user does in the system's settings. Off, all links end, which the peers
    /// learn, the controller is reset, and the state is `poweredOff` until it is switched on again.
    func setPowered(_ isOn: Bool) {
        guard driver != nil, isOn == isSwitchedOff else { return }
        isSwitchedOff = !isOn
        if isOn { host.start() } else { host.powerOff() }
    }

    func setPowered(_ isOn: Bool, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard driver != nil else { return completion(.failure(.radio(state, reason: stateReason))) }
        setPowered(isOn)
        completion(.success(()))
    }

    // MARK: Time

    private func armTimer() {
        guard let deadline = host.nextDeadline else { return }
        timer.arm(at: deadline)
    }

    private func advance() {
        host.advance()
        armTimer()
    }

    private func channelClosed(_ error: TransportError?) {
        let reason = error.map { "\($0)" } ?? named("the controller closed the connection")
        log.warning("\(reason)")
        // The adapter's state reports it to its users, and changes once.
        host.transportClosed(.radio(.unsupported, reason: reason))
        // A host that was stopped, or failed before, does not change its state.
        change(to: .unsupported, reason)
    }

    // MARK: Observers

    func addObserver(_ observer: any RadioObserver) { observers.add(observer) }

    func removeObserver(_ observer: any RadioObserver) { observers.remove(observer) }

    // MARK: Scanning and connecting

    func scan(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation {
        let operation = scans.add(request, discovered: discovered, ended: ended)
        if let error = unavailableError { loop.executeNext { [scans] in scans.end(error) } }
        return operation
    }

    var scanDelay: RadioError? {
        guard scans.isStarting, let command = host.unansweredCommand else { return nil }
        return .radio(.unknown, reason: named("the controller has not answered \(command)"))
    }

    /// A text about the controller, with the URI of the adapter.
    private func named(_ reason: String) -> String {
        reason.hasPrefix(adapter.uri) ? reason : "\(adapter.uri): \(reason)"
    }

    func connect(
        _ peripheral: PeripheralID, _ request: ConnectRequest, for user: RadioUser?,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation {
        bondStore.refresh()
        return connector.coordinator.connect(resolved(peripheral), request, for: user, completion: completion)
    }

    /// The error of operations while the adapter is not ready; nil when it is.
    var unavailableError: RadioError? { state == .poweredOn ? nil : .radio(state, reason: stateReason) }

    // MARK: Known devices

    func knownPeripherals(_ identifiers: [PeripheralID]) -> [KnownPeripheral] {
        identifiers.compactMap { id in id.address == nil ? nil : known(id) }
    }

    func allKnownPeripherals() -> [KnownPeripheral] {
        store.devices.values.sorted { $0.id < $1.id }
    }

    func connectedPeripherals(withServices services: [BluetoothUUID]) -> [KnownPeripheral] {
        links.newest.filter { $0.isInUse && $0.offers(services) }.map(\.id).sorted().map(known)
    }

    func peripheral(at address: BluetoothAddress) -> PeripheralID? { PeripheralID(address) }

    private func known(_ id: PeripheralID) -> KnownPeripheral {
        let heardName = id.address.flatMap { heard[$0]?.data.localName }
        return KnownPeripheral(id: id, address: id.address, name: heardName ?? store.devices[id]?.name)
    }

    func forgetCache(_ peripheral: PeripheralID) {
        cache.remove(for: peripheral)
        let link = link(to: peripheral)
        if let id = link?.id, id != peripheral { cache.remove(for: id) }
        link?.forgetCache()
    }

    // MARK: Closing

    func close(completion: @escaping () -> Void) {
        isClosing = true
        scans.end(.cancelled)
        connector.coordinator.end(.cancelled)
        for device in localDevices { device.close {} }
        let open = host.allLinks
        // Each link is ended, and its end awaited, before the controller is reset.
        let finish = { [self] in
            host.stop()
            driver?.close()
            bondStore.close()
            store.close()
            change(to: .unsupported, "the adapter was closed")
            observers.removeAll()
            onClosed?()
            onClosed = nil
            completion()
        }
        guard !open.isEmpty else { return loop.executeNext(finish) }
        let deadline = loop.makeTimer { [weak self] in self?.finishClosing() }
        deadline.arm(at: loop.now + .seconds(2))
        closing = (finish, deadline)
        for link in open { link.disconnect() }
    }

    /// The rest of ``close(completion:)``, which runs when the last link has ended, or at the deadline.
    private var closing: (finish: () -> Void, deadline: QueuedTimer)?

    private func finishClosing() {
        guard let closing else { return }
        self.closing = nil
        closing.deadline.disarm()
        closing.finish()
    }
}

extension HostRadio: LEHostDelegate {
    func host(_ host: LEHost, changed state: HostState) {
        switch state {
        case .ready:
            if let controller = host.controller {
                adapter.address = host.ownAddress
                adapter.summary = Self.summary(of: controller)
            }
            change(to: .poweredOn, "")
        case .failed(.radio(let radioState, let reason)): change(to: radioState, named(reason))
        case .failed(let error): change(to: .unsupported, named("\(error)"))
        // After power-on the state stays off until the adapter is ready.
        case .starting: if self.state != .poweredOff { change(to: .unknown, "the adapter is still starting") }
        case .stopped: if !isClosing { change(to: .poweredOff, Self.switchedOff) }
        case .restarting: change(to: .resetting, named("the controller reported a hardware error and restarts"))
        }
    }

    private static let switchedOff = "the adapter is switched off"

    /// Returns a description of a controller: "Bluetooth 5.4 controller of Intel Corp.".
    private static func summary(of controller: ControllerInfo) -> String {
        let maker = controller.company.name.map { " of \($0)" } ?? ""
        return "Bluetooth \(CoreVersion.name(controller.version)) controller\(maker)"
    }

    private func change(to newState: RadioState, _ reason: String) {
        guard newState != state || reason != stateReason else { return }
        let text = isClosing ? "closed" : newState.text + (reason.isEmpty ? "" : ": \(reason)")
        if driver != nil { log.debug("the adapter is \(text)") }
        state = newState
        stateReason = reason
        if let error = unavailableError {
            scans.end(error)
            connector.coordinator.end(error)
        }
        observers.tell { $0.radioStateChanged(self) }
    }

    func host(_ host: LEHost, discovered report: AdvertisingReport) { scans.received(report) }

    func host(_ host: LEHost, connected link: LELink) {
        // The identity of a bonded device that connected with a private address.
        let id = PeripheralID(host.identity(behind: link.peerAddress))
        let hostLink = HostLink(link, id: id, radio: self)
        if link.role == .central, connector.wantsFrames(of: id) {
            hostLink.frames = LinkFrames(link, security: host.securityManager)
        }
        links.add(hostLink)
        logConnected(link)
        if let device = localDevice(of: link) {
            device.connected(hostLink)
        } else if link.role == .peripheral {
            // The device was closed before the controller stopped advertising it.
            link.disconnect()
        }
        observers.tell { $0.peripheralConnected(id) }
    }

    func host(_ host: LEHost, disconnected link: LELink, reason: HCIStatus) {
        guard let hostLink = links.remove(link) else { return }
        let id = hostLink.id
        endedLinks.add(link)
        log.debug("link ended: \(reason)", metadata: link.metadata)
        if link.security.isBonded { cache.keep(id) }
        reportStorageProblem()
        let end = isSwitchedOff ? RadioError.radio(.poweredOff, reason: Self.switchedOff) : .disconnected(reason)
        let error = unavailableError ?? end
        localDevice(of: link)?.disconnected(hostLink, error)
        hostLink.ended(error)
        observers.tell { $0.peripheralDisconnected(id, error) }
        if host.allLinks.isEmpty { finishClosing() }
    }

    func host(_ host: LEHost, link: LELink, changed change: LinkChange) {
        hostLink(of: link)?.changed(change)
    }

    /// Returns the shared link of a link of the host.
    func hostLink(of link: LELink) -> HostLink? { links[link] }

    func host(_ host: LEHost, scanFailed error: RadioError) { scans.end(error) }
}
