import BluetoothModel

/// Discovery of services (Core 6.0, Vol 3, Part G, 4.4 and 4.5).
extension GATTClient {
    static let allHandles: ClosedRange<UInt16> = 1...0xFFFF
    /// The number of times that a discovery is repeated because the server has changed its services meanwhile.
    private static let mostRepetitions = 3

    /// Discovers the primary services: all, or those with a UUID in `filter`, in the order of their handles. Cached
    /// results are returned without a request.
    ///
    /// Some servers do not support Find By Type Value, or answer it wrongly. If it does not find a service of each
    /// UUID, or a service without a characteristic, all services are discovered, once on a link.
    @discardableResult
    package func discoverServices(
        _ filter: [BluetoothUUID]? = nil, timeout: Duration? = nil,
        completion: @escaping (Result<[GATTService], RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        discoverServices(filter, for: operation) { [self] found in
            guard let filter, isIncomplete(found, filter) else { return completion(found) }
            let generation = cache.generation
            discoverServices(nil, for: operation, isContinuation: true) { [self] all in
                switch all {
                case .success(let all):
                    let services = all.filter { filter.contains($0.uuid) }
                    if services != (try? found.get()) ?? [], generation == cache.generation {
                        bearer.faults.add(.wrongServiceSearch)
                    }
                    completion(.success(services))
                case .failure(.att), .failure(.invalidResponse): completion(found)
                case .failure(let error): completion(.failure(error))
                }
            }
        }
        return operation.id
    }

    /// Returns true if a search by UUID may have missed services.
    private func isIncomplete(_ found: Result<[GATTService], RadioError>, _ filter: [BluetoothUUID]) -> Bool {
        switch found {
        case .success(let found):
            // A service of one handle has no characteristics: servers give the handle of the service as its end.
            cache.entry.services == nil
                && !(filter.allSatisfy { uuid in found.contains { $0.uuid == uuid } }
                    && found.allSatisfy { $0.range.count > 1 })
        case .failure(.att), .failure(.invalidResponse): true
        case .failure: false
        }
    }

    /// - Parameters:
    ///   - repetitions: the number of earlier discoveries of this procedure.
    ///   - isContinuation: true to send the first request before queued ones.
    func discoverServices(
        _ filter: [BluetoothUUID]?, for operation: ATTOperation, repetitions: Int = 0, isContinuation: Bool = false,
        completion: @escaping (Result<[GATTService], RadioError>) -> Void
    ) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        if let known = cache.entry.services {
            return completion(.success(filter.map { filter in known.filter { filter.contains($0.uuid) } } ?? known))
        }
        confirmHash()
        let generation = cache.generation
        let completion = { [self] (result: Result<[GATTService], RadioError>) in
            // Services that were received before a change may no longer exist.
            if case .success = result, generation != cache.generation, repetitions < Self.mostRepetitions {
                discoverServices(filter, for: operation, repetitions: repetitions + 1, completion: completion)
            } else {
                completion(result)
            }
        }
        let isContinuation = isContinuation || repetitions > 0
        if let filter {
            var seen: Set<BluetoothUUID> = []
            let wanted = filter.filter { seen.insert($0).inserted }
            return findServices(
                wanted[...], found: [], for: operation, isContinuation: isContinuation, completion: completion)
        }
        HandleWalk(
            Self.allHandles, bearer: bearer, operation: operation,
            request: { .readByGroupType($0, GATTType.primaryService) },
            parse: { (response, asked) throws(RadioError) in
                try DiscoveryResponse.services(response, asked: asked)
            }, onProblem: skipping(.service),
            completion: { [self] in finish($0, generation, completion) { $0.services = $1 } }
        ).start(asContinuation: isContinuation)
    }

    /// Discovers all secondary services, in the order of their handles. The specification has no procedure for this,
    /// but servers support Read By Group Type for both kinds of service (Core 6.0, Vol 3, Part G, 3.1).
    @discardableResult
    package func discoverSecondaryServices(
        timeout: Duration? = nil, completion: @escaping (Result<[GATTService], RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        guard isOpen else {
            completion(.failure(.notConnected))
            return operation.id
        }
        if let known = cache.entry.secondaryServices {
            completion(.success(known))
            return operation.id
        }
        confirmHash()
        let generation = cache.generation
        HandleWalk(
            Self.allHandles, bearer: bearer, operation: operation,
            request: { .readByGroupType($0, GATTType.secondaryService) },
            parse: { (response, asked) throws(RadioError) in
                try DiscoveryResponse.services(response, asked: asked, isPrimary: false)
            }, onProblem: skipping(.service),
            completion: { [self] result in
                // A server is not required to support this group type.
                if case .failure(.att) = result { return completion(.success([])) }
                finish(result, generation, completion) { $0.secondaryServices = $1 }
            }
        ).start()
        return operation.id
    }

    /// The violations of the specification that discoveries on this link skipped: the first
    /// ``GATTCacheEntry/maximumProblems`` of them, and their total count. A database from the cache includes its
    /// problems.
    package var discoveryProblems: (first: [GATTDiscoveryProblem], count: Int) {
        (cache.entry.problems, cache.entry.problemCount)
    }

    /// Returns the arguments with which a discovery of `kind` skips problems and records them.
    func skipping(
        _ kind: GATTDiscoveryProblem.Kind
    ) -> (kind: GATTDiscoveryProblem.Kind, report: ([GATTDiscoveryProblem]) -> Void) {
        let generation = cache.generation
        return (kind, { [self] problems in cache.record(generation) { $0.add(problems) } })
    }

    /// Finds the services of one UUID after another; there may be several for each.
    private func findServices(
        _ wanted: ArraySlice<BluetoothUUID>, found: [GATTService], for operation: ATTOperation, isContinuation: Bool,
        completion: @escaping (Result<[GATTService], RadioError>) -> Void
    ) {
        guard let uuid = wanted.first else {
            return completion(.success(found.sorted { $0.handle < $1.handle }))
        }
        HandleWalk(
            Self.allHandles, bearer: bearer, operation: operation,
            request: { .findByTypeValue($0, type: 0x2800, value: uuid) },
            parse: { (response, asked) throws(RadioError) in
                try DiscoveryResponse.ranges(response, asked: asked)
            }, onProblem: skipping(.service),
            completion: { [self] result in
                switch result {
                case .success(let ranges):
                    let services = ranges.map { GATTService(uuid: uuid, range: $0) }
                    findServices(
                        wanted.dropFirst(), found: found + services, for: operation, isContinuation: true,
                        completion: completion)
                case .failure(let error):
                    completion(.failure(error))
                }
            }
        ).start(asContinuation: isContinuation)
    }

    /// Discovers the services that `service` includes. Each one with a 128-bit UUID costs one more read.
    @discardableResult
    package func discoverIncludedServices(
        of service: GATTService, timeout: Duration? = nil,
        completion: @escaping (Result<[GATTIncludedService], RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        guard isOpen else {
            completion(.failure(.notConnected))
            return operation.id
        }
        if let known = cache.entry.includedServices[service.handle] {
            completion(.success(known))
            return operation.id
        }
        confirmHash()
        let generation = cache.generation
        HandleWalk(
            service.range, bearer: bearer, operation: operation, request: { .readByType($0, GATTType.include) },
            parse: { (response, asked) throws(RadioError) in
                try DiscoveryResponse.includes(response, asked: asked)
            }, onProblem: skipping(.includedService),
            completion: { [self] result in
                switch result {
                case .failure(let error): completion(.failure(error))
                case .success(let includes):
                    readIncludedUUIDs(includes[...], found: [], for: operation) { [self] in
                        finish($0, generation, completion) { $0.includedServices[service.handle] = $1 }
                    }
                }
            }
        ).start()
        return operation.id
    }

    private func readIncludedUUIDs(
        _ includes: ArraySlice<(handle: UInt16, range: ClosedRange<UInt16>, uuid: BluetoothUUID?)>,
        found: [GATTIncludedService], for operation: ATTOperation,
        completion: @escaping (Result<[GATTIncludedService], RadioError>) -> Void
    ) {
        guard let next = includes.first else { return completion(.success(found)) }
        let goOn = { [self] (uuid: BluetoothUUID) in
            let isPrimary = cache.entry.services?.contains { $0.range == next.range } ?? false
            let service = GATTService(uuid: uuid, range: next.range, isPrimary: isPrimary)
            readIncludedUUIDs(
                includes.dropFirst(), found: found + [GATTIncludedService(handle: next.handle, service: service)],
                for: operation, completion: completion)
        }
        if let uuid = next.uuid { return goOn(uuid) }
        let report = skipping(.includedService).report
        bearer.proceed(.read(next.range.lowerBound), for: operation) { [self] result in
            switch result {
            case .success(let value):
                if let uuid = BluetoothUUID(littleEndian: value) { return goOn(uuid) }
            case .failure(.att): break
            case .failure(let error): return completion(.failure(error))
            }
            report([GATTDiscoveryProblem(.includedService, at: next.handle, .unreadableUUID)])
            readIncludedUUIDs(includes.dropFirst(), found: found, for: operation, completion: completion)
        }
    }
}
