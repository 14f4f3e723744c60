import BluetoothBackend

@_exported import struct BluetoothBackend.LocalDescriptor
@_exported import enum BluetoothBackend.OwnAddress

/// A central's wish to read a value of ours.
public struct ReadRequest: Sendable {
    /// Who reads.
    public let central: PeripheralID
}

/// A central's wish to write a value of ours.
public struct WriteRequest: Sendable {
    /// Who writes.
    public let central: PeripheralID
    /// The whole value.
    public let value: [UInt8]
    /// Whether the central waits for an answer.
    public let expectsResponse: Bool
}

/// A characteristic that a local peripheral offers.
public struct CharacteristicDefinition: Sendable {
    /// Answers a read with the whole value; throw an ``ATTErrorCode`` to refuse.
    public typealias Reader = @Sendable (ReadRequest) async throws -> [UInt8]
    /// Takes a write; throw an ``ATTErrorCode`` to refuse.
    public typealias Writer = @Sendable (WriteRequest) async throws -> Void

    /// What it is.
    public var uuid: BluetoothUUID
    /// What centrals may do with it.
    public var properties: CharacteristicProperties
    /// What is demanded of them; nil for what the properties imply.
    public var permissions: AttributePermissions?
    /// The value that is kept for it; without ``onWrite``, a write replaces it.
    public var value: [UInt8]
    /// Answers reads instead of the kept value.
    public var onRead: Reader?
    /// Takes writes instead of replacing the kept value.
    public var onWrite: Writer?
    /// Further descriptors; the client characteristic configuration is added where needed.
    public var descriptors: [LocalDescriptor]
    /// The handle of the value asked for; nil for the next free one.
    public var handle: UInt16?
    /// The shortest key that counts as encryption, 7 to 16 octets; 0 where none is demanded.
    public var minimumKeySize: UInt8 = 0
    /// Whether it has a client characteristic configuration; nil where the properties decide.
    package var hasConfiguration: Bool?

    /// A characteristic. A description becomes its user description (2901).
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

/// A service that a local peripheral offers.
public struct ServiceDefinition: Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// Whether it is primary.
    public var isPrimary: Bool
    /// Its characteristics, in the order of their handles.
    public var characteristics: [CharacteristicDefinition]
    /// Services published before that it includes.
    public var included: [PublishedService]
    /// Services that it includes, by their places among those that are published together.
    package var includedMembers: [Int] = []
    /// The handle of the declaration asked for; nil for the next free one.
    public var handle: UInt16?
    /// The last handle of the service; nil for that of its last attribute.
    package var endHandle: UInt16?

    /// A service.
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
