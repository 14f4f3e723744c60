import BluetoothModel

/// Discovery of characteristics and descriptors (Core 6.0, Vol 3, Part G, 4.6 and 4.7).
extension GATTClient {
    /// Discovers the characteristics of a service: all, or those with a UUID in `filter`. Cached results are returned
    /// without a request.
    @discardableResult
    package func discoverCharacteristics(
        of service: GATTService, _ filter: [BluetoothUUID]? = nil, timeout: Duration? = nil,
        completion: @escaping (Result<[GATTCharacteristic], RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        discoverCharacteristics(of: service, for: operation) { result in
            guard let filter else { return completion(result) }
            completion(result.map { $0.filter { filter.contains($0.uuid) } })
        }
        return operation.id
    }

    /// Discovers all characteristics of a service, because the end of one is known only from the next.
    func discoverCharacteristics(
        of service: GATTService, for operation: ATTOperation,
        completion: @escaping (Result<[GATTCharacteristic], RadioError>) -> Void
    ) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        if let known = cache.entry.characteristics[service.handle] { return completion(.success(known)) }
        confirmHash()
        let generation = cache.generation
        HandleWalk(
            service.range, bearer: bearer, operation: operation,
            request: { .readByType($0, GATTType.characteristic) },
            parse: { (response, asked) throws(RadioError) in
                try DiscoveryResponse.characteristics(response, asked: asked)
            }, onProblem: skipping(.characteristic),
            completion: { [self] result in
                let report = skipping(.characteristic).report
                let result = result.map {
                    let (found, problems) = Self.bounded($0, by: service.range)
                    if !problems.isEmpty { report(problems) }
                    return found
                }
                finish(result, generation, completion) { $0.characteristics[service.handle] = $1 }
            }
        ).start()
    }

    /// Sets the end of each characteristic: the handle before the next declaration, or the end of the service.
    /// Characteristics that are outside, or whose value is, are skipped, so that a value of another characteristic or
    /// service is not read as theirs. The first handle of a service is its own declaration.
    static func bounded(
        _ characteristics: [GATTCharacteristic], by range: ClosedRange<UInt16>
    ) -> (found: [GATTCharacteristic], problems: [GATTDiscoveryProblem]) {
        var found: [GATTCharacteristic] = []
        var problems: [GATTDiscoveryProblem] = []
        for (index, characteristic) in characteristics.enumerated() {
            let isLast = index + 1 == characteristics.count
            var bounded = characteristic
            bounded.endHandle = isLast ? range.upperBound : characteristics[index + 1].declarationHandle - 1
            if bounded.isValueInside, bounded.declarationHandle > range.lowerBound {
                found.append(bounded)
            } else {
                problems.append(
                    GATTDiscoveryProblem(.characteristic, at: bounded.declarationHandle, .valueOutsideService))
            }
        }
        return (found, problems)
    }

    /// Discovers the descriptors of a characteristic. Sends no request if the characteristic has no handles for
    /// descriptors.
    @discardableResult
    package func discoverDescriptors(
        of characteristic: GATTCharacteristic, timeout: Duration? = nil,
        completion: @escaping (Result<[GATTDescriptor], RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        discoverDescriptors(of: characteristic, for: operation, completion: completion)
        return operation.id
    }

    func discoverDescriptors(
        of characteristic: GATTCharacteristic, for operation: ATTOperation,
        completion: @escaping (Result<[GATTDescriptor], RadioError>) -> Void
    ) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        if let known = cache.entry.descriptors[characteristic.valueHandle] { return completion(.success(known)) }
        guard let range = characteristic.descriptorRange else { return completion(.success([])) }
        confirmHash()
        let generation = cache.generation
        HandleWalk(
            range, bearer: bearer, operation: operation, request: { .findInformation($0) },
            parse: { (response, asked) throws(RadioError) in
                try DiscoveryResponse.descriptors(response, asked: asked).withoutDeclarations
            }, onProblem: skipping(.descriptor),
            completion: { [self] in
                finish($0, generation, completion) { $0.descriptors[characteristic.valueHandle] = $1 }
            }
        ).start()
    }
}

extension DiscoveryResponse.Entries<GATTDescriptor> {
    /// The entries without declarations, which are not descriptors and are added to the problems.
    fileprivate var withoutDeclarations: Self {
        var entries = self
        entries.found = found.filter { !$0.isDeclaration }
        entries.problems += found.filter(\.isDeclaration).map {
            GATTDiscoveryProblem(.descriptor, at: $0.handle, .declarationAmongDescriptors)
        }
        return entries
    }
}

extension GATTDescriptor {
    /// True if the attribute declares a service, an included service, or a characteristic.
    fileprivate var isDeclaration: Bool {
        switch uuid {
        case GATTType.primaryService, GATTType.secondaryService, GATTType.include, GATTType.characteristic: true
        default: false
        }
    }
}
