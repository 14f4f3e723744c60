import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime

/// All scans of one adapter: one scan of the controller serves them, and each receives what it requested.
final class ScanHub {
    private final class Client: BackendOperation {
        let request: ScanRequest
        /// The properties of the request that every report needs.
        let (allowsDuplicates, wantsAll): (Bool, Bool)
        let discovered: (ScanReport) -> Void
        let ended: (RadioError) -> Void
        var reported: Set<PeripheralID> = []
        weak var hub: ScanHub?
        /// True after the cancellation: no further report is delivered.
        private(set) var isCancelled = false

        init(
            _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void,
            hub: ScanHub
        ) {
            self.request = request
            allowsDuplicates = request.allowsDuplicates
            wantsAll = request.wantsAll
            self.discovered = discovered
            self.ended = ended
            self.hub = hub
        }

        func wants(_ device: HeardDevices.Device) -> Bool { wantsAll || request.matches(device.data) }

        func cancel() {
            isCancelled = true
            hub?.remove(self)
        }
    }

    /// The time for which a scannable device is held back until its scan response arrives.
    private static let patience = Duration.milliseconds(150)
    /// The time without any report after which the scan is restarted: some controllers stop by themselves.
    private static let watchdog = Duration.seconds(60)
    /// A scan that joins a running one receives the devices of this last period at once.
    private static let recent = Duration.seconds(5)

    private let host: LEHost
    private let heard: HeardDevices
    private let loop: RadioLoop
    private let nameOf: (PeripheralID) -> String?
    /// Replaced as a whole, never mutated in place, so each report reads it without an exclusivity check.
    private var clients: [Client] = []
    private var configuration: ScanConfiguration? {
        didSet { asksForResponses = configuration?.isActive == true }
    }
    /// True while scan responses are requested: a stored flag, because each report reads it.
    private var asksForResponses = false
    private var lastHeard = RadioInstant.start
    private var held: [HeardDevices.Device] = []
    private lazy var patienceTimer = loop.makeTimer { [weak self] in self?.releaseHeld() }
    private lazy var watchdogTimer = loop.makeTimer { [weak self] in self?.listenForSilence() }
    /// Called when a silent scan is restarted.
    var onRestart: (() -> Void)?

    init(host: LEHost, heard: HeardDevices, loop: RadioLoop, nameOf: @escaping (PeripheralID) -> String?) {
        self.host = host
        self.heard = heard
        self.loop = loop
        self.nameOf = nameOf
    }

    func add(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation {
        let client = Client(request, discovered: discovered, ended: ended, hub: self)
        let joins = !clients.isEmpty
        clients = clients + [client]
        loop.later { [self] in
            if joins {
                for device in heard.heard(since: host.now + (.zero - Self.recent)) { offer(device, to: client) }
            }
            apply()
        }
        return client
    }

    private func remove(_ client: Client) {
        clients = clients.filter { $0 !== client }
        apply()
    }

    /// Ends all scans, because the controller's scan ended by itself or the adapter is no longer ready.
    func end(_ error: RadioError) {
        let ended = clients
        clients = []
        configuration = nil
        held = []
        watchdogTimer.disarm()
        for client in ended { client.ended(error) }
    }

    private func apply() {
        guard !clients.isEmpty else {
            held = []
            watchdogTimer.disarm()
            if configuration != nil { host.stopScan() }
            configuration = nil
            return
        }
        let wanted = ScanConfiguration(
            isActive: clients.contains(where: \.request.isActive),
            filtersDuplicates: !clients.contains(where: \.request.allowsDuplicates))
        guard wanted != configuration else { return }
        configuration = wanted
        start(wanted)
    }

    private func start(_ wanted: ScanConfiguration) {
        host.now = loop.now
        lastHeard = loop.now
        watchdogTimer.arm(at: loop.now + Self.watchdog)
        host.startScan(wanted) { [weak self] result in
            guard let self, case .failure(let error) = result, error != .cancelled else { return }
            self.end(error)
        }
    }

    /// Checks for reports since the watchdog was armed, so that reports need not arm it.
    private func listenForSilence() {
        guard let configuration else { return }
        let end = lastHeard + Self.watchdog
        guard end <= loop.now else { return watchdogTimer.arm(at: end) }
        onRestart?()
        host.now = loop.now
        host.stopScan()
        start(configuration)
    }

    func received(_ report: AdvertisingReport) {
        let device = heard.note(report, at: host.now)
        lastHeard = host.now
        let waits = asksForResponses && device.isScannable && !device.hasScanResponse
        var holds = false
        for client in clients {
            if client.allowsDuplicates {
                deliver(device, to: client)
            } else if !waits {
                offer(device, to: client)
            } else if !client.reported.contains(device.id) {
                holds = true
            }
        }
        if holds { hold(device) }
    }

    private func hold(_ device: HeardDevices.Device) {
        guard !held.contains(where: { $0 === device }) else { return }
        held.append(device)
        if !patienceTimer.isArmed { patienceTimer.arm(at: loop.now + Self.patience) }
    }

    /// Delivers the held devices, whose scan response did not arrive.
    private func releaseHeld() {
        let devices = held
        held = []
        for device in devices {
            for client in clients where !client.allowsDuplicates { offer(device, to: client) }
        }
    }

    private func offer(_ device: HeardDevices.Device, to client: Client) {
        guard client.wants(device), client.reported.insert(device.id).inserted else { return }
        if client.reported.count > 16384 { client.reported = [device.id] }
        report(device, to: client)
    }

    private func deliver(_ device: HeardDevices.Device, to client: Client) {
        if client.wants(device) { report(device, to: client) }
    }

    private func report(_ device: HeardDevices.Device, to client: Client) {
        if client.isCancelled { return }
        client.discovered(
            ScanReport(
                peripheral: device.id, address: device.address, knownName: nameOf(device.id),
                advertisement: device.data, rssi: device.rssi, isConnectable: device.isConnectable,
                time: device.time, packet: device.packet, isScanResponse: device.isScanResponse))
    }
}
