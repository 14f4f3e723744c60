import BluetoothBackend

/// A service of a peripheral.
public final class Service: Sendable {
    /// The peripheral that has it.
    public let peripheral: Peripheral
    let record: RemoteService

    init(peripheral: Peripheral, record: RemoteService) {
        self.peripheral = peripheral
        self.record = record
    }

    /// What it is.
    public var uuid: BluetoothUUID { record.uuid }
    /// The attribute that declares it: its handle, where the platform shows handles. Two services with one UUID differ
    /// in it.
    public var attribute: AttributeID { record.id }
    /// Whether it is primary.
    public var isPrimary: Bool { record.isPrimary }
    /// What it is called: the driver's name, or the assigned one.
    public var name: String? {
        peripheral.names.entries.first { $0.value.service == uuid }?.key ?? AssignedNumbers.serviceName(uuid)
    }

    /// The characteristics that were discovered, in the order of the device.
    public var characteristics: [Characteristic] {
        let id = record.id
        return peripheral.store.get { $0.tree.service(id)?.characteristics ?? [] }
            .map { Characteristic(service: self, record: $0.record) }
    }

    /// The services that it includes, as far as discovered.
    public var includedServices: [Service] {
        let id = record.id
        return peripheral.store.get { $0.tree.service(id)?.included ?? [] }
            .map { Service(peripheral: peripheral, record: $0) }
    }

    /// The first discovered characteristic that `key` names; nil where it was not discovered.
    public subscript(_ key: AttributeKey) -> Characteristic? {
        guard let uuid = key.uuid(names: peripheral.names, in: uuid, among: .characteristic) else { return nil }
        return characteristics.first { $0.uuid == uuid }
    }

    /// Discovers the characteristics: all of them, or those asked for.
    @discardableResult
    public func discoverCharacteristics(
        _ uuids: [BluetoothUUID]? = nil, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> [Characteristic] {
        try await discoverCharacteristics(uuids, by: Deadline(timeout, on: peripheral.radio.loop))
    }

    @discardableResult
    func discoverCharacteristics(
        _ uuids: [BluetoothUUID]? = nil, by deadline: Deadline
    ) async throws(BluetoothError) -> [Characteristic] {
        let id = record.id
        let found = try await peripheral.discover("discover characteristics of \(uuid)", by: deadline) {
            link, left, completion in
            link.discoverCharacteristics(of: id, uuids, timeout: left, completion: completion)
        }
        peripheral.store.values.withLock { $0.tree.setCharacteristics(found, of: id, complete: uuids == nil) }
        return found.map { Characteristic(service: self, record: $0) }
    }

    /// Discovers the services that it includes.
    @discardableResult
    public func discoverIncludedServices(
        timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> [Service] {
        try await discoverIncludedServices(by: Deadline(timeout, on: peripheral.radio.loop))
    }

    @discardableResult
    func discoverIncludedServices(by deadline: Deadline) async throws(BluetoothError) -> [Service] {
        let id = record.id
        let found = try await peripheral.discover("discover services included by \(uuid)", by: deadline) {
            link, left, completion in
            link.discoverIncludedServices(of: id, timeout: left, completion: completion)
        }
        peripheral.store.values.withLock { $0.tree.setIncluded(found, of: id) }
        return found.map { Service(peripheral: peripheral, record: $0) }
    }

    /// The characteristic that `key` names, discovered where it is not yet known.
    public func characteristic(
        _ key: AttributeKey, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> Characteristic {
        try await characteristic(key, by: Deadline(timeout, on: peripheral.radio.loop))
    }

    func characteristic(_ key: AttributeKey, by deadline: Deadline) async throws(BluetoothError) -> Characteristic {
        if let known = self[key] { return known }
        let wanted = key.uuid(names: peripheral.names, in: uuid, among: .characteristic)
        let found = try await discoverCharacteristics(by: deadline)
        if let wanted, let characteristic = found.first(where: { $0.uuid == wanted }) { return characteristic }
        throw BluetoothError(
            .notFound, operation: "find characteristic \(key) in service \(uuid) of \(peripheral.store.label)",
            reason: wanted == nil ? "no characteristic has that name" : "the service has no such characteristic",
            advice: "it has " + found.map(\.uuid.description).joined(separator: ", "))
    }

    /// The values of all its characteristics that notify or indicate, in one stream; it discovers them where needed.
    ///
    /// The stream ends with the link, or goes on after a reconnection where the peripheral reconnects by itself.
    public func notifications(
        buffering policy: BufferingPolicy = .newest(256)
    ) async throws(BluetoothError) -> BluetoothStream<Notification> {
        try await notifications(buffering: policy, holdsConfirmations: false)
    }

    /// The same. With `holdsConfirmations` an indication is confirmed only when its ``Notification/confirmation`` is,
    /// where the platform leaves that to us.
    package func notifications(
        buffering policy: BufferingPolicy, holdsConfirmations: Bool
    ) async throws(BluetoothError) -> BluetoothStream<Notification> {
        let all = characteristics.isEmpty ? try await discoverCharacteristics() : characteristics
        let offered = all.filter { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
        guard !offered.isEmpty else {
            throw BluetoothError(
                .unsupported, operation: "subscribe to service \(uuid) of \(peripheral.store.label)",
                reason: "none of its characteristics notifies or indicates")
        }
        return Characteristic.merged(offered, policy: policy, holdsConfirmations: holdsConfirmations)
    }
}

extension Service: Hashable, CustomStringConvertible {
    /// Whether both are the same attribute of the same peripheral.
    public static func == (left: Service, right: Service) -> Bool {
        left.record == right.record && left.peripheral == right.peripheral
    }

    /// Feeds the attribute.
    public func hash(into hasher: inout Hasher) { hasher.combine(record) }

    /// UUID and name: "180F Battery Service".
    public var description: String { name.map { "\(uuid) \($0)" } ?? uuid.description }
}
