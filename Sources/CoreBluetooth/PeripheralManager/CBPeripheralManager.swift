import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// Publishes services for centrals, and advertises them.
///
/// Its methods may be called on any thread. The delegate is called on the queue, in order, and never inside a call of
/// the manager. Publication ends with the manager: keep a reference to it.
open class CBPeripheralManager: CBManager {
    private let engine: PeripheralEngine
    private weak var ownDelegate: (any CBPeripheralManagerDelegate)?
    private var advertises = false
    private var restored: [CBMutableService] = []
    private var restoredAdvertisement: [String: Any]?

    /// Creates a manager without a delegate.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// Creates a manager that calls `delegate` on `queue`; nil is the main queue.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Creates a manager that calls `delegate` on `queue`; nil is the main queue.
    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        engine = PeripheralEngine(
            queue: queue, options: options, restoreKey: CBPeripheralManagerOptionRestoreIdentifierKey)
        ownDelegate = delegate
        super.init(engine: engine)
        engine.manager = self
        engine.open()
    }

    /// The delegate; a weak reference.
    open var delegate: (any CBPeripheralManagerDelegate)? {
        get { PropertyLock.read { ownDelegate } }
        set { PropertyLock.replace(newValue) { ownDelegate = $0 } }
    }

    /// True while the device is advertised.
    open var isAdvertising: Bool { PropertyLock.read { advertises } }

    /// The authorization of the program to publish services, under its old name.
    @available(*, deprecated, message: "use CBManager.authorization")
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus { .authorized }

    // MARK: Services

    /// Publishes a service; the outcome is reported to `peripheralManager(_:didAdd:error:)`.
    open func add(_ service: CBMutableService) {
        guard isReady(for: "add(_:)") else { return }
        publish(service, isTold: true)
    }

    private func publish(_ service: CBMutableService, isTold: Bool) {
        let engine = engine
        // Synchronous, because the outcome depends on the services that were added before, and the program may change
        // the service afterwards.
        if engine.ask({ _ in engine.add(service, isTold: isTold) }) == nil {
            let object = Transfer(service)
            mailbox.post { [weak self] in self?.added(object.value, CBError.make(.notConnected)) }
        }
    }

    /// Removes a published service.
    open func remove(_ service: CBMutableService) {
        guard isReady(for: "remove(_:)") else { return }
        let engine = engine
        // The current attribute: the service may just have been published again.
        _ = engine.ask { _ in if let place = service.placed { engine.remove(place) } }
        forget(service)
    }

    /// Removes all published services.
    open func removeAllServices() {
        guard isReady(for: "removeAllServices()") else { return }
        let engine = engine
        // Synchronous, because programs often add the services again at once.
        for service in engine.ask({ _ in engine.removeAll() }) ?? [] { forget(service) }
    }

    /// Sends a value to the subscribed centrals, or to those of them that are given.
    /// - Returns: true if the value was accepted; if not, `peripheralManagerIsReady(toUpdateSubscribers:)` reports when
    ///   to try again.
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

    /// Answers a request; several writes that were delivered together are answered by the first of them. The result may
    /// be a code without a name, 0x80 to 0x9F for an application error (Core 6.0, Vol 3, Part F, 3.4.1.1).
    ///
    /// A read is answered with the request's value, which has to begin at the request's offset.
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

    /// Starts advertising a name and services: `CBAdvertisementDataLocalNameKey` and
    /// `CBAdvertisementDataServiceUUIDsKey`; other keys are reported as misuse.
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

    /// Stops advertising; centrals stay connected.
    open func stopAdvertising() {
        guard isReady(for: "stopAdvertising()") else { return }
        setAdvertising(false)
        let engine = engine
        engine.execute { engine.stopAdvertising() }
    }

    private func setAdvertising(_ isAdvertising: Bool) {
        PropertyLock.replace(isAdvertising, of: self) { swap(&advertises, &$0) }
    }

    /// Requests a connection interval of a central: 11.25 to 15 ms, 60 to 75 ms or 240 to 300 ms.
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
        guard isReady(for: "setDesiredConnectionLatency(_:for:)") else { return }
        let (engine, id) = (engine, central.id)
        engine.execute { engine.ask(latency, of: id) }
    }

    // MARK: Channels

    /// Starts listening for L2CAP channels; the PSM is reported to
    /// `peripheralManager(_:didPublishL2CAPChannel:error:)`.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        guard isReady(for: "publishL2CAPChannel(withEncryption:)") else { return }
        let engine = engine
        engine.execute { engine.publishChannel(requiresEncryption: encryptionRequired) }
    }

    /// Stops listening; open channels stay.
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

    /// Marks a service as no longer published.
    func forget(_ service: CBMutableService) {
        service.placed = nil
        service.isKept = false
        for characteristic in service.characteristics ?? [] {
            (characteristic as? CBMutableCharacteristic)?.placed = nil
        }
        forgetSubscribers(of: service)
    }

    /// Removes all subscribers of a service, because no central is connected.
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
