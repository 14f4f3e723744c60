import BluetoothModel

/// A characteristic of a GATT server (Core 6.0, Vol 3, Part G, 3.3).
package struct GATTCharacteristic: Hashable, Sendable {
    /// The type of the characteristic.
    package var uuid: BluetoothUUID
    /// The handle of the declaration.
    package var declarationHandle: UInt16
    /// The handle of the value, which identifies the characteristic.
    package var valueHandle: UInt16
    /// The last handle that may belong to one of its descriptors.
    package var endHandle: UInt16
    /// The properties in the declaration.
    package var properties: CharacteristicProperties

    /// Creates a characteristic.
    package init(
        uuid: BluetoothUUID, declarationHandle: UInt16, valueHandle: UInt16, endHandle: UInt16,
        properties: CharacteristicProperties
    ) {
        self.uuid = uuid
        self.declarationHandle = declarationHandle
        self.valueHandle = valueHandle
        self.endHandle = endHandle
        self.properties = properties
    }

    /// True if the value handle lies between the declaration and the end (Core 6.0, Vol 3, Part G, 3.3.2).
    var isValueInside: Bool { valueHandle > declarationHandle && valueHandle <= endHandle }

    /// The handles of the descriptors; nil if there are none.
    package var descriptorRange: ClosedRange<UInt16>? { valueHandle < endHandle ? valueHandle + 1...endHandle : nil }
}

/// A descriptor of a characteristic (Core 6.0, Vol 3, Part G, 3.3.3).
package struct GATTDescriptor: Hashable, Sendable {
    /// The type of the descriptor.
    package var uuid: BluetoothUUID
    /// The attribute handle.
    package var handle: UInt16

    /// Creates a descriptor.
    package init(uuid: BluetoothUUID, handle: UInt16) {
        self.uuid = uuid
        self.handle = handle
    }
}
