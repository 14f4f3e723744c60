import BluetoothBackend

extension Peripheral {
    /// The discovered services, in the order of the device.
    public var services: [Service] {
        store.get { $0.tree.services.map(\.record) }.map { Service(peripheral: self, record: $0) }
    }

    /// The attributes that discovery skipped because they violate the specification, the first 64 of them: overlapping
    /// services, characteristics whose value is outside of their service, and the like. Everything else can be used.
    ///
    /// The list belongs to the last connection. It is empty if the operating system performs the discovery.
    public var skippedAttributes: [SkippedAttribute] { store.get { $0.skipped.first } }

    /// The number of attributes that discovery skipped. It may exceed the 64 of ``skippedAttributes``.
    public var skippedAttributeCount: Int { store.get { $0.skipped.count } }

    /// Discovers with `start`, and records the skipped attributes.
    func discover<Value: Sendable>(
        _ what: @autoclosure () -> String, by deadline: Deadline,
        _ start:
            @escaping @Sendable (
                any PeripheralLink, Duration?, @escaping (Result<Value, RadioError>) -> Void
            ) -> OperationID
    ) async throws(BluetoothError) -> Value {
        let store = store
        return try await perform(what(), by: deadline) { link, left, operation in
            start(link, left) { result in
                store.values.withLock { $0.skipped = link.skippedAttributes }
                operation.complete(result)
            }
        }
    }

    /// A new stream for each access: the UUIDs of discovered services that became invalid because the device changed
    /// its attributes. It ends when the central is closed.
    public var serviceChanges: BluetoothStream<[BluetoothUUID]> { store.serviceChanges.stream() }

    /// The first discovered service that `key` stands for; nil if it was not discovered.
    public subscript(_ key: AttributeKey) -> Service? {
        guard let uuid = key.uuid(names: names, in: nil, among: .service) else { return nil }
        return services.first { $0.uuid == uuid }
    }

    /// Discovers the primary services: all of them, or those with the given UUIDs, which takes fewer requests.
    ///
    /// A discovery of all services also reads the device's ``name`` if it is not known yet.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected`, `timeout`, `cancelled`, `att` with
    ///   the device's error, or `invalidResponse`.
    @discardableResult
    public func discoverServices(
        _ uuids: [BluetoothUUID]? = nil, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> [Service] {
        try await discoverServices(uuids, by: Deadline(timeout, on: radio.loop))
    }

    func discoverServices(
        _ uuids: [BluetoothUUID]? = nil, by deadline: Deadline
    ) async throws(BluetoothError) -> [Service] {
        let found = try await discover("discover services", by: deadline) { link, left, completion in
            link.discoverServices(uuids, timeout: left, completion: completion)
        }
        store.values.withLock { $0.tree.merge(found, complete: uuids == nil) }
        if uuids == nil, name == nil { await learnName(among: found, by: deadline) }
        return found.map { Service(peripheral: self, record: $0) }
    }

    /// Discovers the secondary services, which exist to be included by others. Where the operating system performs the
    /// discovery, only included ones are found.
    /// - Throws: ``BluetoothError`` as ``discoverServices(_:timeout:)`` does.
    @discardableResult
    public func discoverSecondaryServices(
        timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> [Service] {
        let deadline = Deadline(timeout, on: radio.loop)
        let found = try await discover("discover secondary services", by: deadline) { link, left, completion in
            link.discoverSecondaryServices(timeout: left, completion: completion)
        }
        store.values.withLock { values in
            for record in found { values.tree.add(record) }
        }
        return found.map { Service(peripheral: self, record: $0) }
    }

    /// Reads the Device Name of the Generic Access service (Core 6.0, Vol 3, Part C, 12.1). A failure leaves the name
    /// nil and does not fail the discovery.
    private func learnName(among services: [RemoteService], by deadline: Deadline) async {
        guard let access = services.first(where: { $0.uuid == 0x1800 })?.id else { return }
        let found = try? await perform("discover the name", by: deadline) { link, left, operation in
            link.discoverCharacteristics(of: access, [0x2A00], timeout: left, completion: operation.complete)
        }
        guard let characteristic = found?.first?.id else { return }
        let value = try? await perform("read the name", by: deadline) { link, left, operation in
            link.read(characteristic, timeout: left) { operation.complete($0.map(\.array)) }
        }
        // Some devices pad the name with zeros.
        guard let text = value?.prefix(while: { $0 != 0 }), !text.isEmpty else { return }
        store.values.withLock { $0.name = $0.name ?? String(decoding: text, as: UTF8.self) }
    }

    /// Discovers services, included services, characteristics and descriptors, with as few requests as the device's MTU
    /// allows: much faster than separate discoveries.
    /// - Parameter timeout: the timeout of the whole discovery.
    /// - Returns: the primary services. The secondary services that they include, with their contents, are discovered
    ///   too: ``services`` contains all of them.
    /// - Throws: ``BluetoothError`` as ``discoverServices(_:timeout:)`` does.
    @discardableResult
    public func discoverAll(timeout: Duration? = .seconds(30)) async throws(BluetoothError) -> [Service] {
        let deadline = Deadline(timeout, on: radio.loop)
        try await discover("discover attributes", by: deadline) { link, left, completion in
            link.discoverDatabase(timeout: left, completion: completion)
        }
        let found = try await discoverServices(by: deadline)
        try await discoverContents(of: found, by: deadline)
        return found
    }

    /// Discovers the contents of services, and of the secondary services that they include, each once.
    /// - Throws: ``BluetoothError`` as ``discoverServices(_:timeout:)`` does.
    package func discoverContents(of services: [Service], timeout: Duration?) async throws(BluetoothError) {
        try await discoverContents(of: services, by: Deadline(timeout, on: radio.loop))
    }

    private func discoverContents(of services: [Service], by deadline: Deadline) async throws(BluetoothError) {
        var waiting = services
        var seen = Set(services)
        while !waiting.isEmpty {
            let service = waiting.removeFirst()
            let included = try await service.discoverIncludedServices(by: deadline)
            for characteristic in try await service.discoverCharacteristics(by: deadline) {
                try await characteristic.discoverDescriptors(by: deadline)
            }
            waiting += included.filter { !$0.isPrimary && seen.insert($0).inserted }
        }
    }

    /// Returns the service that `key` stands for, and discovers it if it is not yet known.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device has no such service; otherwise as
    ///   ``discoverServices(_:timeout:)``.
    public func service(
        _ key: AttributeKey, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> Service {
        try await service(key, by: Deadline(timeout, on: radio.loop))
    }

    private func service(_ key: AttributeKey, by deadline: Deadline) async throws(BluetoothError) -> Service {
        if let known = self[key] { return known }
        let uuid = key.uuid(names: names, in: nil, among: .service)
        let found = try await discoverServices(uuid.map { [$0] }, by: deadline)
        if let uuid, let service = found.first(where: { $0.uuid == uuid }) { return service }
        let all = uuid == nil ? found : try await discoverServices(by: deadline)
        throw BluetoothError(
            .notFound, operation: "find service \(key) of \(store.label)",
            reason: uuid == nil ? "no service has that name" : "the device has no such service",
            advice: "it has " + all.map(\.uuid.description).joined(separator: ", "))
    }

    /// Returns the characteristic that one key stands for, in any service; discovers it if it is not yet known.
    ///
    /// All services are searched, so that the result does not depend on what was discovered before.
    /// - Throws: ``BluetoothError`` with the code `notFound` if no service has it, and if several have it: then use
    ///   ``characteristic(_:_:timeout:)``, which names the service too. Otherwise as ``discoverServices(_:timeout:)``.
    public func characteristic(
        _ key: AttributeKey, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> Characteristic {
        let operation = "find characteristic \(key) of \(store.label)"
        let deadline = Deadline(timeout, on: radio.loop)
        var (found, isName): ([Characteristic], Bool) = ([], false)
        let all = try await discoverServices(by: deadline)
        for service in all {
            guard let uuid = key.uuid(names: names, in: service.uuid, among: .characteristic) else { continue }
            isName = true
            let known = service.characteristics.filter { $0.uuid == uuid }
            found += known.isEmpty ? try await service.discoverCharacteristics([uuid], by: deadline) : known
        }
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            throw BluetoothError(
                .notFound, operation: operation, reason: "\(found.count) characteristics match",
                advice: "name the service too: "
                    + found.map { "\($0.service.uuid)/\($0.uuid)" }.joined(separator: ", "))
        }
        throw BluetoothError(
            .notFound, operation: operation,
            reason: isName ? "no service has such a characteristic" : "no characteristic has that name",
            advice: "its services are " + all.map(\.uuid.description).joined(separator: ", "))
    }

    /// Returns the characteristic that two keys stand for, and discovers it if it is not yet known.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device has no such service or characteristic;
    ///   otherwise as ``discoverServices(_:timeout:)``.
    public func characteristic(
        _ service: AttributeKey, _ characteristic: AttributeKey, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> Characteristic {
        let deadline = Deadline(timeout, on: radio.loop)
        return try await self.service(service, by: deadline).characteristic(characteristic, by: deadline)
    }
}
