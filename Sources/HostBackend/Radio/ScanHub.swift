import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime

/// All scans of one adapter: one scan of the controller serves them, and each receives what it requested.
final class ScanHub {
    /// The time for which a scannable device is held back until its scan response arrives.
    private static let patience = Duration.milliseconds(150)
    /// The time without any report after which the scan is restarted: some controllers stop by themselves.
    private static let watchdog = Duration.seconds(60)
    /// A scan that joins a running one receives the devices of this last period at once, and the others when they
    /// advertise again.
    private static let recent = Duration.seconds(5)

    private let host: LEHost
    private let heard: HeardDevices
    private let loop: RadioLoop
    private let nameOf: (PeripheralID) -> String?
    private let clients = ScanClients()
    private var configuration: ScanConfiguration? {
        didSet { asksForResponses = configuration?.isActive == true }
    }
    /// True while scan responses are requested: a stored flag, because each report reads it.
    private var asksForResponses = false
    private var lastHeard = RadioInstant.start
    /// True from the first scan to the controller's confirmation.
    private(set) var isStarting = false
    private var held: [HeardDevices.Device] = []
    private lazy var patienceTimer = loop.makeTimer { [weak self] in self?.releaseHeld() }
    private lazy var watchdogTimer = loop.makeTimer { [weak self] in self?.listenForSilence() }
    /// The number of advertising reports that were received.
    private(set) var reportCount = 0
    /// The URI of the adapter, for errors.
    var uri = ""
    /// Called when a silent scan is restarted.
    var onRestart: (() -> Void)?

    init(host: LEHost, heard: HeardDevices, loop: RadioLoop, nameOf: @escaping (PeripheralID) -> String?) {
        self.host = host
        self.heard = heard
        self.loop = loop
        self.nameOf = nameOf
        clients.onCancel = { [weak self] in self?.apply() }
    }

    func add(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation {
        let joins = !clients.isEmpty
        let client = clients.add(request, discovered: discovered, ended: ended)
        loop.executeNext { [self] in
            if joins {
                for device in heard.heard(since: loop.now + (.zero - Self.recent)) { offer(device, to: client) }
            }
            apply(renewing: joins)
        }
        return client
    }

    /// Ends all scans, because the controller's scan ended by itself or the adapter is no longer ready.
    func end(_ error: RadioError) {
        clients.endAll(error.named(uri)) {
            configuration = nil
            held = []
            watchdogTimer.disarm()
        }
    }

    /// Adapts the controller's scan to the needs of the clients.
    /// - Parameter renewing: true to start a scan that filters duplicates again, so that the controller reports the
    ///   devices again that it has reported before.
    private func apply(renewing: Bool = false) {
        guard !clients.isEmpty else {
            held = []
            watchdogTimer.disarm()
            if configuration != nil { host.stopScan() }
            configuration = nil
            return
        }
        let wanted = ScanConfiguration(
            isActive: clients.isActive, filtersDuplicates: !clients.needsEveryReport)
        if wanted == configuration {
            guard renewing, wanted.filtersDuplicates else { return tellMode() }
            host.stopScan()
        }
        if configuration == nil { isStarting = true }
        configuration = wanted
        start(wanted)
    }

    private func tellMode() {
        guard let configuration, !isStarting else { return }
        clients.tell(configuration.isActive ? .active(because: nil) : .passive)
    }

    private func start(_ wanted: ScanConfiguration) {
        lastHeard = loop.now
        watchdogTimer.arm(at: loop.now + Self.watchdog)
        host.startScan(wanted) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success:
                isStarting = false
                tellMode()
            case .failure(.cancelled): break
            case .failure(let error): end(error)
            }
        }
    }

    /// Checks for reports since the watchdog was armed, so that reports need not arm it.
    private func listenForSilence() {
        guard let configuration else { return }
        let end = lastHeard + Self.watchdog
        guard end <= loop.now else { return watchdogTimer.arm(at: end) }
        onRestart?()
        host.stopScan()
        start(configuration)
    }

    func received(_ report: AdvertisingReport) {
        reportCount &+= 1
        let device = heard.note(report, at: host.now)
        lastHeard = host.now
        let waits = asksForResponses && device.isScannable && !device.hasScanResponse
        var holds = false
        for client in clients.all {
            if client.allowsDuplicates || !waits {
                offer(device, to: client)
            } else if !client.hasReported(device.id) {
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
            for client in clients.all where !client.allowsDuplicates { offer(device, to: client) }
        }
    }

    private func offer(_ device: HeardDevices.Device, to client: ScanClient) {
        guard client.allowsDuplicates || !client.hasReported(device.id) else { return }
        client.report(
            ScanReport(
                peripheral: device.id, address: device.address, knownName: nameOf(device.id),
                advertisement: device.data, rssi: device.rssi, isConnectable: device.isConnectable,
                time: device.time, packet: device.packet, isScanResponse: device.isScanResponse))
    }
}

extension RadioError {
    /// The error with the URI of the adapter before the reason, where the adapter is the cause.
    func named(_ uri: String) -> RadioError {
        guard case .radio(let state, let reason) = self, !reason.hasPrefix(uri) else { return self }
        return .radio(state, reason: "\(uri): \(reason)")
    }
}
