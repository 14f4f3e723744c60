import BluetoothModel

/// Reads of several values with one request.
extension GATTClient {
    /// Reads the values of two or more attributes with one request (Core 6.0, Vol 3, Part G, 4.8.4 and 4.8.5).
    ///
    /// With `variableLength` there is one element for each handle; if the packet is too short, the last element may be
    /// truncated, and further ones missing. Otherwise the single element is the concatenation of all values, truncated
    /// to the packet; the caller needs to know their lengths to separate them.
    @discardableResult
    package func readMultiple(
        _ handles: [UInt16], variableLength: Bool, timeout: Duration? = nil,
        completion: @escaping (Result<[[UInt8]], RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        guard (2...(bearer.mtu - 1) / 2).contains(handles.count) else {
            completion(.failure(.invalidArgument("the number of handles must be from 2 to \((bearer.mtu - 1) / 2)")))
            return operation.id
        }
        guard variableLength else {
            readMultiple(.readMultiple(handles), for: operation) { completion($0.map { [$0.array] }) }
            return operation.id
        }
        let isFull = { [bearer] (view: ByteView) in view.count >= bearer.mtu - 1 }
        readMultiple(.readMultipleVariable(handles), for: operation) { result in
            completion(result.flatMap { Self.values($0, count: handles.count, isFull: isFull($0)) })
        }
        return operation.id
    }

    private func readMultiple(
        _ request: ATTRequest, for operation: ATTOperation, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) {
        bearer.request(request, for: operation) { [self] result in
            guard case .failure(let error) = result else { return completion(result) }
            let isRaised = raise(error, for: operation) {
                completion(.failure($0))
            } again: { [self] in
                readMultiple(request, for: $0, completion: completion)
            }
            if !isRaised { completion(result) }
        }
    }

    /// Parses values that are preceded by their lengths. Only in a full packet the last value may be truncated.
    private static func values(_ view: ByteView, count: Int, isFull: Bool) -> Result<[[UInt8]], RadioError> {
        var values: [[UInt8]] = []
        var reader = ByteReader(view)
        while !reader.isAtEnd, values.count < count {
            guard let length = reader.uint16() else {
                if isFull { return .success(values) }
                return .failure(.invalidResponse("a value without a length"))
            }
            if let value = reader.bytes(Int(length)) {
                values.append(value.array)
            } else if isFull {
                values.append(reader.rest.array)
                return .success(values)
            } else {
                return .failure(.invalidResponse("a value shorter than its length"))
            }
        }
        guard reader.isAtEnd, isFull || values.count == count else {
            return .failure(.invalidResponse("the number of values differs from the number of handles"))
        }
        return .success(values)
    }

    /// Reads all values of one attribute type (Core 6.0, Vol 3, Part G, 4.8.2). A value longer than 253 octets, or than
    /// the MTU minus 4, is truncated; ``read(_:timeout:completion:)`` reads all of it.
    @discardableResult
    package func readValues(
        of type: BluetoothUUID, in range: ClosedRange<UInt16> = 1...0xFFFF, timeout: Duration? = nil,
        completion: @escaping (Result<[(handle: UInt16, value: [UInt8])], RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        guard range.lowerBound >= 1 else {
            completion(.failure(.invalidArgument("attribute handles begin at 1")))
            return operation.id
        }
        readValues(of: type, in: range, for: operation, completion: completion)
        return operation.id
    }

    func readValues(
        of type: BluetoothUUID, in range: ClosedRange<UInt16>, for operation: ATTOperation,
        completion: @escaping (Result<[(handle: UInt16, value: [UInt8])], RadioError>) -> Void
    ) {
        HandleWalk(
            range, bearer: bearer, operation: operation, request: { .readByType($0, type) },
            parse: { (response, asked) throws(RadioError) in
                let values = try DiscoveryResponse.values(response, asked: asked)
                return DiscoveryResponse.Entries(found: values, last: values.last?.handle ?? 0)
            }, completion: completion
        ).start()
    }
}
