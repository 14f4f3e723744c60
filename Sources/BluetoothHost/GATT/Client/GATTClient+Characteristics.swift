import BluetoothModel

/// Discovery of characteristics and their descriptors (Core 6.0, Vol 3, Part G, 4.6 and 4.7).
extension GATTClient {
    /// Finds the characteristics of a service: all of them, or those with one of the UUIDs in `filter`. What is known
    /// for sure from before is not asked for again.
    @discardableResult
    public func discoverCharacteristics(
        of service: GATTService, _ filter: [BluetoothUUID]? = nil, timeout: Duration? = nil,
        completion: @escaping (Result<[GATTCharacteristic], RadioError>) -> Void
    ) -> ATTOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        discoverCharacteristics(of: service, for: operation) { result in
            guard let filter else { return completion(result) }
            completion(result.map { $0.filter { filter.contains($0.uuid) } })
        }
        return operation.id
    }

    /// Always all of them: where one ends is known only with the next.
    func discoverCharacteristics(
        of service: GATTService, for operation: ATTOperation,
        completion: @escaping (Result<[GATTCharacteristic], RadioError>) -> Void
    ) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        if let known = cache.entry.characteristics[service.handle] { return completion(.success(known)) }
        let generation = cache.generation
        HandleWalk(
            service.range, bearer: bearer, operation: operation,
            request: { .readByType($0, GATTType.characteristic) },
            parse: { (response, asked) throws(RadioError) in
                let found = try DiscoveryResponse.characteristics(response, asked: asked)
                return (found, found.last?.valueHandle ?? 0)
            },
            completion: { [self] result in
                let result = result.map { Self.bounded($0, by: service.range) }
                if case .success(let found) = result {
                    cache.record(generation) { $0.characteristics[service.handle] = found }
                }
                completion(result)
            }
        ).start()
    }

    /// Each ends where the next begins.
    static func bounded(
        _ characteristics: [GATTCharacteristic], by range: ClosedRange<UInt16>
    ) -> [GATTCharacteristic] {
        var bounded = characteristics
        for index in bounded.indices {
            let isLast = index + 1 == bounded.count
            bounded[index].endHandle = isLast ? range.upperBound : bounded[index + 1].declarationHandle - 1
        }
        return bounded
    }

    /// Finds the descriptors of a characteristic; asks for nothing where no handle is left for one.
    @discardableResult
    public func discoverDescriptors(
        of characteristic: GATTCharacteristic, timeout: Duration? = nil,
        completion: @escaping (Result<[GATTDescriptor], RadioError>) -> Void
    ) -> ATTOperationID {
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
        let generation = cache.generation
        HandleWalk(
            range, bearer: bearer, operation: operation, request: { .findInformation($0) },
            parse: { (response, asked) throws(RadioError) in
                let descriptors = try DiscoveryResponse.descriptors(response, asked: asked)
                return (descriptors, descriptors.last?.handle ?? 0)
            },
            completion: { [self] result in
                if case .success(let found) = result {
                    cache.record(generation) { $0.descriptors[characteristic.valueHandle] = found }
                }
                completion(result)
            }
        ).start()
    }
}
