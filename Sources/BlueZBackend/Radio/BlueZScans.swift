import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// All scans of one adapter: one discovery session of BlueZ serves them, and each receives what it requested.
final class BlueZScans {
    private enum State {
        case idle
        case starting
        case running
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
    private lazy var watchdog = radio.loop.makeTimer { [weak self] in self?.restart() }

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
            state = .idle
            refusedSince = nil
            silence = Self.silences.first
            watchdog.disarm()
        }
    }

    private var isWanted: Bool {
        let connector = radio.connector
        return (!clients.isEmpty || connector.isLooking) && !connector.needsQuiet && radio.unavailableError == nil
    }

    // MARK: The session

    /// Starts or stops the discovery as needed.
    func update() {
        switch state {
        case .idle where isWanted: start()
        case .running where !isWanted:
            silence = Self.silences.first
            stop()
        case .pausing(let timer) where !isWanted:
            timer.disarm()
            state = .idle
            refusedSince = nil
        default: break
        }
    }

    private func start() {
        state = .starting
        var filter: [String: BusValue] = ["Transport": .string("le"), "DuplicateData": .bool(true)]
        setFilter(filter)
        // A prefix of every name: otherwise the pattern of another program would hide devices that it does not look
        // for. BlueZ before 5.54 does not support patterns, and keeps the previous filter.
        filter["Pattern"] = .string("")
        setFilter(filter)
        radio.client.call(radio.path, BlueZ.adapter, "StartDiscovery") { [weak self] in self?.started($0) }
    }

    private func setFilter(_ filter: [String: BusValue]) {
        radio.client.call(radio.path, BlueZ.adapter, "SetDiscoveryFilter", [.properties(filter)]) { _ in }
    }

    private func started(_ result: Result<[BusValue], BusError>) {
        guard case .starting = state else { return }
        switch result {
        case .success:
            refusedSince = nil
            state = .running
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
        // An error because it had already stopped is ignored.
        radio.client.call(radio.path, BlueZ.adapter, "StopDiscovery") { [weak self] _ in
            guard let self, case .stopping = state else { return }
            state = .idle
            update()
        }
    }

    private func restart() {
        guard case .running = state else { return }
        radio.record.scanRestarted()
        radio.log.debug("no advertisement was received for \(silence); restarting the discovery")
        silence = min(silence * 2, Self.silences.longest)
        stop()
    }

    /// Restarts the discovery after BlueZ stopped by itself, which some controllers cause.
    func discoveringChanged(_ isDiscovering: Bool) {
        guard !isDiscovering, case .running = state else { return }
        radio.record.scanRestarted()
        radio.log.notice("BlueZ stopped the discovery; restarting it")
        stop()
    }

    // MARK: Devices

    func heard(_ path: String) {
        guard !clients.isEmpty, radio.device(at: path)?.rssi != nil else { return }
        // The first signals may overtake the answer to StartDiscovery, and BlueZ does not repeat them.
        silence = Self.silences.longest
        if case .running = state { watchdog.arm(at: radio.loop.now + silence) }
        for client in clients.all { offer(path, to: client) }
    }

    private func offer(_ path: String, to client: ScanClient) {
        if let report = radio.device(at: path)?.report(at: radio.loop.now) { client.report(report) }
    }
}
