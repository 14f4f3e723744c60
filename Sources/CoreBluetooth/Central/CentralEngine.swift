import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// The part of a central manager that runs on its adapter's loop: scanning, connecting, connection events.
///
/// Proof of `@unchecked Sendable`: `manager` is set before the engine is shared with another thread; `peripherals` and
/// `sweepAt` are guarded by ``PropertyLock``; all other mutable state is accessed on the loop only.
final class CentralEngine: ManagerEngine, @unchecked Sendable {
    private struct WeakPeripheral { weak var peripheral: CBPeripheral? }

    /// The manager; set before the engine is shared with another thread.
    weak var manager: CBCentralManager?
    /// The live object of each device.
    private var peripherals: [PeripheralID: WeakPeripheral] = [:]
    private var sweepAt = 256

    // Confined to the loop.
    /// The devices in use, in the order of their connections. Events that concern all of them are reported in this
    /// order.
    private var devices: [RemoteDevice] = []
    private var scan: (any BackendOperation)?
    private var reported = RecentDevices<ReportedAdvertisement>()
    private var advertised = RecentDevices<AdvertisedServices>()
    private var connectionEvents: ConnectionEventFilter?
    /// The state stored for the next run; nil if nothing is stored.
    private(set) var restoration: CentralRestoration?

    // MARK: The manager's life

    override func prepare(_ backend: any RadioBackend) {
        user?.pairingHandler = ManagerPairing(setup.pairing, mailbox: mailbox, backend: backend)
        guard let identifier = setup.restoreIdentifier, let directory = setup.directory else { return }
        let restoration = CentralRestoration(identifier: identifier, directory: directory)
        self.restoration = restoration
        guard let saved = restoration.load() else { return }
        mailbox.post { self.manager?.restore(saved, self) }
    }

    override func deliver(state: CBManagerState) { manager?.stateChanged(state) }

    override func stateChanged(_ state: RadioState) {
        guard state != .poweredOn else { return }
        scan = nil
        let error = RadioError.radio(state, reason: backend?.stateReason ?? "")
        for device in devices { device.radioEnded(error) }
    }

    override func end(completion: @escaping () -> Void) {
        scan?.cancel()
        scan = nil
        // The state stored for the next run stays as it is.
        restoration = nil
        let open = devices
        var left = open.count + 1
        let done = {
            left -= 1
            if left == 0 { completion() }
        }
        for device in open { device.abandon(completion: done) }
        done()
    }

    // MARK: Devices

    /// Returns the object for a device: the same one while a reference to it exists. Called on the queue, or on the
    /// threads of the manager's callers.
    func peripheral(_ id: PeripheralID, name: String?) -> CBPeripheral? {
        guard let loop else { return nil }
        if let known = PropertyLock.read({ peripherals[id]?.peripheral }) { return known }
        let peripheral = CBPeripheral(id, name: name, engine: self, loop: loop)
        return PropertyLock.read {
            // Another thread may have created the object in the meantime.
            if let known = peripherals[id]?.peripheral { return known }
            if peripherals.count >= sweepAt {
                peripherals = peripherals.filter { $0.value.peripheral != nil }
                sweepAt = max(256, peripherals.count * 2)
            }
            peripherals[id] = WeakPeripheral(peripheral: peripheral)
            return peripheral
        }
    }

    /// Retains a device that is connected or being connected. To be called on the loop.
    func keep(_ device: RemoteDevice) {
        guard !devices.contains(where: { $0 === device }) else { return }
        devices.append(device)
        remember()
    }

    /// Releases a device that is neither connected nor being connected. To be called on the loop.
    func drop(_ device: RemoteDevice) {
        guard let index = devices.firstIndex(where: { $0 === device }) else { return }
        devices.remove(at: index)
        remember()
    }

    /// Stores the state again after the data known of the device changed, such as its name. To be called on the loop.
    func moreIsKnown(of device: RemoteDevice) { if devices.contains(where: { $0 === device }) { remember() } }

    /// True if the data known of devices is stored for the next run.
    var remembers: Bool { setup.restoreIdentifier != nil }

    private func remember() {
        guard let restoration else { return }
        restoration.keep(
            devices: devices.map { device in
                CentralRestoration.Device(
                    id: device.id, name: device.gapName ?? device.peripheral?.name,
                    services: device.peripheral.map { RememberedService.all(of: $0) } ?? [])
            })
    }

    // MARK: Scanning

    func startScan(_ request: ScanRequest) {
        scan?.cancel()
        reported.removeAll()
        guard let backend else { return }
        restoration?.keep(scan: request)
        let reportsAll = request.allowsDuplicates
        var wanted = request
        // New content of a device is reported again, so all advertisements have to arrive here.
        wanted.allowsDuplicates = true
        scan = backend.scan(wanted) { [unowned self] report in
            // Proof of `unowned`: `end` cancels the operation before the engine is released.
            heard(report, reportsAll: reportsAll)
        } ended: { [weak self] error in
            self?.scanEnded(error)
        }
    }

    /// Handles the end of a scan that the controller ended or refused. A manager that is not powered on has stopped
    /// scanning already.
    private func scanEnded(_ error: RadioError) {
        scan = nil
        guard state == .poweredOn else { return }
        log.debug("the controller has ended the scan: \(error)")
        Misuse.notice("the controller has ended the scan: \(error)")
        mailbox.post { self.manager?.setScanning(false) }
    }

    func stopScan() {
        scan?.cancel()
        scan = nil
        reported.removeAll()
        restoration?.keep(scan: nil)
    }

    private func heard(_ report: ScanReport, reportsAll: Bool) {
        let (id, advertisement) = (report.peripheral, report.advertisement)
        // Also before the program registers for events: a device that connects then may have advertised long before.
        advertised.change(id, initial: .init()) { _ = $0.add(advertisement.serviceUUIDs) }
        guard reportsAll || reported.change(id, initial: .init(), { $0.add(advertisement) }) else { return }
        let report = Transfer(report)
        let isPosted = mailbox.postWithinLimit(.call { self.manager?.discovered(report.value, self) })
        // The next advertisement of the device is reported instead.
        if !isPosted { reported.forget(id) }
    }

    // MARK: Connection events

    func register(_ filter: ConnectionEventFilter?) { connectionEvents = filter }

    override func peripheralConnected(_ peripheral: PeripheralID) { reportConnectionEvent(.peerConnected, peripheral) }

    override func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {
        reportConnectionEvent(.peerDisconnected, peripheral)
    }

    private func reportConnectionEvent(_ event: CBConnectionEvent, _ id: PeripheralID) {
        guard let backend, let connectionEvents else { return }
        if event == .peerConnected, let wanted = connectionEvents.services {
            // The attributes known from any time and user count as much as the advertised services.
            for service in wanted
            where backend.connectedPeripherals(withServices: [service]).contains(where: { $0.id == id }) {
                advertised.change(id, initial: .init()) { _ = $0.add([service]) }
            }
        }
        guard connectionEvents.matches(id, advertised[id]?.all ?? []) else { return }
        let name = backend.knownPeripherals([id]).first?.name
        mailbox.postWithinLimit(
            .call {
                guard let manager = self.manager, let peripheral = self.peripheral(id, name: name) else { return }
                manager.delegate?.centralManager(manager, connectionEventDidOccur: event, for: peripheral)
            })
    }
}

/// The connections that a program registered for.
struct ConnectionEventFilter: Sendable {
    private(set) var services: Set<BluetoothUUID>?
    private var peripherals: Set<PeripheralID>?

    init(_ options: CheckedOptions) {
        let serviceKey = CBConnectionEventMatchingOption.serviceUUIDs.rawValue
        services = options.value(serviceKey, as: [CBUUID].self).map { Set($0.models) }
        let peripheralKey = CBConnectionEventMatchingOption.peripheralUUIDs.rawValue
        peripherals = options.value(peripheralKey, as: [UUID].self).map { Set($0.map { PeripheralID($0) }) }
    }

    func matches(_ id: PeripheralID, _ advertised: Set<BluetoothUUID>) -> Bool {
        if services == nil, peripherals == nil { return true }
        if let peripherals, peripherals.contains(id) { return true }
        if let services, !services.isDisjoint(with: advertised) { return true }
        return false
    }
}
