import BluetoothBackend

/// A service of a peripheral.
public final class Service: Sendable {
    /// The peripheral that contains the service.
    public let peripheral: Peripheral
    let record: RemoteService

    init(peripheral: Peripheral, record: RemoteService) {
        self.peripheral = peripheral
        self.record = record
    }

    /// The UUID.
    public var uuid: BluetoothUUID { record.uuid }
    /// The handle of the declaration; a number of this program if the platform hides handles. It distinguishes two
    /// services with the same UUID.
    public var handle: AttributeID { record.id }
    /// True for a primary service, false for a secondary one.
    public var isPrimary: Bool { record.isPrimary }
    /// The name that the driver gave, or the assigned name.
    public var name: String? {
        peripheral.names.entries.first { $0.value.service == uuid }?.key ?? AssignedNumbers.serviceName(uuid)
    }

    /// The discovered characteristics, in the order of the device.
    public var characteristics: [Characteristic] {
        let id = record.id
        return peripheral.store.get { $0.tree.service(id)?.characteristics ?? [] }
            .map { Characteristic(service: self, record: $0.record) }
    }

    /// The included services that were discovered.
    public var includedServices: [Service] {
        let id = record.id
        return peripheral.store.get { $0.tree.service(id)?.included ?? [] }
            .map { Service(peripheral: peripheral, record: $0) }
    }

    /// The first discovered characteristic that `key` stands for; nil if it was not discovered.
    public subscript(_ key: AttributeKey) -> Characteristic? {
        guard let uuid = key.uuid(names: peripheral.names, in: uuid, among: .characteristic) else { return nil }
        return characteristics.first { $0.uuid == uuid }
    }

    /// Discovers the characteristics: all of them, or those with the given UUIDs.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected`, `timeout`, `cancelled`, `att` with
    ///   the device's error, or `invalidResponse`.
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

    /// Discovers the included services.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected`, `timeout`, `cancelled`, `att` with
    ///   the device's error, or `invalidResponse`.
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

    /// Returns the characteristic that `key` stands for, and discovers it if it is not yet known.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the service has no such characteristic; otherwise as
    ///   ``discoverCharacteristics(_:timeout:)``.
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

    /// Returns one stream of the values of all characteristics that notify or indicate. Discovers the characteristics
    /// where needed.
    ///
    /// The stream ends with the link, or continues after a reconnection where the peripheral reconnects by itself.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if no characteristic notifies or indicates; otherwise
    ///   as ``discoverCharacteristics(_:timeout:)``.
    public func notifications(
        buffering policy: BufferingPolicy = .newest(256)
    ) async throws(BluetoothError) -> BluetoothStream<CharacteristicUpdate> {
        try await notifications(buffering: policy, holdsConfirmations: false)
    }

    /// Returns the same stream. With `holdsConfirmations` an indication is confirmed only by
    /// ``HeldConfirmation/confirm()`` of its ``CharacteristicUpdate/confirmation``, where the platform leaves
    /// confirmations to the program.
    /// - Throws: ``BluetoothError`` as ``notifications(buffering:)`` does.
    package func notifications(
        buffering policy: BufferingPolicy, holdsConfirmations: Bool
    ) async throws(BluetoothError) -> BluetoothStream<CharacteristicUpdate> {
        let id = record.id
        let areAllKnown = peripheral.store.get { $0.tree.service(id)?.isComplete ?? false }
        let all = areAllKnown ? characteristics : try await discoverCharacteristics()
        let offered = all.filter { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
        guard !offered.isEmpty else {
            throw BluetoothError(
                .unsupported, operation: "subscribe to service \(uuid) of \(peripheral.store.label)",
                reason: "none of its characteristics supports notifications or indications")
        }
        return Characteristic.merged(offered, policy: policy, holdsConfirmations: holdsConfirmations)
    }
}

extension Service: Hashable, CustomStringConvertible {
    /// Returns true if both are the same attribute of the same peripheral.
    public static func == (left: Service, right: Service) -> Bool {
        left.record == right.record && left.peripheral == right.peripheral
    }

    /// Hashes the attribute.
    public func hash(into hasher: inout Hasher) { hasher.combine(record) }

    /// UUID and name: "180F Battery Service".
    public var description: String { name.map { "\(uuid) \($0)" } ?? uuid.description }
}
