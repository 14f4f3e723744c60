import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// Scans for devices and connects to them.
///
/// Its methods may be called on any thread. The delegate is called on the queue, in order, and never inside a call of
/// the manager. Operations do not retain the manager: keep a reference to it.
open class CBCentralManager: CBManager {
    /// The optional features of the system.
    public struct Feature: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Creates a set from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Scanning for extended advertisements, and connecting to the devices that send them.
        public static var extendedScanAndConnect: Feature { .init(rawValue: 1) }
        /// Measuring distances by channel sounding; not on Linux.
        public static var channelSounding: Feature { .init(rawValue: 1024) }
    }

    private let engine: CentralEngine
    private weak var ownDelegate: (any CBCentralManagerDelegate)?
    private var scans = false
    /// The devices of an earlier run, until they were passed to the delegate and the adapter is powered on.
    private var restored: [CBPeripheral] = []
    private var restoredScan: ScanRequest?

    /// Creates a manager without a delegate.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// Creates a manager that calls `delegate` on `queue`; nil is the main queue.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Creates a manager that calls `delegate` on `queue`; nil is the main queue.
    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        engine = CentralEngine(queue: queue, options: options, restoreKey: CBCentralManagerOptionRestoreIdentifierKey)
        ownDelegate = delegate
        super.init(engine: engine)
        engine.manager = self
        engine.open()
    }

    /// The delegate; a weak reference.
    open var delegate: (any CBCentralManagerDelegate)? {
        get { PropertyLock.read { ownDelegate } }
        set { PropertyLock.replace(newValue) { ownDelegate = $0 } }
    }

    /// True while a scan runs.
    open var isScanning: Bool { PropertyLock.read { scans } }

    /// Returns true if this system supports all of `features`. It does not support channel sounding.
    open class func supports(_ features: Feature) -> Bool { features.isSubset(of: .extendedScanAndConnect) }

    // MARK: Finding devices

    /// Returns the devices with these identifiers that are known from this run or an earlier one; they need not be in
    /// range.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard isReady(for: "retrievePeripherals(withIdentifiers:)") else { return [] }
        let wanted = identifiers.map { PeripheralID($0) }
        return objects(engine.ask { $0.knownPeripherals(wanted) })
    }

    /// Returns the connected devices that have one of the services, whichever program connected them; none if no
    /// service is given.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard isReady(for: "retrieveConnectedPeripherals(withServices:)"), !serviceUUIDs.isEmpty else { return [] }
        let wanted = serviceUUIDs.models
        return objects(engine.ask { $0.connectedPeripherals(withServices: wanted) })
    }

    private func objects(_ known: [KnownPeripheral]?) -> [CBPeripheral] {
        known?.compactMap { engine.peripheral($0.id, name: $0.name) } ?? []
    }

    /// Scans for devices that advertise one of the services, or for all devices. Replaces a running scan.
    ///
    /// Without `CBCentralManagerScanOptionAllowDuplicatesKey` a device is reported once, and again when its
    /// advertisement or its scan response contains new types of data or new services.
    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        guard isReady(for: "scanForPeripherals(withServices:options:)") else { return }
        let options = CheckedOptions(options, of: "scanForPeripherals(withServices:options:)")
        let solicited = options.value(CBCentralManagerScanOptionSolicitedServiceUUIDsKey, as: [CBUUID].self)
        let request = ScanRequest(
            services: serviceUUIDs?.models ?? [], solicitedServices: solicited?.models ?? [],
            allowsDuplicates: options.isOn(CBCentralManagerScanOptionAllowDuplicatesKey))
        scan(request)
    }

    private func scan(_ request: ScanRequest) {
        setScanning(true)
        let engine = engine
        engine.execute { engine.startScan(request) }
    }

    /// Stops the scan.
    open func stopScan() {
        guard state == .poweredOn else {
            if isScanning { _ = isReady(for: "stopScan()") }
            return
        }
        setScanning(false)
        let engine = engine
        engine.execute { engine.stopScan() }
    }

    func setScanning(_ isScanning: Bool) { PropertyLock.replace(isScanning, of: self) { swap(&scans, &$0) } }

    // MARK: Connecting

    /// Connects to a device, without a timeout; ``cancelPeripheralConnection(_:)`` cancels the attempt.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard isReady(for: "connect(_:options:)"), isOwn(peripheral, "connect(_:options:)") else { return }
        peripheral.connect(ConnectOptions(options))
    }

    /// Ends this manager's use of a device, or cancels the attempt to connect. The link ends with its last user.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard isReady(for: "cancelPeripheralConnection(_:)"), isOwn(peripheral, "cancelPeripheralConnection(_:)") else {
            return
        }
        peripheral.cancelConnection()
    }

    private func isOwn(_ peripheral: CBPeripheral, _ command: StaticString) -> Bool {
        if peripheral.device.engine === engine { return true }
        Misuse.report("\(command): the peripheral belongs to another manager; retrieve it by its identifier")
        return false
    }

    /// Registers for connections and disconnections of devices by any program, which are reported to the delegate; nil
    /// ends the registration, an empty dictionary registers for all devices.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        guard isReady(for: "registerForConnectionEvents(options:)") else { return }
        let filter = options.map { options in
            let named = options.map { ($0.key.rawValue, $0.value) }
            return ConnectionEventFilter(
                CheckedOptions(Dictionary(named) { first, _ in first }, of: "registerForConnectionEvents(options:)"))
        }
        let engine = engine
        engine.execute { engine.register(filter) }
    }

    // MARK: On the queue

    func stateChanged(_ state: CBManagerState) {
        if state != .poweredOn { setScanning(false) }
        guard change(to: state) else { return }
        delegate?.centralManagerDidUpdateState(self)
        guard state == .poweredOn else { return }
        // The operations of the earlier run continue.
        let devices = restored
        restored = []
        for peripheral in devices where peripheral.state == .connecting { peripheral.connect(ConnectOptions()) }
        if let request = restoredScan, isScanning == false { scan(request) }
        restoredScan = nil
    }

    func discovered(_ report: ScanReport, _ engine: CentralEngine) {
        guard isScanning, let delegate else { return }
        let name = report.knownName ?? report.advertisement.localName
        guard let peripheral = engine.peripheral(report.peripheral, name: name) else { return }
        peripheral.noteAdvertisedName(report.advertisement.localName)
        delegate.centralManager(
            self, didDiscover: peripheral,
            advertisementData: report.advertisement.dictionary(isConnectable: report.isConnectable),
            rssi: NSNumber(value: report.rssi ?? 127))
    }

    func restore(_ saved: CentralRestoration.Saved, _ engine: CentralEngine) {
        var dictionary: [String: Any] = [:]
        restored = saved.devices.compactMap { engine.peripheral($0, name: saved.names[$0]) }
        for peripheral in restored { peripheral.restore(saved.services[PeripheralID(peripheral.identifier)] ?? []) }
        dictionary[CBCentralManagerRestoredStatePeripheralsKey] = restored
        if let scan = saved.scan {
            restoredScan = scan
            dictionary[CBCentralManagerRestoredStateScanServicesKey] = scan.services.map { CBUUID($0) }
            dictionary[CBCentralManagerRestoredStateScanOptionsKey] =
                [
                    CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: scan.allowsDuplicates),
                    CBCentralManagerScanOptionSolicitedServiceUUIDsKey: scan.solicitedServices.map { CBUUID($0) },
                ] as [String: Any]
        }
        delegate?.centralManager(self, willRestoreState: dictionary)
    }
}
