import BluetoothProfiles

/// Values of known types.
extension Characteristic {
    /// Reads the value as a type: `read(as: BatteryLevel.self)`.
    /// - Throws: ``BluetoothError`` with the code `invalidResponse` where the bytes are no such value; it names the field.
    public func read<Value: GATTValue>(
        as type: Value.Type, timeout: Duration? = .seconds(10)
    ) async throws(BluetoothError) -> Value {
        try decoded(try await read(timeout: timeout))
    }

    /// Writes a value of a type.
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

    /// The values that the device sends by itself, as a type: `notifications(as: HeartRateMeasurement.self)`.
    ///
    /// A value that is none of the type is an error of ``ValueStream/Iterator/next()`` that names the field. It ends a
    /// `for` loop; who asks the iterator again gets the next value.
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

/// Values of one type that arrive over time; a fresh stream each time one is asked for, with one consumer.
public struct ValueStream<Value: GATTValue>: AsyncSequence, Sendable {
    /// What iterating can throw.
    public typealias Failure = BluetoothError

    let bytes: BluetoothStream<[UInt8]>
    let characteristic: Characteristic

    /// How many values were dropped because the consumer was too slow.
    public var droppedCount: Int { bytes.droppedCount }

    /// The iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(bytes: bytes.makeAsyncIterator(), characteristic: characteristic)
    }

    /// Iterates over a ``ValueStream``.
    public struct Iterator: AsyncIteratorProtocol {
        var bytes: BluetoothStream<[UInt8]>.Iterator
        let characteristic: Characteristic

        /// The next value; nil when the stream is over.
        public mutating func next() async throws(BluetoothError) -> Value? {
            guard let next = try await bytes.next() else { return nil }
            return try characteristic.decoded(next)
        }

        /// The next value; nil when the stream is over.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError) -> Value? {
            guard let next = try await bytes.next(isolation: actor) else { return nil }
            return try characteristic.decoded(next)
        }
    }
}

extension CharacteristicDefinition {
    /// A characteristic with a value of a known type.
    public init<Value: CharacteristicType>(
        _ properties: CharacteristicProperties, value: Value, permissions: AttributePermissions? = nil
    ) throws(ValueError) {
        self.init(Value.uuid, properties, value: try value.encoded(), permissions: permissions)
    }
}

extension PublishedCharacteristic {
    /// Sends a value of a known type, as ``update(_:for:)`` does with its bytes.
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
