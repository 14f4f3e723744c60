import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// The scans of this program, on the single scan of a central manager. Confined to the loop.
final class AppleScans {
    /// The configuration of the single scan.
    private struct Configuration: Hashable {
        var services: Set<BluetoothUUID>
        var solicitedServices: Set<BluetoothUUID>
        var allowsDuplicates: Bool
    }

    /// The time for which a report is held back: the name of a device is often in its scan response, which follows its
    /// advertisement.
    private static let patience = Duration.milliseconds(150)

    /// Proof of `unowned`: only the radio stores this object, and a deferred call retains both.
    private unowned let radio: AppleRadio
    private let clients = ScanClients()
    private var running: Configuration?
    private lazy var patienceTimer = radio.loop.makeTimer { [weak self] in self?.releaseHeld() }

    init(radio: AppleRadio) {
        self.radio = radio
        clients.onCancel = { [weak self] in self?.apply(afresh: false) }
    }

    func add(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation {
        let client = clients.add(request, discovered: discovered, ended: ended)
        radio.loop.executeNext { [self, radio] in
            if let error = radio.unavailableError, !client.isOver { return clients.end(client, error) }
            // After a restart the system reports devices to a further client that it has reported already.
            apply(afresh: !client.isOver)
        }
        return client
    }

    /// Ends all scans because the adapter is no longer ready.
    func end(_ error: RadioError) {
        clients.endAll(error) { apply(afresh: false) }
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
        let wantsAll = clients.all.contains(where: \.request.wantsAllServices)
        let wanted = Configuration(
            services: wantsAll ? [] : Set(clients.all.flatMap(\.request.services)),
            solicitedServices: wantsAll ? [] : Set(clients.all.flatMap(\.request.solicitedServices)),
            allowsDuplicates: clients.needsEveryReport)
        defer { clients.tell(.active(because: "programs of this system scan actively")) }
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
        for client in clients.all where !client.isOver {
            if client.allowsDuplicates {
                client.report(report)
            } else if !client.hasReported(id) {
                let isSecond = client.held.updateValue(report, forKey: id) != nil
                if isSecond { release(id, to: client) }
                if !patienceTimer.isArmed { patienceTimer.arm(at: radio.loop.now + Self.patience) }
            }
        }
    }

    private func releaseHeld() {
        for client in clients.all { for id in Array(client.held.keys) { release(id, to: client) } }
    }

    private func release(_ id: PeripheralID, to client: ScanClient) {
        if let report = client.held.removeValue(forKey: id) { client.report(report) }
    }
}
