import Harald

/// A characteristic or a descriptor of a device.
enum SessionAttribute: Sendable {
    case characteristic(Characteristic)
    case descriptor(Descriptor)

    /// The timeout of a read or a write. It includes a pairing that the operation may cause, in which a person has 30 s
    /// to answer.
    private static let patience = Duration.seconds(40)

    /// The characteristic, or the one to which the descriptor belongs.
    var characteristic: Characteristic {
        switch self {
        case .characteristic(let characteristic): characteristic
        case .descriptor(let descriptor): descriptor.characteristic
        }
    }

    var handle: UInt32 {
        switch self {
        case .characteristic(let characteristic): characteristic.valueHandle.rawValue
        case .descriptor(let descriptor): descriptor.handle.rawValue
        }
    }

    /// The UUID of the attribute.
    var uuid: BluetoothUUID { descriptor ?? characteristic.uuid }

    /// The UUID of a descriptor; nil for a characteristic.
    var descriptor: BluetoothUUID? {
        if case .descriptor(let descriptor) = self { descriptor.uuid } else { nil }
    }

    var name: String? {
        switch self {
        case .characteristic(let characteristic): characteristic.name
        case .descriptor(let descriptor): descriptor.name
        }
    }

    /// True if the attribute declares that it is readable. Descriptors make no declaration, and most are readable.
    var isReadable: Bool {
        switch self {
        case .characteristic(let characteristic): characteristic.properties.contains(.read)
        case .descriptor: true
        }
    }

    func read() async throws(BluetoothError) -> [UInt8] {
        switch self {
        case .characteristic(let characteristic): try await characteristic.read(timeout: Self.patience)
        case .descriptor(let descriptor): try await descriptor.read(timeout: Self.patience)
        }
    }

    func write(_ bytes: [UInt8], type: WriteType?) async throws(BluetoothError) {
        switch self {
        case .characteristic(let characteristic):
            try await characteristic.write(bytes, type: type, timeout: Self.patience)
        case .descriptor(let descriptor):
            guard type != .withoutResponse else {
                throw BluetoothError(
                    .unsupported, operation: "write \(descriptor)",
                    reason: "descriptors can only be written with response")
            }
            try await descriptor.write(bytes, timeout: Self.patience)
        }
    }

    /// Returns true if the device acknowledges a write of this type.
    func acknowledges(_ type: WriteType?) -> Bool {
        switch self {
        case .characteristic(let characteristic):
            type.map { $0 == .withResponse } ?? characteristic.properties.contains(.write)
        case .descriptor: true
        }
    }
}
