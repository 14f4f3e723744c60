import BluetoothBackend

extension Peripheral {
    /// The services that were discovered, in the order of the device.
    public var services: [Service] {
        store.get { $0.tree.services.map(\.record) }.map { Service(peripheral: self, record: $0) }
    }

    /// The attributes that the discoveries skipped because they break the specification, the first 64 of them: services
    /// that overlap, characteristics whose value is outside of their service, and the like. Everything else can be
    /// used.
    ///
    /// They belong to the last connection. Where the operating system discovers by itself, there are none.
    public var skippedAttributes: [SkippedAttribute] { store.get { $0.skipped.first } }

    /// How many attributes the discoveries skipped: more than ``skippedAttributes`` has where those are more than 64.
    public var skippedAttributeCount: Int { store.get { $0.skipped.count } }

    /// Discovers with `start`, and notes what was skipped.
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

    /// Discovers the secondary services, which are there to be included by others. Where the operating system discovers
    /// by itself, there are none but those that services include.
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

    /// Reads the Device Name of the Generic Access service (Core 6.0, Vol 3, Part C, 12.1). A device that does not
    /// give it has no name, which is no failure of the discovery.
    private func learnName(among services: [RemoteService], by deadline: Deadline) async {
        guard let access = services.first(where: { $0.uuid == 0x1800 })?.id else { return }
        let found = try? await perform("discover the name", by: deadline) { link, left, operation in
            link.discoverCharacteristics(of: access, [0x2A00], timeout: left, completion: operation.complete)
        }
        guard let characteristic = found?.first?.id else { return }
        let value = try? await perform("read the name", by: deadline) { link, left, operation in
            link.read(characteristic, timeout: left) { operation.complete($0.map(\.array)) }
        }
        // Some fill it up with zeros.
        guard let text = value?.prefix(while: { $0 != 0 }), !text.isEmpty else { return }
        store.values.withLock { $0.name = $0.name ?? String(decoding: text, as: UTF8.self) }
    }

    /// Discovers services, included services, characteristics and descriptors, with as few requests as the device's MTU
    /// allows: much faster than one after the other.
    /// - Parameter timeout: when to give up all of it.
    /// - Returns: the primary services. The secondary ones that they include, and what those have, are discovered too:
    ///   ``services`` has all of them.
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

    /// Discovers what services have, and the secondary services that they include, each once.
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

    /// The service that `key` names, discovered where it is not yet known.
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

    /// The characteristic that one key names, in whichever service it is; discovered where it is not yet known.
    ///
    /// All services are looked through, so that the answer does not depend on what was discovered before.
    /// - Throws: ``BluetoothError`` with the code `notFound` where no service has it, and where several have it: then
    ///   ``characteristic(_:_:timeout:)`` names the service too.
    public func characteristic(
        _ key: AttributeKey, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> Characteristic {
        let operation = "find characteristic \(key) of \(store.label)"
        var (found, isName): ([Characteristic], Bool) = ([], false)
        let all = try await discoverServices(timeout: timeout)
        for service in all {
            guard let uuid = key.uuid(names: names, in: service.uuid, among: .characteristic) else { continue }
            isName = true
            let known = service.characteristics.filter { $0.uuid == uuid }
            found += known.isEmpty ? try await service.discoverCharacteristics([uuid], timeout: timeout) : known
        }
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            throw BluetoothError(
                .notFound, operation: operation, reason: "\(found.count) characteristics fit",
                advice: "name the service too: "
                    + found.map { "\($0.service.uuid)/\($0.uuid)" }.joined(separator: ", "))
        }
        throw BluetoothError(
            .notFound, operation: operation,
            reason: isName ? "no service has such a characteristic" : "no characteristic has that name",
            advice: "its services are " + all.map(\.uuid.description).joined(separator: ", "))
    }

    /// The characteristic that two keys name, discovered where it is not yet known.
    public func characteristic(
        _ service: AttributeKey, _ characteristic: AttributeKey, timeout: Duration? = .seconds(30)
    ) async throws(BluetoothError) -> Characteristic {
        let deadline = Deadline(timeout, on: radio.loop)
        return try await self.service(service, by: deadline).characteristic(characteristic, by: deadline)
    }
}
