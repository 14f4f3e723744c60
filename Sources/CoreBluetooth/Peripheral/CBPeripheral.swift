import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// A remote device that a central manager discovered or retrieved.
///
/// A device has one object while a reference to it exists. Keep a reference while you use the device: its connection
/// ends with the last one. The delegate receives the results of all requests, on the manager's queue.
open class CBPeripheral: CBPeer {
    let device: RemoteDevice
    private weak var ownDelegate: (any CBPeripheralDelegate)?
    private var ownName: String?
    /// True if the name was read from the device itself.
    private var hasOwnName = false
    private var signalStrength: NSNumber?
    private var connection = CBPeripheralState.disconnected
    /// The number of calls of `connect`: a late response to a cancellation must not end a later connection.
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
        // An adapter that is powered off ends the connection by itself.
        if connection != .disconnected, device.engine.manager?.state == .poweredOn {
            Misuse.report(
                "a peripheral was released while connected or connecting; keep a strong reference while you use it"
            )
        }
        device.execute { device.abandon() }
    }

    /// The delegate; a weak reference.
    open var delegate: (any CBPeripheralDelegate)? {
        get { PropertyLock.read { ownDelegate } }
        set { PropertyLock.replace(newValue) { ownDelegate = $0 } }
    }

    /// The name: the GAP name once it was read, else the advertised name.
    open var name: String? { PropertyLock.read { ownName } }

    /// The last RSSI that was read, in dBm.
    @available(*, deprecated, message: "use peripheral(_:didReadRSSI:error:)")
    open var rssi: NSNumber? { PropertyLock.read { signalStrength } }

    /// The state of the connection.
    open var state: CBPeripheralState { PropertyLock.read { connection } }

    /// The discovered services; nil without a connection.
    open var services: [CBService]? { PropertyLock.read { ownServices } }

    /// True if a write without response would be sent soon; if it is false,
    /// `peripheralIsReady(toSendWriteWithoutResponse:)` reports when it is true again.
    open var canSendWriteWithoutResponse: Bool { state == .connected && device.hasRoomForWrites }

    /// True if the device may use the Apple Notification Center Service; always false on Linux.
    open var ancsAuthorized: Bool { false }

    /// The identifier, the name and the state.
    open override var description: String {
        "<\(Swift.type(of: self)): identifier = \(identifier), name = \(name ?? "(null)"), state = \(state.word)>"
    }

    // MARK: Requests

    /// Reads the RSSI.
    open func readRSSI() { ask("readRSSI()", .signalStrength) }

    /// Discovers services: all of them, or those with the given UUIDs. Generic Access and Generic Attribute are
    /// reserved for the system.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        ask("discoverServices(_:)", .services(serviceUUIDs.flatMap { $0.isEmpty ? nil : $0 }))
    }

    /// Discovers the included services of a service: all of them, or those with the given UUIDs.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        guard let id = attribute(of: service, "discoverIncludedServices(_:for:)") else { return }
        ask("discoverIncludedServices(_:for:)", .included(service, id, includedServiceUUIDs))
    }

    /// Discovers the characteristics of a service: all of them, or those with the given UUIDs.
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

    /// Reads the whole value, with further requests if it does not fit into one response.
    open func readValue(for characteristic: CBCharacteristic) {
        guard let id = attribute(of: characteristic, "readValue(for:)") else { return }
        ask("readValue(for:)", .read(characteristic, id))
    }

    /// Reads a descriptor.
    open func readValue(for descriptor: CBDescriptor) {
        guard let id = attribute(of: descriptor, "readValue(for:)") else { return }
        ask("readValue(for:)", .readDescriptor(descriptor, id))
    }

    /// Returns the maximum length of one write, in octets.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int { device.maximumWriteLength(type) }

    /// Writes a value. With response it may have up to 512 octets, and the delegate is called when it was acknowledged.
    ///
    /// Without response it is written only where the characteristic has the property `writeWithoutResponse`; otherwise
    /// a misuse is reported.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        let command: StaticString = "writeValue(_:for:type:)"
        guard let id = attribute(of: characteristic, command) else { return }
        if type == .withResponse { return ask(command, .write(characteristic, id, [UInt8](data))) }
        guard type == .withoutResponse else {
            return Misuse.report("\(command): unknown write type \(type.rawValue); nothing is written")
        }
        guard isConnected(for: command) else { return }
        guard characteristic.properties.contains(.writeWithoutResponse) else {
            return Misuse.report(
                "\(command): \(characteristic) has no property \"Write Without Response\"; nothing is written")
        }
        guard device.admitWrite() else {
            return Misuse.report(
                "\(command): too many writes are queued; check canSendWriteWithoutResponse. The value is dropped")
        }
        let bytes = [UInt8](data)
        let device = device
        device.executeInline { device.write(bytes, to: id) }
    }

    /// Writes a descriptor. A client characteristic configuration can only be written with `setNotifyValue(_:for:)`.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        let command: StaticString = "writeValue(_:for:)"
        guard let id = attribute(of: descriptor, command) else { return }
        guard descriptor.uuid.model != 0x2902 else {
            return Misuse.report("\(command): use setNotifyValue(_:for:) for the client characteristic configuration")
        }
        ask(command, .writeDescriptor(descriptor, id, [UInt8](data)))
    }

    /// Starts or stops notifications or indications of the value. Where the characteristic has neither the property
    /// `notify` nor `indicate`, starting fails with `CBATTError.requestNotSupported`.
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

    /// Ends a channel sounding session; on Linux there is none, and a misuse is reported.
    open func cancelChannelSoundingSession() {
        Misuse.report("cancelChannelSoundingSession(): there is no session; channel sounding is not supported")
    }

    private func ask(_ command: StaticString, _ operation: PeripheralRequest.Operation) {
        guard isConnected(for: command) else { return }
        device.executeInline(PeripheralRequest(device, operation))
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
            "\(command): the \(kind) \(attribute.uuid.uuidString) does not belong to \(identifier), or no longer does: "
                + "a disconnection or a change of services invalidates discovered attributes")
        return nil
    }

    // MARK: Connecting

    /// Connects, for the manager's `connect`.
    func connect(_ options: ConnectOptions) {
        PropertyLock.read {
            uses += 1
            if connection != .connected { connection = .connecting }
        }
        Observations.changed(self)
        let device = device
        device.execute { device.connect(options) }
    }

    /// Restores a device that was in use when the last run of the program ended: it is being connected again, and has
    /// the services that were known then.
    func restore(_ remembered: [RememberedService]) {
        setState(.connecting)
        guard !remembered.isEmpty else { return }
        setServices(RememberedService.services(remembered, of: self))
        let device = device
        device.execute { device.hasRestoredServices = true }
    }

    func cancelConnection() {
        // Atomically, because the end of the connection may be reported at the same time.
        let use: Int? = PropertyLock.read {
            guard connection == .connecting || connection == .connected else { return nil }
            connection = .disconnecting
            return uses
        }
        Observations.changed(self)
        let device = device
        device.execute { device.cancel(use) }
    }

    func setState(_ state: CBPeripheralState) { PropertyLock.replace(state, of: self) { swap(&connection, &$0) } }

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

    /// Reports a cancelled connection where the adapter had none: that of a device of an earlier run, which was not
    /// requested yet. Does nothing if the end was reported in the meantime.
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

    func setServices(_ services: [CBService]?) { PropertyLock.replace(services, of: self) { swap(&ownServices, &$0) } }

    func setSignalStrength(_ value: NSNumber) { PropertyLock.replace(value, of: self) { signalStrength = $0 } }

    func received(_ data: Data, of characteristic: CBCharacteristic) {
        characteristic.setValue(data)
        delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
    }

    func isReadyToWrite() {
        Observations.changed(self)
        delegate?.peripheralIsReady(toSendWriteWithoutResponse: self)
    }

    /// Stores the advertised name, unless the GAP name is known.
    func noteAdvertisedName(_ name: String?) {
        guard let name, !PropertyLock.read({ hasOwnName || ownName == name }) else { return }
        PropertyLock.replace(name, of: self) { ownName = $0 }
    }

    func nameChanged(_ name: String) {
        let isNew = self.name != name
        PropertyLock.replace(name, of: self) { ownName = $0 }
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

    /// Stores the data known of the device for the next run, if the manager restores its state.
    func noteKnowledge() {
        let device = device
        guard device.engine.remembers else { return }
        device.execute { device.engine.moreIsKnown(of: device) }
    }
}
