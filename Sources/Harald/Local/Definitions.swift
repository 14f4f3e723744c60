import BluetoothBackend

/// A central's request to read a local value.
public struct ReadRequest: Sendable {
    /// The central that reads.
    public let central: PeripheralID
}

/// A central's request to write a local value.
public struct WriteRequest: Sendable {
    /// The central that writes.
    public let central: PeripheralID
    /// The whole value.
    public let value: [UInt8]
    /// True if the central waits for a response.
    public let expectsResponse: Bool
}

/// The definition of a characteristic of a local peripheral.
public struct CharacteristicDefinition: Sendable {
    /// Answers a read with the whole value; throw an ``ATTErrorCode`` to refuse.
    public typealias Reader = @Sendable (ReadRequest) async throws -> [UInt8]
    /// Takes a write; throw an ``ATTErrorCode`` to refuse.
    public typealias Writer = @Sendable (WriteRequest) async throws -> Void

    /// The UUID.
    public var uuid: BluetoothUUID
    /// The operations offered to centrals.
    public var properties: CharacteristicProperties
    /// The security required of centrals; nil for the default of the properties.
    public var permissions: AttributePermissions?
    /// The stored value. A write that is accepted replaces it, after ``onWrite`` has returned.
    public var value: [UInt8]
    /// Answers reads in place of the stored value.
    public var onRead: Reader?
    /// Takes writes; the stored value is not replaced.
    public var onWrite: Writer?
    /// Further descriptors; the client characteristic configuration is added where needed.
    public var descriptors: [LocalDescriptor]
    /// The requested value handle; nil for the next free one.
    public var handle: UInt16?
    /// The minimum encryption key size, 7 to 16 octets; 0 if none is required.
    public var minimumKeySize: UInt8 = 0
    /// True to add a client characteristic configuration, false to leave it out; nil if the properties decide.
    package var hasConfiguration: Bool?

    /// Creates a definition. A `description` becomes the characteristic user description (2901).
    public init(
        _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, value: [UInt8] = [],
        permissions: AttributePermissions? = nil, description: String? = nil, descriptors: [LocalDescriptor] = [],
        handle: UInt16? = nil, onRead: Reader? = nil, onWrite: Writer? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.value = value
        self.permissions = permissions
        self.descriptors = descriptors
        if let description { self.descriptors.append(LocalDescriptor(uuid: 0x2901, value: Array(description.utf8))) }
        self.handle = handle
        self.onRead = onRead
        self.onWrite = onWrite
    }

    package var record: LocalCharacteristic {
        var implied: AttributePermissions = []
        if properties.contains(.read) { implied.insert(.readable) }
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { implied.insert(.writeable) }
        var record = LocalCharacteristic(
            uuid: uuid, properties: properties, permissions: permissions ?? implied,
            value: onRead == nil ? value : nil, descriptors: descriptors, handle: handle,
            minimumKeySize: minimumKeySize)
        record.hasConfiguration = hasConfiguration
        return record
    }
}

/// The definition of a service of a local peripheral.
public struct ServiceDefinition: Sendable {
    /// The UUID.
    public var uuid: BluetoothUUID
    /// True for a primary service, false for a secondary one.
    public var isPrimary: Bool
    /// Its characteristics, in the order of their handles.
    public var characteristics: [CharacteristicDefinition]
    /// The included services, which were published before.
    public var included: [PublishedService]
    /// The included services, by their indices among the services published in the same call.
    package var includedMembers: [Int] = []
    /// The requested handle of the declaration; nil for the next free one.
    public var handle: UInt16?
    /// The last handle of the service; nil for that of its last attribute.
    package var endHandle: UInt16?

    /// Creates a definition.
    public init(
        _ uuid: BluetoothUUID, isPrimary: Bool = true, _ characteristics: [CharacteristicDefinition],
        included: [PublishedService] = [], handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
        self.included = included
        self.handle = handle
    }

    package var record: LocalService {
        var record = LocalService(
            uuid: uuid, isPrimary: isPrimary, characteristics: characteristics.map(\.record),
            included: included.map(\.attribute), handle: handle)
        record.includedMembers = includedMembers
        record.endHandle = endHandle
        return record
    }
}
