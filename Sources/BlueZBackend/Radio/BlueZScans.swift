import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// All scans of one adapter: one session of BlueZ serves them, and each receives what it requested. The session is a
/// discovery, or the advertisement monitors of passive scans.
final class BlueZScans {
    private enum Session: Equatable {
        case discovery
        case monitors([AdvertisementPattern])
    }

    private enum State {
        case idle
        case starting(Session)
        case running(Session)
        case stopping
        /// BlueZ refused temporarily.
        case pausing(QueuedTimer)
    }

    /// Proof of `unowned`: only the radio stores this object, and closures have weak references to it.
    private unowned let radio: BlueZRadio
    private var state = State.idle
    private let clients = ScanClients()
    private var refusedSince: RadioInstant?
    /// The time for which BlueZ may report another operation in progress: the discovery of a killed `bluetoothd`
    /// continues in the kernel for 10.24 s.
    private static let refusalTime = Duration.seconds(15)
    /// The time without any report after which the discovery is restarted, doubled each time up to the longest. Short
    /// at first: a report that arrives before the kernel confirms the scan is lost, and a controller that reports each
    /// device once reports no more until the kernel restarts the scan, after 10.24 s.
    private static let silences = (first: Duration.seconds(3), longest: Duration.seconds(60))
    private var silence = BlueZScans.silences.first
    private lazy var watchdog = radio.loop.makeTimer { [weak self] in self?.silenceEnded() }
    /// The monitors that BlueZ knows.
    private var monitors: MonitorApplication?
    /// The reason why BlueZ ended the monitors, after which a discovery runs in their place.
    private var monitorFailure: String?
    /// The devices that the monitors have found.
    private var found: Set<String> = []
    /// The devices whose last advertisement was already reported, because it changed their properties.
    private var announced: Set<String> = []
    /// The time after which monitors that BlueZ has not activated are given up.
    private static let activation = Duration.seconds(10)
    /// The time between two reports of a device of which a controller reports only that it is in range.
    private static let presence = Duration.seconds(30)

    init(radio: BlueZRadio) {
        self.radio = radio
        clients.onCancel = { [weak self] in self?.update() }
    }

    func add(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation {
        let client = clients.add(request, discovered: discovered, ended: ended)
        radio.loop.executeNext { [weak self] in
            guard let self, !client.isOver else { return }
            if let error = radio.unavailableError { return end(error) }
            // Devices that are being received for others, here or in other programs, are reported at once.
            for path in radio.devicePaths where radio.device(at: path)?.rssi != nil { offer(path, to: client) }
            update()
        }
        return client
    }

    /// Ends all scans because the adapter is no longer ready.
    func end(_ error: RadioError) {
        clients.endAll(error) {
            guard radio.unavailableError != nil else { return update() }
            if case .pausing(let timer) = state { timer.disarm() }
            if monitors != nil { unregisterMonitors {} }
            monitorFailure = nil
            state = .idle
            refusedSince = nil
            silence = Self.silences.first
            watchdog.disarm()
        }
    }

    private var wanted: Session? {
        let connector = radio.connector
        guard !clients.isEmpty || connector.isLooking, !connector.needsQuiet, radio.unavailableError == nil else {
            return nil
        }
        let patterns = connector.isLooking || activeReason != nil ? [] : clients.patterns
        return patterns.isEmpty ? .discovery : .monitors(patterns)
    }

    /// The reason why a passive scan cannot be one.
    private var activeReason: String? { radio.monitorAbsence ?? monitorFailure }

    // MARK: The session

    /// Starts or stops the session as needed.
    func update() {
        switch state {
        case .idle: if let wanted { start(wanted) }
        case .running(let session):
            guard session != wanted else { return tellMode() }
            silence = Self.silences.first
            stop()
        case .pausing(let timer) where wanted == nil:
            timer.disarm()
            state = .idle
            refusedSince = nil
        default: break
        }
    }

    private func start(_ session: Session) {
        state = .starting(session)
        if case .monitors(let patterns) = session { return startMonitors(patterns) }
        var filter: [String: BusValue] = ["Transport": .string("le"), "DuplicateData": .bool(true)]
        setFilter(filter)
        // A prefix of every name: otherwise the pattern of another program would hide devices that it does not look
        // for. BlueZ before 5.54 does not support patterns, and keeps the previous filter.
        filter["Pattern"] = .string("")
        setFilter(filter)
        radio.client.call(radio.path, BlueZ.adapter, "StartDiscovery") { [weak self] in self?.started($0) }
    }

    private func tellMode() {
        switch state {
        case .running(.discovery): clients.tell(.active(because: clients.isActive ? nil : activeReason))
        case .running(.monitors) where monitors?.isActive == true: clients.tell(.patterns)
        default: break
        }
    }

    private func setFilter(_ filter: [String: BusValue]) {
        radio.client.call(radio.path, BlueZ.adapter, "SetDiscoveryFilter", [.properties(filter)]) { _ in }
    }

    private func started(_ result: Result<[BusValue], BusError>) {
        guard case .starting(.discovery) = state else { return }
        switch result {
        case .success:
            refusedSince = nil
            state = .running(.discovery)
            watchdog.arm(at: radio.loop.now + silence)
            update()
        case .failure(let error) where error.kind == "InProgress" && mayAskAgain:
            // Another program is just starting or stopping.
            let timer = radio.loop.makeTimer { [weak self] in
                self?.state = .idle
                self?.update()
            }
            state = .pausing(timer)
            timer.arm(at: radio.loop.now + .milliseconds(200))
        case .failure(let error):
            refusedSince = nil
            state = .idle
            clients.endAll(error.radioError()) { radio.connector.cannotLook(error.radioError()) }
        }
    }

    private var mayAskAgain: Bool {
        let now = radio.loop.now
        let since = refusedSince ?? now
        refusedSince = since
        return now < since + Self.refusalTime
    }

    private func stop() {
        state = .stopping
        watchdog.disarm()
        if monitors != nil { return unregisterMonitors { [weak self] in self?.stopped() } }
        // An error because it had already stopped is ignored.
        radio.client.call(radio.path, BlueZ.adapter, "StopDiscovery") { [weak self] _ in self?.stopped() }
    }

    private func stopped() {
        guard case .stopping = state else { return }
        state = .idle
        update()
    }

    private func silenceEnded() {
        if let monitors {
            return monitors.isActive ? reportPresence() : monitorsFailed("bluetoothd did not begin them")
        }
        guard case .running = state else { return }
        radio.record.scanRestarted()
        radio.log.debug("no advertisement was received for \(silence); restarting the discovery")
        silence = min(silence * 2, Self.silences.longest)
        stop()
    }

    /// Restarts the discovery after BlueZ stopped by itself, which some controllers cause.
    func discoveringChanged(_ isDiscovering: Bool) {
        guard !isDiscovering, case .running(.discovery) = state else { return }
        radio.record.scanRestarted()
        radio.log.notice("BlueZ stopped the discovery; restarting it")
        stop()
    }

    // MARK: Monitors

    private func startMonitors(_ patterns: [AdvertisementPattern]) {
        let monitors = MonitorApplication(patterns) { [weak self] in self?.received($0) }
        self.monitors = monitors
        watchdog.arm(at: radio.loop.now + Self.activation)
        radio.client.call(radio.path, BlueZ.monitorManager, "RegisterMonitor", [.path(MonitorApplication.path)]) {
            [weak self] result in
            guard let self, self.monitors === monitors, case .starting = state else { return }
            if case .failure(let error) = result { return monitorsFailed("\(error)") }
            state = .running(.monitors(patterns))
            update()
        }
    }

    /// BlueZ answers an error for monitors that it does not know any more, which is ignored.
    private func unregisterMonitors(completion: @escaping () -> Void) {
        monitors = nil
        (found, announced) = ([], [])
        radio.client.call(radio.path, BlueZ.monitorManager, "UnregisterMonitor", [.path(MonitorApplication.path)]) {
            _ in completion()
        }
    }

    func called(_ call: BusCall) -> Bool { monitors?.called(call) ?? false }

    private func received(_ event: MonitorApplication.Event) {
        switch event {
        case .active:
            watchdog.disarm()
            if radio.hasControllerPatterns { watchdog.arm(at: radio.loop.now + Self.presence) }
            tellMode()
        case .released: monitorsFailed("bluetoothd ended them")
        case .found(let path):
            found.insert(path)
            // An advertisement that changed properties was reported with them.
            if announced.remove(path) == nil { report(path) }
        case .lost(let path): lost(path)
        }
    }

    /// Continues with a discovery.
    private func monitorsFailed(_ reason: String) {
        monitorFailure = "advertisement monitors are not possible: \(reason)"
        radio.log.notice("\(monitorFailure ?? reason); scanning actively")
        stop()
    }

    private func reportPresence() {
        watchdog.arm(at: radio.loop.now + Self.presence)
        for path in found { report(path) }
    }

    /// A device is out of range.
    func lost(_ path: String) {
        found.remove(path)
        announced.remove(path)
    }

    // MARK: Devices

    /// The properties of a device have changed, because it was received.
    func heard(_ path: String) {
        guard !clients.isEmpty, radio.device(at: path)?.rssi != nil else { return }
        if monitors != nil { announced.insert(path) }
        report(path)
    }

    private func report(_ path: String) {
        // The first signals may overtake the answer to StartDiscovery, and BlueZ does not repeat them.
        silence = Self.silences.longest
        if case .running(.discovery) = state { watchdog.arm(at: radio.loop.now + silence) }
        for client in clients.all { offer(path, to: client) }
    }

    private func offer(_ path: String, to client: ScanClient) {
        if let report = radio.device(at: path)?.report(at: radio.loop.now) { client.report(report) }
    }
}
