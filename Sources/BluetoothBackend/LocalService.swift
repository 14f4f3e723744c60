import BluetoothModel

/// The definition of a local characteristic.
package struct LocalCharacteristic: Hashable, Sendable {
    /// The UUID.
    package var uuid: BluetoothUUID
    /// The operations offered to clients.
    package var properties: CharacteristicProperties
    /// The security that the server requires of clients.
    package var permissions: AttributePermissions
    /// The value; nil if the delegate answers each read.
    package var value: [UInt8]?
    /// Further descriptors. The client characteristic configuration is added where the properties need it.
    package var descriptors: [LocalDescriptor]
    /// The requested value handle; nil for the next free one.
    package var handle: UInt16?
    /// The minimum encryption key size, 7 to 16 octets; 0 if none is required.
    package var minimumKeySize: UInt8
    /// True to add a client characteristic configuration, false to leave it out; nil if the properties decide.
    package var hasConfiguration: Bool?

    /// Creates a definition.
    package init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, permissions: AttributePermissions,
        value: [UInt8]? = nil, descriptors: [LocalDescriptor] = [], handle: UInt16? = nil, minimumKeySize: UInt8 = 0
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.value = value
        self.descriptors = descriptors
        self.handle = handle
        self.minimumKeySize = minimumKeySize
    }
}

/// The definition of a local service.
package struct LocalService: Hashable, Sendable {
    /// The UUID.
    package var uuid: BluetoothUUID
    /// True for a primary service, false for a secondary one.
    package var isPrimary: Bool
    /// Its characteristics, in the order of their handles.
    package var characteristics: [LocalCharacteristic]
    /// The included services, which were added before.
    package var included: [AttributeID]
    /// The included services, by their indices among those of one
    /// ``LocalDevice/replaceDatabase(_:addsGenericServices:)``.
    package var includedMembers: [Int] = []
    /// The requested handle of the declaration; nil for the next free one.
    package var handle: UInt16?
    /// The last handle of the service; nil for that of its last attribute.
    package var endHandle: UInt16?

    /// Creates a definition.
    package init(
        uuid: BluetoothUUID, isPrimary: Bool = true, characteristics: [LocalCharacteristic],
        included: [AttributeID] = [], handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
        self.included = included
        self.handle = handle
    }
}

/// The attributes of a local service after it was placed in the database.
package struct PlacedService: Hashable, Sendable {
    /// The attributes of one characteristic.
    package struct Characteristic: Hashable, Sendable {
        /// The attribute of the value.
        package var value: AttributeID
        /// The attributes of the descriptors, in the order given.
        package var descriptors: [AttributeID]

        /// Creates a placement.
        package init(value: AttributeID, descriptors: [AttributeID]) {
            self.value = value
            self.descriptors = descriptors
        }
    }

    /// The attribute of the service's declaration.
    package var id: AttributeID
    /// The characteristics, in the order given.
    package var characteristics: [Characteristic]

    /// Creates a placement.
    package init(id: AttributeID, characteristics: [Characteristic]) {
        self.id = id
        self.characteristics = characteristics
    }
}

/// The error of a local service that cannot be placed in the database.
package struct LocalPlacementError: Error, Hashable, Sendable {
    /// The index of the service among those that were given; nil for one that every device has.
    package var service: Int?
    /// The index of the characteristic in its service; nil if the error concerns the service.
    package var characteristic: Int?
    /// The index of the descriptor in its characteristic; nil if the error concerns the characteristic.
    package var descriptor: Int?
    /// The reason.
    package var reason: RadioError

    /// Creates an error.
    package init(service: Int?, characteristic: Int? = nil, descriptor: Int? = nil, reason: RadioError) {
        self.service = service
        self.characteristic = characteristic
        self.descriptor = descriptor
        self.reason = reason
    }
}
