import BluetoothBackend

extension Peripheral {
    /// The services that were discovered, in the order of the device.
    public var services: [Service] {
        store.get { $0.tree.services.map(\.record) }.map { Service(peripheral: self, record: $0) }
    }

    /// A stream of its own each time: the device changed its attributes, and these services, once discovered, are void.
    public var serviceChanges: BluetoothStream<[BluetoothUUID]> { store.serviceChanges.stream() }

    /// The first discovered service that `key` names; nil where it was not discovered.
    public subscript(_ key: AttributeKey) -> Service? {
        guard let uuid = key.uuid(names: names, in: nil, among: .service) else { return nil }
        return services.first { $0.uuid == uuid }
    }

    /// Discovers the primary services: all of them, or those asked for, which costs less.
    @discardableResult
    public func discoverServices(
        _ uuids: [BluetoothUUID]? = nil, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> [Service] {
        let found = try await perform("discover services", timeout: timeout) { link, completion in
            link.discoverServices(uuids, timeout: timeout, completion: completion)
        }
        store.values.withLock { $0.tree.merge(found, complete: uuids == nil) }
        return found.map { Service(peripheral: self, record: $0) }
    }

    /// Discovers services, included services, characteristics and descriptors, with as few requests as the device's MTU
    /// allows: much faster than one after the other.
    @discardableResult
    public func discoverAll(timeout: Duration? = .seconds(30)) async throws(BluetoothError) -> [Service] {
        try await perform("discover attributes", timeout: timeout) { link, completion in
            link.discoverDatabase(timeout: timeout, completion: completion)
        }
        let found = try await discoverServices(timeout: timeout)
        for service in found {
            try await service.discoverIncludedServices(timeout: timeout)
            for characteristic in try await service.discoverCharacteristics(timeout: timeout) {
                try await characteristic.discoverDescriptors(timeout: timeout)
            }
        }
        return found
    }

    /// The service that `key` names, discovered where it is not yet known.
    public func service(
        _ key: AttributeKey, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> Service {
        if let known = self[key] { return known }
        let uuid = key.uuid(names: names, in: nil, among: .service)
        let found = try await discoverServices(uuid.map { [$0] }, timeout: timeout)
        if let uuid, let service = found.first(where: { $0.uuid == uuid }) { return service }
        let all = uuid == nil ? found : try await discoverServices(timeout: timeout)
        throw BluetoothError(
            .notFound, operation: "find service \(key) of \(store.label)",
            reason: uuid == nil ? "no service has that name" : "the device has no such service",
            advice: "it has " + all.map(\.uuid.description).joined(separator: ", "))
    }

    /// The characteristic that two keys name, discovered where it is not yet known.
    public func characteristic(
        _ service: AttributeKey, _ characteristic: AttributeKey, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> Characteristic {
        try await self.service(service, timeout: timeout).characteristic(characteristic, timeout: timeout)
    }
}
