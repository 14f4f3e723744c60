import BluetoothProfiles

/// Values of known types.
extension Characteristic {
    /// Reads the value as a type: `read(as: BatteryLevel.self)`.
    /// - Throws: ``BluetoothError`` with the code `invalidResponse` if the bytes do not decode as the type; the reason
    ///   names the field. Otherwise as ``read(timeout:)``.
    public func read<Value: GATTValue>(
        as type: Value.Type, timeout: Duration? = .seconds(10)
    ) async throws(BluetoothError) -> Value {
        try decoded(try await read(timeout: timeout))
    }

    /// Writes a value of a known type.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the value cannot be encoded; otherwise as
    ///   ``write(_:type:timeout:)``.
    public func write<Value: GATTValue>(
        _ value: Value, type: WriteType? = nil, timeout: Duration? = .seconds(10)
    ) async throws(BluetoothError) {
        let bytes: [UInt8]
        do throws(ValueError) { bytes = try value.encoded() } catch {
            throw BluetoothError(
                .invalidArgument, operation: "write \(description) of \(peripheral.store.label)", reason: "\(error)")
        }
        try await write(bytes, type: type, timeout: timeout)
    }

    /// Returns a new stream of the notified or indicated values, decoded as a type: `notifications(as:
    /// HeartRateMeasurement.self)`.
    ///
    /// A value that does not decode makes ``ValueStream/Iterator/next()`` throw an error that names the field. The
    /// error ends a `for` loop; a further call of `next()` returns the next value.
    public func notifications<Value: GATTValue>(
        as type: Value.Type, _ kind: SubscriptionKind = .any, buffering policy: BufferingPolicy = .newest(256)
    ) -> ValueStream<Value> {
        ValueStream(bytes: notifications(kind, buffering: policy), characteristic: self)
    }

    func decoded<Value: GATTValue>(_ bytes: [UInt8]) throws(BluetoothError) -> Value {
        do throws(ValueError) { return try Value(bytes: bytes) } catch {
            throw BluetoothError(
                .invalidResponse, operation: "decode \(description) of \(peripheral.store.label)", reason: "\(error)")
        }
    }
}

/// An asynchronous sequence of values of one type, for one consumer. Each request for a stream makes a new one.
public struct ValueStream<Value: GATTValue>: AsyncSequence, Sendable {
    /// The error that iterating throws.
    public typealias Failure = BluetoothError

    let bytes: BluetoothStream<[UInt8]>
    let characteristic: Characteristic

    /// The number of values dropped because the consumer was too slow.
    public var droppedCount: Int { bytes.droppedCount }

    /// The iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(bytes: bytes.makeAsyncIterator(), characteristic: characteristic)
    }

    /// Iterates over a ``ValueStream``.
    public struct Iterator: AsyncIteratorProtocol {
        var bytes: BluetoothStream<[UInt8]>.Iterator
        let characteristic: Characteristic

        /// Returns the next value; nil when the stream is over.
        /// - Throws: ``BluetoothError`` with the code `invalidResponse` if the next value does not decode, or the error
        ///   that ended the stream.
        public mutating func next() async throws(BluetoothError) -> Value? {
            guard let next = try await bytes.next() else { return nil }
            return try characteristic.decoded(next)
        }

        /// Returns the next value; nil when the stream is over.
        /// - Throws: ``BluetoothError`` with the code `invalidResponse` if the next value does not decode, or the error
        ///   that ended the stream.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError) -> Value? {
            guard let next = try await bytes.next(isolation: actor) else { return nil }
            return try characteristic.decoded(next)
        }
    }
}

extension CharacteristicDefinition {
    /// Creates a characteristic with a value of a known type.
    /// - Throws: `ValueError` if the value cannot be encoded.
    public init<Value: CharacteristicType>(
        _ properties: CharacteristicProperties, value: Value, permissions: AttributePermissions? = nil
    ) throws(ValueError) {
        self.init(Value.uuid, properties, value: try value.encoded(), permissions: permissions)
    }
}

extension PublishedCharacteristic {
    /// Sends a value of a known type, as ``update(_:for:)`` does with its bytes.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the value cannot be encoded; otherwise as
    ///   ``update(_:for:)``.
    public func update<Value: GATTValue>(
        _ value: Value, for centrals: [PeripheralID]? = nil
    ) async throws(BluetoothError) {
        let bytes: [UInt8]
        do throws(ValueError) { bytes = try value.encoded() } catch {
            throw BluetoothError(.invalidArgument, operation: "update \(uuid)", reason: "\(error)")
        }
        try await update(bytes, for: centrals)
    }
}
