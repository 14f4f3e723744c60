import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// Looks for devices and connects to them.
///
/// Its methods may be called on any thread; the delegate hears of everything on the queue, in order, and never inside a
/// call. The manager is not kept alive by what it does: hold it.
open class CBCentralManager: CBManager {
    /// What this system can do.
    public struct Feature: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// A set by its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Scanning for extended advertisements, and connecting to who sends them.
        public static var extendedScanAndConnect: Feature { .init(rawValue: 1) }
        /// Measuring distances by channel sounding; not on Linux.
        public static var channelSounding: Feature { .init(rawValue: 1024) }
    }

    private let engine: CentralEngine
    private weak var ownDelegate: (any CBCentralManagerDelegate)?
    private var scans = false
    /// Devices of an earlier run, until the delegate has seen them and the radio is on.
    private var restored: [CBPeripheral] = []
    private var restoredScan: ScanRequest?

    /// A manager that tells nobody.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager that tells `delegate` what happens, on `queue`; nil is the main queue.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager that tells `delegate` what happens, on `queue`; nil is the main queue.
    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        let mailbox = Mailbox(queue: queue ?? .main)
        engine = CentralEngine(
            mailbox: mailbox, setup: ManagerSetup(options, restoreKey: CBCentralManagerOptionRestoreIdentifierKey))
        ownDelegate = delegate
        super.init(mailbox: mailbox)
        engine.manager = self
        engine.open()
    }

    deinit { engine.close() }

    /// Hears what happens; held weakly.
    open var delegate: (any CBCentralManagerDelegate)? {
        get { PropertyLock.read { ownDelegate } }
        set { PropertyLock.replace(newValue) { ownDelegate = $0 } }
    }

    /// Whether a scan runs.
    open var isScanning: Bool { PropertyLock.read { scans } }

    /// Whether this system can do all of `features`. Channel sounding it cannot.
    open class func supports(_ features: Feature) -> Bool { features.isSubset(of: .extendedScanAndConnect) }

    // MARK: Finding devices

    /// The devices that these identifiers name, as far as they are known from this run or an earlier one; they need
    /// not be near.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard isReady(for: "retrievePeripherals(withIdentifiers:)") else { return [] }
        let wanted = identifiers.map { PeripheralID($0) }
        return objects(engine.ask { $0.knownPeripherals(wanted) })
    }

    /// The connected devices that have one of the services, whoever connected them; none where no service is given.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard isReady(for: "retrieveConnectedPeripherals(withServices:)"), !serviceUUIDs.isEmpty else { return [] }
        let wanted = serviceUUIDs.models
        return objects(engine.ask { $0.connectedPeripherals(withServices: wanted) })
    }

    private func objects(_ known: [KnownPeripheral]?) -> [CBPeripheral] {
        known?.compactMap { engine.peripheral($0.id, name: $0.name) } ?? []
    }

    /// Looks for devices that advertise one of the services, or for all. A scan that runs already is replaced.
    ///
    /// Without `CBCentralManagerScanOptionAllowDuplicatesKey` a device is reported once, and again when its advertisement
    /// or its scan response says something more.
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

    /// Looks no further.
    open func stopScan() {
        guard state == .poweredOn else {
            if isScanning { _ = isReady(for: "stopScan()") }
            return
        }
        setScanning(false)
        let engine = engine
        engine.execute { engine.stopScan() }
    }

    private func setScanning(_ isScanning: Bool) { PropertyLock.replace(isScanning) { swap(&scans, &$0) } }

    // MARK: Connecting

    /// Connects to a device, however long that takes; ``cancelPeripheralConnection(_:)`` gives up.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard isReady(for: "connect(_:options:)"), isOwn(peripheral, "connect(_:options:)") else { return }
        peripheral.connect(ConnectOptions(options))
    }

    /// Ends this manager's use of a device, or the attempt to connect. The link ends with its last user.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard isReady(for: "cancelPeripheralConnection(_:)"), isOwn(peripheral, "cancelPeripheralConnection(_:)") else {
            return
        }
        peripheral.cancelConnection()
    }

    private func isOwn(_ peripheral: CBPeripheral, _ command: StaticString) -> Bool {
        if peripheral.device.engine === engine { return true }
        Misuse.report("\(command): the device was found by another manager; retrieve it by its identifier")
        return false
    }

    /// Tells the delegate when a device is connected or disconnected, by whomever; nil ends that.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        guard isReady(for: "registerForConnectionEvents(options:)") else { return }
        let named = (options ?? [:]).map { ($0.key.rawValue, $0.value) }
        let filter = ConnectionEventFilter(
            CheckedOptions(Dictionary(named) { first, _ in first }, of: "registerForConnectionEvents(options:)"))
        let engine = engine
        engine.execute { engine.register(filter) }
    }

    // MARK: On the queue

    func stateChanged(_ state: CBManagerState) {
        if state != .poweredOn { setScanning(false) }
        guard change(to: state) else { return }
        delegate?.centralManagerDidUpdateState(self)
        guard state == .poweredOn else { return }
        // What was under way in the earlier run goes on.
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
