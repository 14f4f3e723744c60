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

    /// Number of devices whose services are remembered before the program registers for connection events.
    private static let advertisedLimit = 1024

    // Confined to the loop.
    /// The devices in use, in the order of their connections. Events that concern all of them are reported in this
    /// order.
    private var devices: [RemoteDevice] = []
    private var scan: (any BackendOperation)?
    private var reported: [PeripheralID: ReportedAdvertisement] = [:]
    private var advertised: [PeripheralID: Set<BluetoothUUID>] = [:]
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
        reported = [:]
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
        Misuse.notice("the controller has ended the scan: \(error)")
        mailbox.post { self.manager?.setScanning(false) }
    }

    func stopScan() {
        scan?.cancel()
        scan = nil
        reported = [:]
        restoration?.keep(scan: nil)
    }

    private func heard(_ report: ScanReport, reportsAll: Bool) {
        // Also before the program registers for events: a device that connects then may have advertised long before.
        if connectionEvents != nil || advertised.count < Self.advertisedLimit {
            advertised[report.peripheral, default: []].formUnion(report.advertisement.serviceUUIDs)
        }
        if !reportsAll {
            let content = ReportedAdvertisement(report.advertisement)
            guard reported[report.peripheral, default: ReportedAdvertisement()].grow(by: content) else { return }
        }
        let report = Transfer(report)
        mailbox.post { self.manager?.discovered(report.value, self) }
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
                advertised[id, default: []].insert(service)
            }
        }
        guard connectionEvents.matches(id, advertised[id] ?? []) else { return }
        let name = backend.knownPeripherals([id]).first?.name
        mailbox.post {
            guard let manager = self.manager, let peripheral = self.peripheral(id, name: name) else { return }
            manager.delegate?.centralManager(manager, connectionEventDidOccur: event, for: peripheral)
        }
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

/// The reported content of a device's advertisements, so that it is reported again only for new content.
private struct ReportedAdvertisement {
    /// One bit for each type of data: 0 to 255.
    private var types: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private var services: Set<BluetoothUUID> = []
    private var isEmpty = true

    init() {}

    init(_ advertisement: AdvertisingData) {
        isEmpty = false
        for structure in advertisement.structures {
            let bit: UInt64 = 1 << UInt64(structure.type.rawValue & 63)
            switch structure.type.rawValue >> 6 {
            case 0: types.0 |= bit
            case 1: types.1 |= bit
            case 2: types.2 |= bit
            default: types.3 |= bit
            }
        }
        services = Set(advertisement.serviceUUIDs)
    }

    /// Adds the content of `other`; returns true if any of it is new.
    mutating func grow(by other: ReportedAdvertisement) -> Bool {
        let new = (types.0 | other.types.0, types.1 | other.types.1, types.2 | other.types.2, types.3 | other.types.3)
        guard isEmpty || new != types || !other.services.isSubset(of: services) else { return false }
        isEmpty = false
        types = new
        services.formUnion(other.services)
        return true
    }
}
