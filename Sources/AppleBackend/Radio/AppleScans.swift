import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// The scans of this program, on the single scan of a central manager. Confined to the loop.
final class AppleScans {
    private final class Client: BackendOperation {
        let request: ScanRequest
        let discovered: (ScanReport) -> Void
        let ended: (RadioError) -> Void
        /// The reported devices, and the reports that are held back until the scan response may have arrived.
        var reported: Set<PeripheralID> = []
        var held: [PeripheralID: ScanReport] = [:]
        weak var scans: AppleScans?
        private(set) var isCancelled = false

        init(
            _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void,
            scans: AppleScans
        ) {
            self.request = request
            self.discovered = discovered
            self.ended = ended
            self.scans = scans
        }

        func cancel() {
            isCancelled = true
            scans?.remove(self)
        }
    }

    /// The configuration of the single scan.
    private struct Configuration: Hashable {
        var services: Set<BluetoothUUID>
        var solicitedServices: Set<BluetoothUUID>
        var allowsDuplicates: Bool
    }

    /// The time for which a report is held back: the name of a device is often in its scan response, which follows its
    /// advertisement.
    private static let patience = Duration.milliseconds(150)

    private unowned let radio: AppleRadio
    private var clients: [Client] = []
    private var running: Configuration?
    private lazy var patienceTimer = radio.loop.makeTimer { [weak self] in self?.releaseHeld() }

    init(radio: AppleRadio) { self.radio = radio }

    func add(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation {
        let client = Client(request, discovered: discovered, ended: ended, scans: self)
        clients.append(client)
        radio.loop.later { [self] in
            if let error = radio.unreadiness, !client.isCancelled {
                clients.removeAll { $0 === client }
                return client.ended(error)
            }
            // After a restart the system reports devices to a further client that it has reported already.
            apply(afresh: !client.isCancelled)
        }
        return client
    }

    private func remove(_ client: Client) {
        clients.removeAll { $0 === client }
        apply(afresh: false)
    }

    /// Ends all scans because the adapter is no longer ready.
    func end(_ error: RadioError) {
        let ended = clients
        clients = []
        apply(afresh: false)
        for client in ended { client.ended(error) }
    }

    private func apply(afresh: Bool) {
        guard let central = radio.central, radio.state == .poweredOn else {
            running = nil
            return
        }
        guard !clients.isEmpty else {
            patienceTimer.disarm()
            if running != nil { radio.queue.run { central.stopScan() } }
            running = nil
            return
        }
        let wantsAll = clients.contains { $0.request.services.isEmpty && $0.request.solicitedServices.isEmpty }
        let wanted = Configuration(
            services: wantsAll ? [] : Set(clients.flatMap(\.request.services)),
            solicitedServices: wantsAll ? [] : Set(clients.flatMap(\.request.solicitedServices)),
            allowsDuplicates: clients.contains(where: \.request.allowsDuplicates))
        guard afresh || wanted != running else { return }
        running = wanted
        let services = wanted.services.isEmpty ? nil : wanted.services.map(\.coreBluetooth)
        var options: [String: Any] = [
            CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: wanted.allowsDuplicates)
        ]
        if !wanted.solicitedServices.isEmpty {
            options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = wanted.solicitedServices.map(\.coreBluetooth)
        }
        radio.queue.run { central.scanForPeripherals(withServices: services, options: options) }
    }

    func heard(
        _ id: PeripheralID, name: String?, _ advertisement: AdvertisingData, rssi: Int?, isConnectable: Bool
    ) {
        let report = ScanReport(
            peripheral: id, address: nil, knownName: name, advertisement: advertisement, rssi: rssi,
            isConnectable: isConnectable, time: radio.loop.now)
        for client in clients where !client.isCancelled {
            if client.request.allowsDuplicates {
                if client.request.matches(advertisement) { client.discovered(report) }
            } else if !client.reported.contains(id) {
                let isSecond = client.held.updateValue(report, forKey: id) != nil
                if isSecond { release(id, to: client) }
                if !patienceTimer.isArmed { patienceTimer.arm(at: radio.loop.now + Self.patience) }
            }
        }
    }

    private func releaseHeld() {
        for client in clients { for id in Array(client.held.keys) { release(id, to: client) } }
    }

    private func release(_ id: PeripheralID, to client: Client) {
        guard let report = client.held.removeValue(forKey: id), !client.isCancelled,
            client.request.matches(report.advertisement)
        else { return }
        if client.reported.count >= 16384 { client.reported = [] }
        client.reported.insert(id)
        client.discovered(report)
    }
}
