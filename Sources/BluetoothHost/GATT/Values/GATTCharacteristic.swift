import BluetoothModel

/// A characteristic of a GATT server (Core 6.0, Vol 3, Part G, 3.3).
public struct GATTCharacteristic: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// The handle of the declaration.
    public var declarationHandle: UInt16
    /// The handle of the value, which names the characteristic.
    public var valueHandle: UInt16
    /// The last handle that may hold a descriptor of it.
    public var endHandle: UInt16
    /// What one may do with it.
    public var properties: CharacteristicProperties

    /// A characteristic.
    public init(
        uuid: BluetoothUUID, declarationHandle: UInt16, valueHandle: UInt16, endHandle: UInt16,
        properties: CharacteristicProperties
    ) {
        self.uuid = uuid
        self.declarationHandle = declarationHandle
        self.valueHandle = valueHandle
        self.endHandle = endHandle
        self.properties = properties
    }

    /// Whether the value is between the declaration and the end (Core 6.0, Vol 3, Part G, 3.3.2).
    var isValueInside: Bool { valueHandle > declarationHandle && valueHandle <= endHandle }

    /// Where its descriptors are; nil where there is no handle left for one.
    public var descriptorRange: ClosedRange<UInt16>? { valueHandle < endHandle ? valueHandle + 1...endHandle : nil }
}

/// A descriptor of a characteristic (Core 6.0, Vol 3, Part G, 3.3.3).
public struct GATTDescriptor: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// Its handle.
    public var handle: UInt16

    /// A descriptor.
    public init(uuid: BluetoothUUID, handle: UInt16) {
        self.uuid = uuid
        self.handle = handle
    }
}
