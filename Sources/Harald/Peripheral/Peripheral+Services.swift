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
    ///
    /// Where all are asked for and nothing has told the device's ``name`` yet, it is read too.
    @discardableResult
    public func discoverServices(
        _ uuids: [BluetoothUUID]? = nil, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> [Service] {
        let found = try await perform("discover services", timeout: timeout) { link, operation in
            link.discoverServices(uuids, timeout: timeout, completion: operation.complete)
        }
        store.values.withLock { $0.tree.merge(found, complete: uuids == nil) }
        if uuids == nil, name == nil { await learnName(among: found, timeout: timeout) }
        return found.map { Service(peripheral: self, record: $0) }
    }

    /// Reads the Device Name of the Generic Access service (Core 6.0, Vol 3, Part C, 12.1). A device that does not
    /// give it has no name, which is no failure of the discovery.
    private func learnName(among services: [RemoteService], timeout: Duration?) async {
        guard let access = services.first(where: { $0.uuid == 0x1800 })?.id else { return }
        let found = try? await perform("discover the name", timeout: timeout) { link, operation in
            link.discoverCharacteristics(of: access, [0x2A00], timeout: timeout, completion: operation.complete)
        }
        guard let characteristic = found?.first?.id else { return }
        let value = try? await perform("read the name", timeout: timeout) { link, operation in
            link.read(characteristic, timeout: timeout) { operation.complete($0.map(\.array)) }
        }
        // Some fill it up with zeros.
        guard let text = value?.prefix(while: { $0 != 0 }), !text.isEmpty else { return }
        store.values.withLock { $0.name = $0.name ?? String(decoding: text, as: UTF8.self) }
    }

    /// Discovers services, included services, characteristics and descriptors, with as few requests as the device's MTU
    /// allows: much faster than one after the other.
    @discardableResult
    public func discoverAll(timeout: Duration? = .seconds(30)) async throws(BluetoothError) -> [Service] {
        try await perform("discover attributes", timeout: timeout) { link, operation in
            link.discoverDatabase(timeout: timeout, completion: operation.complete)
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
