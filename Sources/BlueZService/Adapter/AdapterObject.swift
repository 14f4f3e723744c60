import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// An adapter (`org.bluez.Adapter1`) and its devices. Confined to the loop.
final class AdapterObject: ExportedObject {
    /// The devices that discovery adds: no program looks through more, and an attacker can invent any number.
    private static let limit = 4096

    let backend: any RadioBackend
    let user: RadioUser
    let pairing: AgentPairing
    let monitors: AdvertisementMonitors
    let batteries: BatteryProviders
    let role: LocalRole
    /// The name of the system, which the alias replaces.
    let systemName: String
    var alias: String?
    var isDiscoverable = false { didSet { arm(discoverableTimer, isDiscoverable, discoverableTimeout) } }
    var discoverableTimeout: UInt32 = 180 { didSet { arm(discoverableTimer, isDiscoverable, discoverableTimeout) } }
    /// Follows the agents: without one, nobody decides about a pairing.
    var isPairable = false { didSet { arm(pairableTimer, isPairable, pairableTimeout) } }
    var pairableTimeout: UInt32 = 0 { didSet { arm(pairableTimer, isPairable, pairableTimeout) } }
    private lazy var discoverableTimer = backend.loop.makeTimer { [weak self] in
        self?.isDiscoverable = false
        self?.changed(.adapter, ["Discoverable"])
        self?.role.adapterChanged()
    }
    private lazy var pairableTimer = backend.loop.makeTimer { [weak self] in
        self?.isPairable = false
        self?.changed(.adapter, ["Pairable"])
    }
    private(set) var discovery = DiscoveryClients()
    private(set) var devices: [PeripheralID: DeviceObject] = [:]
    private let settings: DeviceSettings
    private var scan: (operation: any BackendOperation, isActive: Bool)?
    private(set) var isDiscovering = false
    /// The change of the power that a client has requested.
    private var powerChange: (isOn: Bool, isAnswered: Bool)?
    /// The devices that the current discovery found.
    private var found: Set<PeripheralID> = []

    init(
        index: Int, backend: any RadioBackend, user: RadioUser, pairing: AgentPairing, bus: ClientBus,
        systemName: String
    ) {
        self.backend = backend
        self.user = user
        self.pairing = pairing
        monitors = AdvertisementMonitors(bus: bus, loop: backend.loop)
        batteries = BatteryProviders(bus: bus)
        role = LocalRole(backend: backend, user: user, bus: bus)
        self.systemName = systemName
        settings = DeviceSettings(
            directory: backend.storeDirectory, atMostEvery: backend.loop.clock.isManual ? nil : .ofStores)
        super.init(path: "/org/bluez/hci\(index)")
        backend.addObserver(self)
        pairing.adapter = self
        role.adapter = self
        batteries.adapter = self
        user.pairingHandler = pairing
        monitors.onChange = { [weak self] in self?.updateScan() }
    }

    /// Adds the devices that were paired or trusted in an earlier run. To be called when the adapter is exported.
    func addStoredDevices() {
        for id in settings.trusted {
            if let address = id.address, devices[id] == nil { add(id, address) }
        }
        for bond in backend.bonds {
            guard let address = bond.address, devices[bond.id] == nil else { continue }
            let device = add(bond.id, address)
            if let name = bond.name { device.linkNameChanged(name) }
        }
    }

    override var interfaces: [Interface] {
        [.adapter, .batteryManager, .monitorManager] + (hasPeripheralRole ? [.gattManager, .advertisingManager] : [])
    }

    var hasPeripheralRole: Bool { backend.capabilities.contains(.peripheralRole) }

    /// The name that other devices see.
    var name: String { alias ?? systemName }

    var isPowered: Bool { backend.state == .poweredOn }

    /// The state, or the change in progress.
    var powerState: String {
        if let powerChange { return powerChange.isOn ? "off-enabling" : "on-disabling" }
        return isPowered ? "on" : "off"
    }

    /// Begins the time after which a property becomes false; 0 is none.
    private func arm(_ timer: QueuedTimer, _ isOn: Bool, _ seconds: UInt32) {
        if isOn, seconds > 0 { timer.arm(at: backend.loop.now + .seconds(Int64(seconds))) } else { timer.disarm() }
    }

    /// - Throws: `NotReady` unless the adapter is powered on.
    func checkPower() throws(BusError) { if !isPowered { throw .notReady } }

    override func clientLeft(_ client: String) {
        discovery.remove(client)
        monitors.remove(client)
        batteries.remove(client)
        role.clientLeft(client)
        updateScan()
    }

    // MARK: Discovery

    func startDiscovery(_ call: BusCall) throws(BusError) -> Interface.Reply {
        try checkPower()
        try discovery.start(call.sender)
        // The client has the answer before `Discovering` changes.
        call.respond(.success([]))
        updateScan()
        return .later
    }

    func stopDiscovery(_ call: BusCall) throws(BusError) -> Interface.Reply {
        try checkPower()
        try discovery.stop(call.sender)
        call.respond(.success([]))
        updateScan()
        return .later
    }

    func setDiscoveryFilter(_ call: BusCall) throws(BusError) {
        try checkPower()
        discovery.setFilter(try DiscoveryFilter(call.options(0)), of: call.sender)
    }

    /// Starts or stops the scan of the radio, which serves all clients: an active one for discoveries, a passive one
    /// for monitors alone.
    private func updateScan() {
        let isActive = discovery.isDiscovering
        let isWanted = isPowered && (isActive || monitors.isActive)
        if scan?.isActive != (isWanted ? isActive : nil) {
            scan?.operation.cancel()
            scan = isWanted ? (startScan(isActive: isActive), isActive) : nil
        }
        guard isActive != isDiscovering else { return }
        isDiscovering = isActive
        if !isActive { discoveryEnded() }
        changed(.adapter, ["Discovering"])
    }

    private func startScan(isActive: Bool) -> any BackendOperation {
        backend.scan(ScanRequest(allowsDuplicates: true, isActive: isActive)) { [weak self] report in
            self?.heard(report)
        } ended: { [weak self] _ in
            self?.scanEnded()
        }
    }

    /// Handles the end of a scan that the adapter ended. Monitors continue when it is ready again.
    private func scanEnded() {
        scan = nil
        discovery.stopAll()
        isDiscovering = false
        discoveryEnded()
        changed(.adapter, ["Discovering"])
    }

    private func discoveryEnded() {
        for id in found { devices[id]?.discoveryEnded() }
        found = []
        // Beacons are of no use when they are not heard.
        for device in devices.values where device.isTemporary && !device.isConnectable { remove(device) }
    }

    func heard(_ report: ScanReport) {
        guard let address = report.address else { return }
        let isMonitored = monitors.wants(report)
        let wanted = isMonitored || discovery.wants(report)
        let isNew = wanted && devices.count < Self.limit
        guard let device = devices[report.peripheral] ?? (isNew ? add(report.peripheral, address) : nil) else {
            return
        }
        device.seen()
        guard wanted else { return }
        found.insert(report.peripheral)
        device.heard(
            report, rssiDelta: discovery.isFiltered ? 0 : 8, repeats: discovery.reportsDuplicates)
        if isMonitored {
            // The client knows the device before it is told that it was found.
            tree?.flush()
            monitors.heard(report, at: device.path)
        }
    }

    // MARK: Devices

    /// Adds a device, which is removed after a while unless it is heard, connected or paired.
    @discardableResult
    func add(_ id: PeripheralID, _ address: BluetoothAddress) -> DeviceObject {
        let device = DeviceObject(id, address, adapter: self)
        device.settings = settings[id]
        devices[id] = device
        tree?.add(device)
        device.seen()
        device.updateBond()
        return device
    }

    /// Connects the devices that profiles of clients ask for, and no others.
    func settleDevices() { for device in devices.values where !device.isTemporary { device.settle() } }

    /// Stores what a client has set of a device.
    func settingsChanged(_ device: DeviceObject) { settings[device.id] = device.settings }

    /// Removes a device and its attributes.
    func remove(_ device: DeviceObject) {
        devices[device.id] = nil
        found.remove(device.id)
        monitors.lost(device.id, at: device.path)
        device.end()
        // The end of the link is announced before that of the object.
        tree?.flush()
        tree?.remove(device)
    }

    /// Removes a device at the request of a client: ends its link, and forgets its bond.
    func removeDevice(_ call: BusCall) throws(BusError) -> Interface.Reply {
        guard let device = devices.values.first(where: { $0.path == call.text(0) }) else { throw .doesNotExist }
        try checkPower()
        device.isBeingRemoved = true
        settings[device.id] = DeviceSettings.Values()
        backend.forgetBond(device.id)
        device.disconnect { [weak self, weak device] in
            if let self, let device, devices[device.id] === device { remove(device) }
            // The client has heard of the end of the link when it has the answer: bleak expects it.
            call.respond(.success([]))
        }
        return .later
    }

    /// Connects to a device that need not have been discovered.
    func connectDevice(_ entries: [String: BusValue], _ call: BusCall) throws(BusError) -> Interface.Reply {
        try checkPower()
        var address: BluetoothAddress?
        var kind = BluetoothAddress.Kind.public
        for (key, value) in entries {
            switch (key, value) {
            case ("Address", .string(let text)): address = BluetoothAddress(text)
            case ("AddressType", .string("public")): kind = .public
            case ("AddressType", .string("random")): kind = .random
            default: throw .invalidArguments
            }
        }
        guard let value = address?.value, value != 0 else { throw .invalidArguments }
        let peer = BluetoothAddress(value: value, kind: kind)
        guard let id = backend.peripheral(at: peer) else { throw .notSupported }
        if devices[id] != nil { throw .alreadyExists }
        let device = add(id, peer)
        device.connect { result in
            call.respond(result.map { [.path(device.path)] })
        }
        return .later
    }

    /// Adds the device of a central that connected to this adapter.
    func connected(_ central: PeripheralID, to local: any LocalDevice) {
        guard let address = central.address else { return }
        let device = devices[central] ?? add(central, address)
        device.connected(asCentralOf: local)
        // Its client knows the device before the first request of it.
        tree?.flush()
    }

    /// The link of a central ended.
    func disconnected(_ central: PeripheralID, _ error: RadioError) { devices[central]?.centralDisconnected(error) }

    /// Ends all links, the discovery and the peripheral role.
    func end() {
        backend.removeObserver(self)
        role.end()
        batteries.remove()
        scan?.operation.cancel()
        scan = nil
        for device in devices.values { device.end() }
        devices = [:]
        settings.close()
    }
}

extension AdapterObject: RadioObserver {
    func radioStateChanged(_ backend: any RadioBackend) {
        if isPowered {
            addStoredDevices()
            updateScan()
            role.poweredOn()
            settleDevices()
        } else {
            for device in devices.values where device.isTemporary { remove(device) }
        }
        powerChanged()
    }

    /// Announces the power, unless a client changes it: it has the answer before.
    func powerChanged() {
        if powerChange?.isAnswered == false { return }
        powerChange = nil
        changed(.adapter, ["Powered", "PowerState"] + (isPowered ? [] : ["Discovering"]))
    }

    /// Switches the adapter on or off at the request of a client.
    func setPowered(_ isOn: Bool, _ call: BusCall) throws(BusError) -> Interface.Reply {
        if isOn == isPowered { return .done }
        if powerChange != nil { throw .bluez("Busy", "") }
        powerChange = (isOn, false)
        changed(.adapter, ["PowerState"])
        tree?.flush()
        backend.setPowered(isOn) { [weak self] result in
            call.respond(result.map { [] }.mapError { .failed("\($0)") })
            guard let self else { return }
            if case .success = result {
                powerChange?.isAnswered = true
                // The adapter may report the state later.
                if isPowered == isOn { powerChanged() }
            } else {
                powerChange = nil
                changed(.adapter, ["PowerState"])
            }
        }
        return .later
    }

    /// An agent was registered or removed.
    func agentsChanged() {
        guard isPairable != pairing.hasAgent else { return }
        isPairable = pairing.hasAgent
        changed(.adapter, ["Pairable"])
    }

    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}
