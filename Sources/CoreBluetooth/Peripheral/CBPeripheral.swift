import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// A device that a central manager found.
///
/// One device is one object as long as somebody holds it. Whoever wants to use it has to hold it: with the last reference
/// its connection ends. What is asked of it is answered to the delegate, on the manager's queue.
open class CBPeripheral: CBPeer {
    let device: RemoteDevice
    private weak var ownDelegate: (any CBPeripheralDelegate)?
    private var ownName: String?
    /// Whether the name is the one that the device itself tells.
    private var hasOwnName = false
    private var signalStrength: NSNumber?
    private var connection = CBPeripheralState.disconnected
    /// Counts the calls of `connect`: a late answer to a cancellation must not end a later use.
    private var uses = 0
    private var ownServices: [CBService]?

    init(_ id: PeripheralID, name: String?, engine: CentralEngine, loop: RadioLoop) {
        device = RemoteDevice(id, engine: engine, loop: loop)
        ownName = name
        super.init(id)
        device.peripheral = self
    }

    deinit {
        let device = device
        // A radio that goes off ends the connection by itself.
        if connection != .disconnected, device.engine.manager?.state == .poweredOn {
            Misuse.report(
                "a device was released while it was connected or being connected; hold it as long as you use it")
        }
        device.execute { device.abandon() }
    }

    /// Hears what the device answers and sends; held weakly.
    open var delegate: (any CBPeripheralDelegate)? {
        get { PropertyLock.read { ownDelegate } }
        set { PropertyLock.replace(newValue) { ownDelegate = $0 } }
    }

    /// The name: the one that the device tells when it is connected, else the one that it advertises.
    open var name: String? { PropertyLock.read { ownName } }

    /// The signal strength that was read last, in dBm.
    @available(*, deprecated, message: "use peripheral(_:didReadRSSI:error:)")
    open var rssi: NSNumber? { PropertyLock.read { signalStrength } }

    /// How far the connection is.
    open var state: CBPeripheralState { PropertyLock.read { connection } }

    /// The services, as far as they were discovered; nil without a connection.
    open var services: [CBService]? { PropertyLock.read { ownServices } }

    /// Whether a write without response would go out soon; `peripheralIsReady(toSendWriteWithoutResponse:)` tells when
    /// again.
    open var canSendWriteWithoutResponse: Bool { state == .connected && device.hasRoomForWrites }

    /// Whether the device may use the Apple Notification Center Service; never on Linux, where there is none.
    open var ancsAuthorized: Bool { false }

    /// The device in a few words.
    open override var description: String {
        "<\(Swift.type(of: self)): identifier = \(identifier), name = \(name ?? "(null)"), state = \(state.word)>"
    }

    // MARK: Questions

    /// Reads the signal strength.
    open func readRSSI() { ask("readRSSI()", .signalStrength) }

    /// Discovers services, all or those given. Generic Access and Generic Attribute belong to the system.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        ask("discoverServices(_:)", .services(serviceUUIDs.flatMap { $0.isEmpty ? nil : $0 }))
    }

    /// Discovers the services that a service includes, all or those given.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        guard let id = attribute(of: service, "discoverIncludedServices(_:for:)") else { return }
        ask("discoverIncludedServices(_:for:)", .included(service, id, includedServiceUUIDs))
    }

    /// Discovers the characteristics of a service, all or those given.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        guard let id = attribute(of: service, "discoverCharacteristics(_:for:)") else { return }
        let filter = characteristicUUIDs.flatMap { $0.isEmpty ? nil : $0 }
        ask("discoverCharacteristics(_:for:)", .characteristics(service, id, filter))
    }

    /// Discovers the descriptors of a characteristic.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {
        guard let id = attribute(of: characteristic, "discoverDescriptors(for:)") else { return }
        ask("discoverDescriptors(for:)", .descriptors(characteristic, id))
    }

    /// Reads a value, of whatever length.
    open func readValue(for characteristic: CBCharacteristic) {
        guard let id = attribute(of: characteristic, "readValue(for:)") else { return }
        ask("readValue(for:)", .read(characteristic, id))
    }

    /// Reads a descriptor.
    open func readValue(for descriptor: CBDescriptor) {
        guard let id = attribute(of: descriptor, "readValue(for:)") else { return }
        ask("readValue(for:)", .readDescriptor(descriptor, id))
    }

    /// The most octets of one write.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int { device.maximumWriteLength(type) }

    /// Writes a value. With response it may be of any length up to 512 octets, and the delegate hears of the end.
    ///
    /// Without response it is written only where the characteristic has the property `writeWithoutResponse`; one line
    /// says where it has not.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        let command: StaticString = "writeValue(_:for:type:)"
        guard let id = attribute(of: characteristic, command) else { return }
        if type == .withResponse { return ask(command, .write(characteristic, id, [UInt8](data))) }
        guard type == .withoutResponse else {
            return Misuse.report("\(command): there is no type \(type.rawValue); nothing is written")
        }
        guard isConnected(for: command) else { return }
        guard characteristic.properties.contains(.writeWithoutResponse) else {
            return Misuse.report(
                "\(command): \(characteristic) has no property \"Write Without Response\"; nothing is written")
        }
        guard device.admitWrite() else {
            return Misuse.report("\(command): too many writes wait; look at canSendWriteWithoutResponse. It is dropped")
        }
        let bytes = [UInt8](data)
        let device = device
        device.enter { device.write(bytes, to: id) }
    }

    /// Writes a descriptor. The configuration of notifications is written by `setNotifyValue(_:for:)` alone.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        let command: StaticString = "writeValue(_:for:)"
        guard let id = attribute(of: descriptor, command) else { return }
        guard descriptor.uuid.model != 0x2902 else {
            return Misuse.report("\(command): use setNotifyValue(_:for:) for the client characteristic configuration")
        }
        ask(command, .writeDescriptor(descriptor, id, [UInt8](data)))
    }

    /// Has the device send the value when it changes, or not any more. Where the characteristic has neither the property
    /// `notify` nor `indicate`, that fails with `CBATTError.requestNotSupported`.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        guard let id = attribute(of: characteristic, "setNotifyValue(_:for:)") else { return }
        ask("setNotifyValue(_:for:)", .notify(characteristic, id, enabled))
    }

    /// Opens an L2CAP channel.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) { ask("openL2CAPChannel(_:)", .channel(PSM)) }

    /// Measures the distance by channel sounding; on Linux the session ends at once with `operationNotSupported`.
    open func startChannelSoundingSession(_ configuration: CBChannelSoundingSessionConfiguration) {
        let device = device
        device.engine.mailbox.post {
            guard let peripheral = device.peripheral else { return }
            peripheral.delegate?.peripheral(
                peripheral, didCompleteChannelSoundingSession: CBError.make(.operationNotSupported))
        }
    }

    /// Ends a session of channel sounding; on Linux there is none, and one line says so.
    open func cancelChannelSoundingSession() {
        Misuse.report("cancelChannelSoundingSession(): there is no session; no adapter here can do channel sounding")
    }

    private func ask(_ command: StaticString, _ operation: PeripheralRequest.Operation) {
        guard isConnected(for: command) else { return }
        let request = PeripheralRequest(device, operation)
        device.enter { request.device.begin(request) }
    }

    private func isConnected(for command: StaticString) -> Bool {
        if state == .connected { return true }
        Misuse.report("\(command): \(identifier) is not connected")
        return false
    }

    private func attribute(of service: CBService, _ command: StaticString) -> AttributeID? {
        if service.isValid, service.peripheral === self, let id = service.attribute { return id }
        return refuse("service", service, command)
    }

    private func attribute(of characteristic: CBCharacteristic, _ command: StaticString) -> AttributeID? {
        if let service = characteristic.service, service.isValid, service.peripheral === self,
            let id = characteristic.attribute
        {
            return id
        }
        return refuse("characteristic", characteristic, command)
    }

    private func attribute(of descriptor: CBDescriptor, _ command: StaticString) -> AttributeID? {
        if let service = descriptor.characteristic?.service, service.isValid, service.peripheral === self,
            let id = descriptor.attribute
        {
            return id
        }
        return refuse("descriptor", descriptor, command)
    }

    private func refuse(_ kind: String, _ attribute: CBAttribute, _ command: StaticString) -> AttributeID? {
        Misuse.report(
            "\(command): the \(kind) \(attribute.uuid.uuidString) does not belong to \(identifier), or not any more: "
                + "a disconnection or a change of services ends what was discovered")
        return nil
    }

    // MARK: Connecting

    /// The manager's `connect`.
    func connect(_ options: ConnectOptions) {
        PropertyLock.read {
            uses += 1
            if connection != .connected { connection = .connecting }
        }
        let device = device
        device.execute { device.connect(options) }
    }

    /// The device was in use when the last run of the program ended: it is being connected again, and has the services
    /// that were known then.
    func restore(_ remembered: [RememberedService]) {
        setState(.connecting)
        guard !remembered.isEmpty else { return }
        setServices(RememberedService.services(remembered, of: self))
        let device = device
        device.execute { device.hasRestoredServices = true }
    }

    func cancelConnection() {
        // In one step: the end of the connection may be told at the same time.
        let use: Int? = PropertyLock.read {
            guard connection == .connecting || connection == .connected else { return nil }
            connection = .disconnecting
            return uses
        }
        let device = device
        device.execute { device.cancel(use) }
    }

    func setState(_ state: CBPeripheralState) { PropertyLock.replace(state) { swap(&connection, &$0) } }

    // MARK: On the queue

    private var manager: CBCentralManager? { device.engine.manager }

    func didConnect() {
        guard let manager, state != .disconnecting else { return }
        setState(.connected)
        manager.delegate?.centralManager(manager, didConnect: self)
    }

    func didFailToConnect(_ error: CBError) {
        invalidateServices()
        guard let manager else { return }
        setState(.disconnected)
        manager.delegate?.centralManager(manager, didFailToConnect: self, error: error)
    }

    /// A use was cancelled where the adapter had no connection: that of a device of an earlier run, which was not asked for
    /// yet. Where its end was told meanwhile there is nothing to tell.
    func didCancel(_ use: Int) {
        if PropertyLock.read({ uses == use && connection == .disconnecting }) { didDisconnect(nil) }
    }

    func didDisconnect(
        _ error: (any Error)?, isReconnecting: Bool = false, state: CBPeripheralState = .disconnected
    ) {
        invalidateServices()
        guard let manager else { return }
        setState(isReconnecting ? .connecting : state)
        manager.delegate?.centralManager(
            manager, didDisconnectPeripheral: self, timestamp: CFAbsoluteTimeGetCurrent(),
            isReconnecting: isReconnecting, error: error)
    }

    private func invalidateServices() {
        for service in CBService.reachable(from: services ?? []) { service.invalidate() }
        setServices(nil)
    }

    func setServices(_ services: [CBService]?) { PropertyLock.replace(services) { swap(&ownServices, &$0) } }

    func setSignalStrength(_ value: NSNumber) { PropertyLock.replace(value) { signalStrength = $0 } }

    func received(_ data: Data, of characteristic: CBCharacteristic) {
        characteristic.setValue(data)
        delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
    }

    func isReadyToWrite() { delegate?.peripheralIsReady(toSendWriteWithoutResponse: self) }

    /// The advertised name counts until the device has told its own.
    func noteAdvertisedName(_ name: String?) {
        guard let name, !PropertyLock.read({ hasOwnName || ownName == name }) else { return }
        PropertyLock.replace(name) { ownName = $0 }
    }

    func nameChanged(_ name: String) {
        let isNew = self.name != name
        PropertyLock.replace(name) { ownName = $0 }
        PropertyLock.replace(true) { hasOwnName = $0 }
        if isNew { delegate?.peripheralDidUpdateName(self) }
    }

    func servicesChanged(_ gone: [AttributeID]) {
        let known = services ?? []
        let invalid = known.filter { service in service.attribute.map(gone.contains) ?? false }
        for service in invalid { service.invalidate() }
        if !invalid.isEmpty { setServices(known.filter { service in !invalid.contains { $0 === service } }) }
        noteKnowledge()
        delegate?.peripheral(self, didModifyServices: invalid)
    }

    /// What is known of the device is kept for the next run, where the manager does that.
    func noteKnowledge() {
        let device = device
        guard device.engine.remembers else { return }
        device.execute { device.engine.moreIsKnown(of: device) }
    }
}
