import BluetoothModel

/// The client characteristic configuration (Core 6.0, Vol 3, Part G, 3.3.3.3).
extension GATTClient {
    /// Writes the client configuration of a characteristic. Its descriptor is discovered where it is not known.
    ///
    /// The values that the server then sends are delivered to ``onValue``. The client itself needs the indications of
    /// Service Changed, so these stay enabled.
    /// - Parameters:
    ///   - isNext: true to send the write before the requests that wait. A write after a discovery always is.
    ///   - isWanted: called before the write; if it returns false, nothing is written, and the error is `cancelled`.
    package func configure(
        _ characteristic: GATTCharacteristic, _ value: GATTSubscription, isNext: Bool = false,
        isWanted: @escaping () -> Bool = { true }, completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let value = characteristic.valueHandle == changedHandle ? value.union(.indications) : value
        let operation = bearer.makeOperation(timeout: nil, hasCaller: false)
        configure(
            characteristic, value, for: operation, isNext: isNext, isWanted: isWanted, completion: completion)
    }

    func configure(
        _ characteristic: GATTCharacteristic, _ value: GATTSubscription, for operation: ATTOperation,
        isNext: Bool = false, isWanted: @escaping () -> Bool = { true },
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        var isNext = isNext
        discoverDescriptors(of: characteristic, for: operation) { [self] result in
            let descriptors: [GATTDescriptor]
            switch result {
            case .success(let found): descriptors = found
            case .failure(let error): return completion(.failure(error))
            }
            guard let descriptor = descriptors.first(where: { $0.uuid == GATTType.clientConfiguration }) else {
                return completion(
                    .failure(.unsupported("the characteristic has no client characteristic configuration")))
            }
            guard isWanted() else { return completion(.failure(.cancelled)) }
            let request = ATTRequest.write(descriptor.handle, [UInt8(truncatingIfNeeded: value.rawValue), 0])
            let written: ATTCompletion = { completion($0.map { _ in }) }
            if isNext {
                bearer.proceed(request, for: operation, completion: written)
            } else {
                bearer.request(request, for: operation, completion: written)
            }
        }
        // Requests that were made during the discovery may need the configuration.
        isNext = true
    }
}
