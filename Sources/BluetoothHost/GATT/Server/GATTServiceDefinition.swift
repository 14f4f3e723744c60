import BluetoothModel

/// The source of the value of a local attribute.
package enum GATTValueSource: Hashable, Sendable {
    /// The server stores the value: reads return it, and accepted writes replace it.
    case kept([UInt8])
    /// The delegate provides the value at each read.
    case dynamic
}

/// The definition of a descriptor (Core 6.0, Vol 3, Part G, 3.3.3).
package struct GATTDescriptorDefinition: Hashable, Sendable {
    /// The type of the descriptor. A client characteristic configuration (2902) only determines the position: its value
    /// is stored for each client by the server.
    package var uuid: BluetoothUUID
    /// The source of the value.
    package var value: GATTValueSource
    /// The permissions of clients.
    package var permissions: AttributePermissions
    /// The minimum encryption key size, 7 to 16 octets; 0 for no requirement.
    package var minimumKeySize: UInt8 = 0
    /// The requested handle; nil for the next free one.
    package var handle: UInt16?

    /// Creates a descriptor definition.
    package init(
        uuid: BluetoothUUID, value: GATTValueSource, permissions: AttributePermissions = .readable,
        handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.value = value
        self.permissions = permissions
        self.handle = handle
    }
}

/// The rule for adding a client characteristic configuration descriptor (2902).
package enum GATTConfigurationPlacement: Hashable, Sendable {
    /// Present if the properties offer notifications or indications, or if the definition lists the descriptor.
    case automatic
    /// Always present.
    case present
    /// Not added, whatever the properties are, so that clients cannot subscribe.
    case absent
}

/// The definition of a characteristic (Core 6.0, Vol 3, Part G, 3.3).
package struct GATTCharacteristicDefinition: Hashable, Sendable {
    /// The type of the characteristic.
    package var uuid: BluetoothUUID
    /// The properties in the declaration. A client configuration descriptor is added for `notify` and `indicate`.
    package var properties: CharacteristicProperties
    /// The permissions of clients, including the required security.
    package var permissions: AttributePermissions
    /// The source of the value.
    package var value: GATTValueSource
    /// The definitions of the descriptors.
    package var descriptors: [GATTDescriptorDefinition]
    /// The minimum encryption key size, 7 to 16 octets; 0 for no requirement.
    package var minimumKeySize: UInt8 = 0
    /// The rule for adding a client characteristic configuration descriptor.
    package var configuration = GATTConfigurationPlacement.automatic
    /// The requested value handle, preceded by the declaration; nil for the next free one.
    package var handle: UInt16?

    /// Creates a characteristic definition; the default permissions follow from the properties.
    package init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, permissions: AttributePermissions? = nil,
        value: GATTValueSource, descriptors: [GATTDescriptorDefinition] = [], handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions ?? AttributePermissions(impliedBy: properties)
        self.value = value
        self.descriptors = descriptors
        self.handle = handle
    }
}

/// The definition of a service (Core 6.0, Vol 3, Part G, 3.1).
package struct GATTServiceDefinition: Hashable, Sendable {
    /// The type of the service.
    package var uuid: BluetoothUUID
    /// True for a primary service.
    package var isPrimary: Bool
    /// The handles of the included services that are already in the server.
    package var includes: [UInt16]
    /// The included services, by their indices among the services that are added together.
    package var includedMembers: [Int] = []
    /// The definitions of the characteristics.
    package var characteristics: [GATTCharacteristicDefinition]
    /// The requested handle of the declaration; nil for the next free one.
    package var handle: UInt16?
    /// The last handle of the service, which may be higher than that of its last attribute; nil for the last
    /// attribute's.
    package var endHandle: UInt16?

    /// Creates a service definition.
    package init(
        uuid: BluetoothUUID, isPrimary: Bool = true, includes: [UInt16] = [],
        characteristics: [GATTCharacteristicDefinition], handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics
        self.handle = handle
    }
}

extension AttributePermissions {
    /// Creates the permissions that follow from properties, without security requirements.
    init(impliedBy properties: CharacteristicProperties) {
        self = []
        if properties.contains(.read) { insert(.readable) }
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse, .authenticatedSignedWrites]) {
            insert(.writeable)
        }
    }
}
