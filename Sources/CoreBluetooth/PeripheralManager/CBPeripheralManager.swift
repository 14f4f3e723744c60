import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// Offers services to centrals, and advertises them.
///
/// Its methods may be called on any thread; the delegate hears of everything on the queue, in order, and never inside a
/// call. What is published ends with the manager: hold it.
open class CBPeripheralManager: CBManager {
    private let engine: PeripheralEngine
    private weak var ownDelegate: (any CBPeripheralManagerDelegate)?
    private var advertises = false
    private var restored: [CBMutableService] = []
    private var restoredAdvertisement: [String: Any]?

    /// A manager that tells nobody.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager that tells `delegate` what happens, on `queue`; nil is the main queue.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager that tells `delegate` what happens, on `queue`; nil is the main queue.
    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        let mailbox = Mailbox(queue: queue ?? .main)
        engine = PeripheralEngine(
            mailbox: mailbox, setup: ManagerSetup(options, restoreKey: CBPeripheralManagerOptionRestoreIdentifierKey))
        ownDelegate = delegate
        super.init(mailbox: mailbox)
        engine.manager = self
        engine.open()
    }

    deinit { engine.close() }

    /// Hears what happens; held weakly.
    open var delegate: (any CBPeripheralManagerDelegate)? {
        get { PropertyLock.read { ownDelegate } }
        set { PropertyLock.replace(newValue) { ownDelegate = $0 } }
    }

    /// Whether the device is being advertised.
    open var isAdvertising: Bool { PropertyLock.read { advertises } }

    /// Whether the program may offer services, by its old name.
    @available(*, deprecated, message: "use CBManager.authorization")
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus { .authorized }

    // MARK: Services

    /// Publishes a service; `peripheralManager(_:didAdd:error:)` tells of it.
    open func add(_ service: CBMutableService) {
        guard isReady(for: "add(_:)") else { return }
        publish(service, isTold: true)
    }

    private func publish(_ service: CBMutableService, isTold: Bool) {
        let engine = engine
        let object = Transfer(service)
        do throws(LocalService.Flaw) {
            let description = try LocalService(service)
            engine.execute { engine.add(description, object, isTold: isTold) }
        } catch {
            Misuse.report("add(_:): \(error.reason)")
            let failure = CBError.make(error.code, error.reason)
            mailbox.post { [weak self] in self?.added(object.value, failure) }
        }
    }

    /// Takes a service back.
    open func remove(_ service: CBMutableService) {
        guard isReady(for: "remove(_:)") else { return }
        let engine = engine
        // Where it is now: it may have been published again a moment ago.
        _ = engine.ask { _ in if let place = service.placed { engine.remove(place) } }
        forget(service)
    }

    /// Takes all services back.
    open func removeAllServices() {
        guard isReady(for: "removeAllServices()") else { return }
        let engine = engine
        // Whoever takes all back often adds them again at once.
        for service in engine.ask({ _ in engine.removeAll() }) ?? [] { forget(service) }
    }

    /// Sends a value to those who subscribed to it, or to those of them that are given.
    /// - Returns: whether it was taken; where not, `peripheralManagerIsReady(toUpdateSubscribers:)` tells when to try again.
    open func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        guard isReady(for: "updateValue(_:for:onSubscribedCentrals:)") else { return false }
        guard let place = characteristic.placed else {
            Misuse.report("updateValue: the characteristic \(characteristic.uuid.uuidString) is not published")
            return false
        }
        guard engine.admitUpdate() else { return false }
        let bytes = [UInt8](value)
        let receivers = centrals?.map(\.id)
        let engine = engine
        engine.execute { engine.update(bytes, of: place, for: receivers) }
        return true
    }

    /// Answers a request, or several writes that came together by the first of them. The result may be a code without
    /// a name, 0x80 to 0x9F for an error of the application (Core 6.0, Vol 3, Part F, 3.4.1.1).
    ///
    /// A read is answered with the request's value, which has to begin at its offset.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        let responder = request.responder
        let code = result == .success ? nil : ATTErrorCode(result)
        let value = [UInt8](request.value ?? Data())
        engine.execute {
            switch responder.value {
            case .read(let respond): respond(code.map { .failure($0) } ?? .success(value))
            case .write(let respond): respond(code.map { .failure($0) } ?? .success(()))
            case .none: break
            }
        }
    }

    // MARK: Advertising

    /// Advertises a name and services: `CBAdvertisementDataLocalNameKey` and `CBAdvertisementDataServiceUUIDsKey`, and
    /// nothing else.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        guard isReady(for: "startAdvertising(_:)") else { return }
        guard !isAdvertising else {
            return mailbox.post { [weak self] in
                guard let self else { return }
                delegate?.peripheralManagerDidStartAdvertising(self, error: CBError.make(.alreadyAdvertising))
            }
        }
        let options = CheckedOptions(advertisementData, of: "startAdvertising(_:)")
        let known = [CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey]
        let unknown = (advertisementData ?? [:]).keys.filter { !known.contains($0) }.sorted()
        if !unknown.isEmpty {
            Misuse.report(
                "startAdvertising(_:): only the name and services can be advertised, not \(unknown.joined(separator: ", "))"
            )
        }
        setAdvertising(true)
        let data = AdvertisingData(
            localName: options.value(CBAdvertisementDataLocalNameKey, as: String.self),
            serviceUUIDs: options.value(CBAdvertisementDataServiceUUIDsKey, as: [CBUUID].self)?.models ?? [],
            flags: [.generalDiscoverable, .classicNotSupported])
        let engine = engine
        engine.execute { engine.startAdvertising(data) }
    }

    /// Advertises no longer; centrals stay connected.
    open func stopAdvertising() {
        guard isReady(for: "stopAdvertising()") else { return }
        setAdvertising(false)
        let engine = engine
        engine.execute { engine.stopAdvertising() }
    }

    private func setAdvertising(_ isAdvertising: Bool) {
        PropertyLock.replace(isAdvertising) { swap(&advertises, &$0) }
    }

    /// Asks a central for connection parameters: 11.25 to 15 ms, 60 to 75 ms or 240 to 300 ms between two events.
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
        guard isReady(for: "setDesiredConnectionLatency(_:for:)") else { return }
        let (engine, id) = (engine, central.id)
        engine.execute { engine.ask(latency, of: id) }
    }

    // MARK: Channels

    /// Listens for L2CAP channels; `peripheralManager(_:didPublishL2CAPChannel:error:)` tells the number.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        guard isReady(for: "publishL2CAPChannel(withEncryption:)") else { return }
        let engine = engine
        engine.execute { engine.publishChannel(requiresEncryption: encryptionRequired) }
    }

    /// Listens no longer; open channels stay.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
        guard isReady(for: "unpublishL2CAPChannel(_:)") else { return }
        let engine = engine
        engine.execute { engine.unpublishChannel(PSM) }
    }

    // MARK: On the queue

    func stateChanged(_ state: CBManagerState) {
        if state != .poweredOn {
            setAdvertising(false)
            engine.forgetCentrals()
        }
        guard change(to: state) else { return }
        delegate?.peripheralManagerDidUpdateState(self)
        guard state == .poweredOn else { return }
        let services = restored
        restored = []
        for service in services where service.placed == nil { publish(service, isTold: false) }
        if let data = restoredAdvertisement, !isAdvertising { startAdvertising(data) }
        restoredAdvertisement = nil
    }

    func restore(_ saved: PeripheralRestoration.Saved) {
        restored = saved.services.map { $0.service }
        var dictionary: [String: Any] = [:]
        if !restored.isEmpty { dictionary[CBPeripheralManagerRestoredStateServicesKey] = restored }
        if let advertisement = saved.advertisement {
            restoredAdvertisement = advertisement.dictionary
            dictionary[CBPeripheralManagerRestoredStateAdvertisementDataKey] = advertisement.dictionary
        }
        delegate?.peripheralManager(self, willRestoreState: dictionary)
    }

    func added(_ service: CBMutableService, _ error: (any Error)?) {
        delegate?.peripheralManager(self, didAdd: service, error: error)
    }

    /// A service is not published any more.
    func forget(_ service: CBMutableService) {
        service.placed = nil
        service.isKept = false
        for characteristic in service.characteristics ?? [] {
            (characteristic as? CBMutableCharacteristic)?.placed = nil
        }
        forgetSubscribers(of: service)
    }

    /// All centrals are gone.
    func forgetSubscribers(of service: CBMutableService) {
        for characteristic in service.characteristics ?? [] {
            (characteristic as? CBMutableCharacteristic)?.setSubscribed(nil)
        }
    }

    func advertisingStarted(_ error: (any Error)?) {
        if error != nil { setAdvertising(false) }
        delegate?.peripheralManagerDidStartAdvertising(self, error: error)
    }

    func advertisingEnded() { setAdvertising(false) }

    func subscribed(_ central: CBCentral, _ characteristic: CBMutableCharacteristic) {
        let others = (characteristic.subscribedCentrals ?? []).filter { $0 !== central }
        characteristic.setSubscribed(others + [central])
        delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
    }

    func unsubscribed(_ central: CBCentral, _ characteristic: CBMutableCharacteristic) {
        characteristic.setSubscribed((characteristic.subscribedCentrals ?? []).filter { $0 !== central })
        delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
    }
}
