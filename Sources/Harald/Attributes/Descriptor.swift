import BluetoothBackend

/// A descriptor of a characteristic.
public final class Descriptor: Sendable {
    /// The characteristic that contains the descriptor.
    public let characteristic: Characteristic
    let record: RemoteDescriptor

    init(characteristic: Characteristic, record: RemoteDescriptor) {
        self.characteristic = characteristic
        self.record = record
    }

    /// The UUID.
    public var uuid: BluetoothUUID { record.uuid }
    /// The handle; a number of this program if the platform hides handles.
    public var handle: AttributeID { record.id }
    /// The assigned name.
    public var name: String? { AssignedNumbers.descriptorName(uuid) }

    /// Reads the whole value, with further requests if it does not fit into one response.
    /// - Throws: ``BluetoothError`` with the code `notConnected`, `disconnected`, `timeout`, `cancelled`, `att` with
    ///   the device's error, or a code of pairing.
    public func read(timeout: Duration? = .seconds(10)) async throws(BluetoothError) -> [UInt8] {
        let id = record.id
        return try await characteristic.peripheral.perform(
            "read descriptor \(description)", timeout: timeout, service: characteristic.service.uuid
        ) { link, operation in
            link.read(id, timeout: timeout) { operation.complete($0.map(\.array)) }
        }
    }

    /// Writes the value.
    ///
    /// A client characteristic configuration (2902) is refused: subscribe instead, so that the library counts the
    /// subscription.
    /// - Throws: ``BluetoothError`` with the code `unsupported` for a client characteristic configuration,
    ///   `notConnected`, `disconnected`, `timeout`, `cancelled`, `att` with the device's error, or a code of pairing.
    public func write(
        _ value: some Sequence<UInt8>, timeout: Duration? = .seconds(10)
    ) async throws(BluetoothError) {
        guard uuid != 0x2902 else {
            throw BluetoothError(
                .unsupported, operation: "write descriptor \(description) of \(characteristic.peripheral.store.label)",
                reason: "the library writes this descriptor itself", advice: "use notifications() of the characteristic"
            )
        }
        let (id, bytes) = (record.id, Array(value))
        try await characteristic.peripheral.perform(
            "write descriptor \(description)", timeout: timeout, service: characteristic.service.uuid
        ) { link, operation in
            link.write(bytes, to: id, timeout: timeout, completion: operation.complete)
        }
    }
}

extension Descriptor: Hashable, CustomStringConvertible {
    /// Returns true if both are the same attribute of the same peripheral.
    public static func == (left: Descriptor, right: Descriptor) -> Bool {
        left.record == right.record && left.characteristic == right.characteristic
    }

    /// Hashes the attribute.
    public func hash(into hasher: inout Hasher) { hasher.combine(record) }

    /// UUID and name: "2901 Characteristic User Description".
    public var description: String { name.map { "\(uuid) \($0)" } ?? uuid.description }
}
