import BluetoothModel

/// Where the value of an attribute of ours comes from.
public enum GATTValueSource: Hashable, Sendable {
    /// The server keeps it: reads get it, accepted writes replace it.
    case kept([UInt8])
    /// The delegate is asked at each read.
    case dynamic
}

/// A descriptor that a server is to have (Core 6.0, Vol 3, Part G, 3.3.3).
public struct GATTDescriptorDefinition: Hashable, Sendable {
    /// What it is. A client characteristic configuration (2902) says only where it is to stand: the server keeps one
    /// for each client by itself.
    public var uuid: BluetoothUUID
    /// Its value.
    public var value: GATTValueSource
    /// What clients may do with it.
    public var permissions: AttributePermissions
    /// The smallest key, 7 to 16 octets, that a client's link has to be encrypted with; 0 where none is demanded.
    public var minimumKeySize: UInt8 = 0
    /// The handle asked for; nil for the next free one.
    public var handle: UInt16?

    /// A descriptor.
    public init(
        uuid: BluetoothUUID, value: GATTValueSource, permissions: AttributePermissions = .readable,
        handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.value = value
        self.permissions = permissions
        self.handle = handle
    }
}

/// When a characteristic has a client characteristic configuration descriptor (2902).
public enum GATTConfigurationPlacement: Hashable, Sendable {
    /// Where the properties offer notifications or indications, or where the definition lists the descriptor.
    case automatic
    /// Always.
    case present
    /// Never, whatever the properties say: a client cannot subscribe.
    case absent
}

/// A characteristic that a server is to have (Core 6.0, Vol 3, Part G, 3.3).
public struct GATTCharacteristicDefinition: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// What clients may do with it. A client configuration descriptor is added for `notify` and `indicate`.
    public var properties: CharacteristicProperties
    /// What the server demands of them.
    public var permissions: AttributePermissions
    /// Its value.
    public var value: GATTValueSource
    /// Its descriptors.
    public var descriptors: [GATTDescriptorDefinition]
    /// The smallest key, 7 to 16 octets, that a client's link has to be encrypted with; 0 where none is demanded.
    public var minimumKeySize: UInt8 = 0
    /// When there is a client characteristic configuration descriptor.
    public var configuration = GATTConfigurationPlacement.automatic
    /// The handle of the value asked for, with the declaration one before it; nil for the next free one.
    public var handle: UInt16?

    /// A characteristic; without `permissions` those follow from the properties.
    public init(
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

/// A service that a server is to have (Core 6.0, Vol 3, Part G, 3.1).
public struct GATTServiceDefinition: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// Whether it stands for itself.
    public var isPrimary: Bool
    /// The handles of services, already in the server, that it includes.
    public var includes: [UInt16]
    /// The services that it includes, by their places among the services that are added together.
    public var includedMembers: [Int] = []
    /// Its characteristics.
    public var characteristics: [GATTCharacteristicDefinition]
    /// The handle of the declaration asked for; nil for the next free one.
    public var handle: UInt16?
    /// The last handle of the service, which may lie behind its last attribute; nil for the last attribute's.
    public var endHandle: UInt16?

    /// A service.
    public init(
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
    /// What properties say, with no demand for security.
    init(impliedBy properties: CharacteristicProperties) {
        self = []
        if properties.contains(.read) { insert(.readable) }
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse, .authenticatedSignedWrites]) {
            insert(.writeable)
        }
    }
}
