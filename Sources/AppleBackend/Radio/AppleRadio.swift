import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth
import Logging

/// The system's CoreBluetooth as a backend. Confined to its loop.
///
/// CoreBluetooth's objects are confined to a queue, which the loop enters for each call; their callbacks are passed to
/// the loop in order.
package final class AppleRadio: RadioBackend {
    /// The loop.
    package let loop: RadioLoop
    /// The description of the adapter.
    package let adapter: AdapterInfo
    /// The optional features of CoreBluetooth.
    package let capabilities = AppleAdapters.capabilities
    /// The current state of the adapter.
    package private(set) var state = RadioState.unknown
    /// The reason of the state, and the remedy for the user; empty when powered on.
    package private(set) var stateReason = "the state of the system's Bluetooth is not known yet"

    let queue = AppleQueue()
    /// The options of the managers.
    let options: [String: Any]
    private let events: CentralEvents
    private(set) var central: CBCentralManager?
    private(set) lazy var scans = AppleScans(radio: self)
    private var devices: [PeripheralID: AppleDevice] = [:]
    private let observers = RadioObservers()
    let record: RadioRecord
    private(set) lazy var connections = ConnectionCoordinator(
        self, loop: loop, log: Logger(label: "harald.apple", adapter: adapter))
    /// The local device; CoreBluetooth supports one.
    var localDevice: (any LocalDevice)?

    /// Limit of unused devices.
    private static let keptDevices = 4096

    /// Opens the adapter, whose state is reported later. To be called on the loop, which must not be one that
    /// CoreBluetooth itself waits for.
    /// - Parameter options: the options of the managers, such as `CBCentralManagerOptionShowPowerAlertKey`.
    package init(uri: String = "auto", loop: RadioLoop, options: [String: Any] = [:]) {
        loop.preconditionOnLoop()
        self.loop = loop
        self.options = options
        record = RadioRecord(loop: loop)
        observers.add(record)
        adapter = AdapterInfo(uri: uri, summary: "CoreBluetooth")
        events = CentralEvents(loop: loop)
        events.radio = self
        let (queue, events) = (queue, events)
        central = queue.run { CBCentralManager(delegate: events, queue: queue.dispatch, options: options) }
    }

    /// Does nothing: the system asks its own user.
    package func addUser(_ user: RadioUser) {}
    /// Does nothing.
    package func removeUser(_ user: RadioUser) {}

    // MARK: State

    func stateChanged(_ new: RadioState) {
        guard new != state, central != nil else { return }
        state = new
        stateReason = Self.reasons[new] ?? ""
        if new != .poweredOn {
            let error = RadioError.radio(new, reason: stateReason)
            scans.end(error)
            let known = devices
            // Objects of before are invalid afterwards.
            devices = [:]
            for device in known.values { device.radioEnded(error) }
            connections.end(error)
        }
        notifyStateChanged()
    }

    private func notifyStateChanged() { observers.tell { $0.radioStateChanged(self) } }

    private static let reasons: [RadioState: String] = [
        .unknown: "the state of the system's Bluetooth is not known yet",
        .resetting: "the system's Bluetooth service is restarting",
        .unsupported: "this machine has no Bluetooth Low Energy that CoreBluetooth can use",
        .unauthorized:
            "this program is not permitted to use Bluetooth: allow it in the system's settings, under Privacy, "
            + "Bluetooth; an app needs NSBluetoothAlwaysUsageDescription in its Info.plist",
        .poweredOff: "Bluetooth is switched off; switch it on in the system's settings",
    ]

    /// The error of operations while the adapter is not ready; nil when it is.
    package var unavailableError: RadioError? { state == .poweredOn ? nil : .radio(state, reason: stateReason) }

    /// Adds an observer.
    package func addObserver(_ observer: any RadioObserver) { observers.add(observer) }

    /// Removes an observer.
    package func removeObserver(_ observer: any RadioObserver) { observers.remove(observer) }

    func notifyConnected(_ id: PeripheralID) { observers.tell { $0.peripheralConnected(id) } }

    func notifyDisconnected(_ id: PeripheralID, _ error: RadioError) {
        observers.tell { $0.peripheralDisconnected(id, error) }
    }

    // MARK: Devices

    /// The connected devices, in the order of their identifiers.
    var connectedDevices: [AppleDevice] {
        devices.values.filter { $0.link != nil }.sorted { $0.id < $1.id }
    }

    func knownDevice(_ object: CBPeripheral) -> AppleDevice? {
        // An object of before a power cycle has no device any more.
        devices[PeripheralID(object.identifier)].flatMap { $0.object === object ? $0 : nil }
    }

    func link(to object: CBPeripheral) -> AppleLink? { knownDevice(object)?.link }

    private func device(for object: CBPeripheral) -> AppleDevice {
        let id = PeripheralID(object.identifier)
        if let known = devices[id] { return known }
        if devices.count >= Self.keptDevices { devices = devices.filter { $0.value.isInUse } }
        let device = AppleDevice(id, object, radio: self)
        devices[id] = device
        let events = events
        queue.run { object.delegate = events }
        return device
    }

    /// Returns the device, where CoreBluetooth knows it; only while powered on.
    private func device(named id: PeripheralID) -> AppleDevice? {
        if let known = devices[id] { return known }
        guard state == .poweredOn, let central, let uuid = UUID(uuidString: id.description) else { return nil }
        return queue.run { central.retrievePeripherals(withIdentifiers: [uuid]) }.first.map { device(for: $0) }
    }

    func heard(
        _ object: CBPeripheral, name: String?, _ advertisement: AdvertisingData, rssi: Int?, isConnectable: Bool
    ) {
        let device = device(for: object)
        device.name = name ?? advertisement.localName ?? device.name
        scans.heard(device.id, name: name, advertisement, rssi: rssi, isConnectable: isConnectable)
    }

    private func known(_ device: AppleDevice) -> KnownPeripheral { KnownPeripheral(id: device.id, name: device.name) }

    /// Returns the devices that the system knows under these identifiers.
    package func knownPeripherals(_ identifiers: [PeripheralID]) -> [KnownPeripheral] {
        identifiers.compactMap { device(named: $0) }.map { known($0) }
    }

    /// Returns the devices that were connected in this run: the system lists no others.
    package func allKnownPeripherals() -> [KnownPeripheral] {
        devices.values.filter(\.wasConnected).map { known($0) }
    }

    /// Returns the connected devices that have one of `services`, whichever program connected them.
    package func connectedPeripherals(withServices services: [BluetoothUUID]) -> [KnownPeripheral] {
        guard state == .poweredOn, let central else { return [] }
        let wanted = services.map(\.coreBluetooth)
        return queue.run { central.retrieveConnectedPeripherals(withServices: wanted) }.map { known(device(for: $0)) }
    }

    /// Returns nil: addresses are hidden.
    package func peripheral(at address: BluetoothAddress) -> PeripheralID? { nil }

    /// Does nothing: programs have no access to the system's cache.
    package func forgetCache(_ peripheral: PeripheralID) {}

    /// Empty: programs have no access to the system's bonds.
    package var bonds: [BondedPeripheral] { [] }

    /// Returns false: the user removes a device in the system's settings.
    @discardableResult
    package func forgetBond(_ peripheral: PeripheralID) -> Bool { false }

    // MARK: Scanning and connecting

    /// Adds a scan.
    package func scan(
        _ request: ScanRequest, discovered: @escaping (ScanReport) -> Void, ended: @escaping (RadioError) -> Void
    ) -> any BackendOperation { scans.add(request, discovered: discovered, ended: ended) }

    /// Connects to a device, or adds a share of an existing link.
    package func connect(
        _ peripheral: PeripheralID, _ request: ConnectRequest, for user: RadioUser?,
        completion: @escaping (Result<any PeripheralLink, RadioError>) -> Void
    ) -> any BackendOperation {
        connections.connect(peripheral, request, for: user, completion: completion)
    }

    // MARK: Local devices

    /// Creates the local device: there can be one at a time.
    /// - Throws: `RadioError.radio` while the adapter is not ready, `limit` while there is another local device,
    ///   `unsupported` for options that CoreBluetooth does not have, and on systems without the peripheral role.
    package func makeLocalDevice(
        _ configuration: LocalDeviceConfiguration, for user: RadioUser?, delegate: any LocalDeviceDelegate
    ) throws(RadioError) -> any LocalDevice {
        if let unavailableError { throw unavailableError }
        guard localDevice == nil else {
            throw .limit("CoreBluetooth supports one local peripheral: close the other one first")
        }
        #if os(tvOS) || os(watchOS)
        throw .unsupported("this system does not support the peripheral role")
        #else
        let device = try AppleLocalDevice(configuration, radio: self, delegate: delegate)
        localDevice = device
        return device
        #endif
    }

    // MARK: Closing

    /// Ends all operations and releases the adapter.
    package func close(completion: @escaping () -> Void) {
        scans.end(.cancelled)
        connections.end(.cancelled)
        localDevice?.close {}
        let open = devices.values.filter(\.isInUse)
        var left = open.count + 1
        let parted = { [self] in
            left -= 1
            guard left == 0 else { return }
            state = .unsupported
            stateReason = "the adapter was closed"
            devices = [:]
            let last = central
            central = nil
            // The manager is released on the queue where it is used.
            queue.run { last?.delegate = nil }
            notifyStateChanged()
            observers.removeAll()
            completion()
        }
        for device in open { device.close(completion: parted) }
        parted()
    }
}

extension AppleRadio: ConnectionDriver {
    package var initialPhase: Void { () }

    package func refusal(of peripheral: PeripheralID, _ request: ConnectRequest) -> RadioError? {
        guard request.parameters == .standard else {
            return .unsupported("CoreBluetooth chooses the connection parameters itself")
        }
        return device(named: peripheral) == nil ? .invalidArgument("the system knows no device \(peripheral)") : nil
    }

    package func share(
        of peripheral: PeripheralID, for user: RadioUser?
    ) -> Result<any PeripheralLink, RadioError>? {
        devices[peripheral]?.link.map { .success($0.share(for: user)) }
    }

    package func begin(_ attempt: ConnectionAttempt<Void>) {
        guard let device = device(named: attempt.peripheral) else { return ended(attempt, .notConnected) }
        device.connect(attempt)
    }

    package func stop(_ attempt: ConnectionAttempt<Void>) { devices[attempt.peripheral]?.stop(attempt) }

    func established(_ attempt: ConnectionAttempt<Void>, _ link: AppleLink) {
        connections.succeed(attempt) { .success(link.share(for: $0)) }
    }

    func ended(_ attempt: ConnectionAttempt<Void>, _ error: RadioError) { connections.fail(attempt, error) }
}
