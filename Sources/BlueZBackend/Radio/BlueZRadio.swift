import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Logging
import SystemBus

/// An adapter of the system's `bluetoothd`, over D-Bus, as a backend.
///
/// Confined to its loop. BlueZ stores bonds, known devices and attributes; nothing is stored here.
final class BlueZRadio: RadioBackend {
    let loop: RadioLoop
    private(set) var adapter: AdapterInfo
    let capabilities = BlueZAdapters.capabilities
    private(set) var state = RadioState.unknown
    private(set) var stateReason = "the state of bluetoothd is not known yet"
    /// The users of the adapter, oldest first.
    private var users: [RadioUser] = []

    let client: BlueZClient
    /// The adapter's object.
    let path: String
    let log: Logger
    private(set) lazy var scans = BlueZScans(radio: self)
    private(set) lazy var connector = BlueZConnector(radio: self)
    private(set) lazy var pendingDisconnects = PendingDisconnects(radio: self)
    private(set) lazy var agent = PairingAgent(radio: self)
    private(set) lazy var pairings = Pairings(radio: self)
    private(set) var links: [String: BlueZLink] = [:]
    var localDevices: [BlueZLocalDevice] = []
    var disconnectReasons: [String: HCIStatus] = [:]
    private let observers = RadioObservers()
    private(set) lazy var record = RadioRecord(loop: loop)
    /// The time for which a missing `bluetoothd` counts as a restart.
    static let restartTime = Duration.seconds(10)
    lazy var restartTimer = loop.makeTimer { [weak self] in
        self?.isRestarting = false
        self?.updateState()
    }
    /// True if `bluetoothd` exited a moment ago, or returned and its adapter is not ready yet.
    var isRestarting = false

    /// Creates the adapter with this name, `hci0`, of a started client.
    init(client: BlueZClient, name: String, uri: String) {
        self.client = client
        loop = client.bus.loop
        path = BlueZ.root + "/" + name
        adapter = AdapterInfo(uri: uri, summary: "BlueZ adapter \(name)")
        log = Logger(label: "harald.bluez", adapter: adapter)
        observers.add(record)
        client.observer = self
        client.bus.onCall = { [weak self] in self?.called($0) ?? false }
        updateState()
    }

    // MARK: Objects

    func device(at path: String) -> DeviceProperties? {
        client.objects[path, BlueZ.device].map { DeviceProperties($0) }
    }

    /// Returns the object path of a device; nil while BlueZ knows none with this address.
    func path(of id: PeripheralID) -> String? {
        devicePaths.first { device(at: $0)?.id == id }
    }

    var devicePaths: [String] { client.objects.paths(of: BlueZ.device, under: path) }

    /// The reason why the adapter cannot scan passively; nil if it can, for patterns.
    var monitorAbsence: String? {
        guard let monitors = client.objects[path, BlueZ.monitorManager] else {
            return "bluetoothd has no advertisement monitors, which it offers with the option --experimental"
        }
        guard monitors["SupportedMonitorTypes"]?.texts?.contains("or_patterns") == true else {
            return "the advertisement monitors of bluetoothd have no patterns"
        }
        return nil
    }

    /// True if the controller looks for patterns: BlueZ then announces that devices are found and lost, but not each
    /// advertisement.
    var hasControllerPatterns: Bool {
        client.objects[path, BlueZ.monitorManager]?["SupportedFeatures"]?.texts?.contains("controller-patterns") == true
    }

    private var properties: [String: BusValue]? { client.objects[path, BlueZ.adapter] }

    private func called(_ call: BusCall) -> Bool {
        if call.path == PairingAgent.path, call.interface == BlueZ.agent {
            agent.called(call)
            return true
        }
        return scans.called(call) || localDevices.contains { $0.application.called(call) }
    }

    /// The kernel's number of the adapter: 0 for hci0.
    var index: UInt16? { path.split(separator: "/").last.flatMap { UInt16($0.dropFirst(3)) } }

    // MARK: State

    func updateState() {
        var (new, reason) = currentState()
        if new == .poweredOn {
            isRestarting = false
            restartTimer.disarm()
        } else if isRestarting {
            new = .resetting
        }
        if let properties {
            adapter.address = properties.bluezAddress
            let version = BlueZVersion(modalias: properties["Modalias"]?.text ?? "")
            let name = properties["Alias"]?.text.map { " '\($0)'" } ?? ""
            adapter.summary =
                "BlueZ\(version.map { " \($0)" } ?? "") adapter \(path.split(separator: "/").last ?? "")\(name)"
        }
        guard new != state || reason != stateReason else { return }
        log.debug("the adapter is \(new.text)\(reason.isEmpty ? "" : ": \(reason)")")
        state = new
        stateReason = reason
        if let error = unavailableError {
            // Links first: a handler of an ended scan may inspect them.
            for link in Array(links.values) { linkEnded(link, error) }
            scans.end(error)
            connector.coordinator.end(error)
            for device in localDevices { device.radioWentOff(error) }
        } else {
            agent.handlerChanged()
        }
        observers.tell { $0.radioStateChanged(self) }
    }

    private func currentState() -> (RadioState, String) {
        guard client.isRunning else {
            return (.unsupported, "bluetoothd does not run; 'sudo systemctl start bluetooth' starts it")
        }
        guard let properties else {
            let name = path.split(separator: "/").last ?? ""
            let others = client.objects.paths(of: BlueZ.adapter).compactMap { $0.split(separator: "/").last }
            let hint = others.isEmpty ? "plug one in" : "BlueZ has \(others.joined(separator: ", "))"
            return (.unsupported, "bluetoothd has no adapter \(name); \(hint)")
        }
        if properties["Powered"]?.bool == true { return (.poweredOn, "") }
        if properties["PowerState"]?.text == "off-blocked" {
            return (.poweredOff, "the adapter is blocked by a radio switch; 'rfkill unblock bluetooth' unblocks it")
        }
        return (.poweredOff, Self.offReason)
    }

    static let offReason =
        "the adapter is switched off; 'bluetoothctl power on' switches it on, after 'rfkill unblock bluetooth' if "
        + "a radio switch blocks it"

    /// True while BlueZ switches the adapter off, for which it ends all links first.
    var isSwitchingOff: Bool { properties?["PowerState"]?.text == "on-disabling" }

    /// Sets BlueZ's property `Powered`, which applies to all programs.
    func setPowered(_ isOn: Bool, completion: @escaping (Result<Void, RadioError>) -> Void) {
        let arguments: [BusValue] = [.string(BlueZ.adapter), .string("Powered"), .variant(.bool(isOn))]
        client.call(path, BlueZ.properties, "Set", arguments) { result in
            completion(result.map { _ in }.mapError { $0.powerError })
        }
    }

    /// The error of operations while the adapter is not ready; nil when it is.
    var unavailableError: RadioError? { state == .poweredOn ? nil : .radio(state, reason: stateReason) }

    func addObserver(_ observer: any RadioObserver) { observers.add(observer) }

    func removeObserver(_ observer: any RadioObserver) { observers.remove(observer) }

    // MARK: Scanning and connecting

    func scan(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation {
        scans.add(request, discovered: discovered, ended: ended)
    }

    func connect(
        _ peripheral: PeripheralID, _ request: ConnectRequest, for user: RadioUser?,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation {
        connector.coordinator.connect(peripheral, request, for: user, completion: completion)
    }

    /// Returns the link of a connected device: of this program or, if it existed before, of another one.
    func link(to id: PeripheralID, at path: String, isForeign: Bool) -> BlueZLink {
        if let link = links[path], link.isUp { return link }
        disconnectReasons[path] = nil
        let link = BlueZLink(id: id, path: path, isForeign: isForeign, radio: self)
        links[path] = link
        log.debug(isForeign ? "using the link of another program" : "link is up", metadata: link.metadata)
        observers.tell { $0.peripheralConnected(id) }
        return link
    }

    /// Forgets a link that continues without this program.
    func forget(_ link: BlueZLink) {
        if links[link.path] === link { links[link.path] = nil }
    }

    func linkEnded(_ link: BlueZLink, _ error: RadioError) {
        guard links[link.path] === link else { return }
        links[link.path] = nil
        log.debug("link ended: \(error)", metadata: link.metadata)
        link.ended(error)
        observers.tell { $0.peripheralDisconnected(link.id, error) }
    }

    // MARK: Local devices

    func makeLocalDevice(
        _ configuration: LocalDeviceConfiguration, for user: RadioUser?, delegate: any LocalDeviceDelegate
    ) throws(RadioError) -> any LocalDevice {
        if let unavailableError { throw unavailableError }
        let device = try BlueZLocalDevice(configuration, radio: self, user: user, delegate: delegate)
        localDevices.append(device)
        return device
    }

    // MARK: Users

    func addUser(_ user: RadioUser) {
        guard !users.has(user) else { return }
        users.append(user)
        user.onHandlerChange = { [weak self] in self?.agent.handlerChanged() }
        agent.handlerChanged()
    }

    func removeUser(_ user: RadioUser) {
        users.removeAll { $0 === user }
        user.onHandlerChange = nil
        if let handler = user.pairingHandler { agent.withdrawQuestions(of: handler) }
        user.pairingHandler = nil
        agent.handlerChanged()
    }

    /// Returns the handler of the questions about a device: that of the user that is pairing with it, or whose
    /// operation is pending; else that of the oldest user of its link with a handler. For a device that connected to a
    /// local device, that of the local device's owner.
    func handler(for path: String) -> (any PairingHandler)? {
        if let owner = pairings.owner(of: path) ?? links[path]?.pending.oldestOwner as? RadioUser {
            return owner.pairingHandler
        }
        if let sharing = links[path]?.users {
            return users.oldestWithHandler { sharing.has($0) }?.pairingHandler
        }
        return users.oldestWithHandler { user in localDevices.contains { $0.user === user } }?.pairingHandler
            ?? standardHandler
    }

    /// The handler whose capability is registered while no user's pairing runs.
    var standardHandler: (any PairingHandler)? { users.oldestWithHandler { _ in true }?.pairingHandler }

    /// True: `bluetoothd` may be started, and the adapter plugged in again.
    var comesBack: Bool { true }

    // MARK: Fixed passkeys

    func limitPasskeys(by limiter: any PasskeyLimiter) { agent.limiter = limiter }

    func allowPasskey(_ passkey: UInt32) throws(RadioError) {
        guard let limiter = agent.limiter else { throw .unsupported("this adapter does not support fixed passkeys") }
        try limiter.reset(passkey)
    }

    // MARK: Closing

    func close(completion: @escaping () -> Void) {
        scans.end(.cancelled)
        connector.coordinator.end(.cancelled)
        for device in localDevices { device.close {} }
        // The links of this program are ended, and their end awaited, before the bus is left.
        let own = links.values.filter { !$0.isForeign }
        var left = own.count
        let finish = { [self] in
            for link in Array(links.values) { linkEnded(link, .radio(.unsupported, reason: "the adapter was closed")) }
            restartTimer.disarm()
            client.close()
            state = .unsupported
            stateReason = "the adapter was closed"
            // Ends scans and attempts that began in the meantime.
            scans.end(.cancelled)
            connector.coordinator.end(.cancelled)
            observers.tell { $0.radioStateChanged(self) }
            observers.removeAll()
            completion()
        }
        // The bus answers this call after all earlier messages: BlueZ has received them then.
        guard left > 0 else { return client.bus.bus("GetId", []) { _ in finish() } }
        for link in own {
            client.call(link.path, BlueZ.device, "Disconnect", timeout: .seconds(2)) { _ in
                left -= 1
                if left == 0 { finish() }
            }
        }
    }
}
