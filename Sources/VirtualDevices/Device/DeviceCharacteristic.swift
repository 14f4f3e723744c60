import Harald

/// A characteristic of a device, with its behaviour.
public struct DeviceCharacteristic: Hashable, Sendable {
    /// The UUID.
    public var uuid: BluetoothUUID
    /// The properties.
    public var properties: CharacteristicProperties
    /// The permissions; nil for those that the properties imply.
    public var permissions: AttributePermissions?
    /// The value.
    public var value: ValueTemplate
    /// The interval at which the value is sent to subscribers; nil if it is sent only after writes.
    public var notifyEvery: Duration?
    /// The effect of a write.
    public var onWrite: WriteBehaviour
    /// The Characteristic User Description (2901).
    public var description: String?
    /// Additional descriptors. An entry 2902 only sets the position of the Client Characteristic Configuration.
    public var descriptors: [DeviceDescriptor]
    /// True if the characteristic has a Client Characteristic Configuration (2902); nil if that depends on the
    /// properties and ``descriptors``.
    public var hasConfiguration: Bool?
    /// The value handle; nil for the next free handle.
    public var handle: UInt16?

    /// Creates a characteristic.
    public init(
        _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, permissions: AttributePermissions? = nil,
        value: ValueTemplate = .init(), notifyEvery: Duration? = nil, onWrite: WriteBehaviour = .init(),
        description: String? = nil, descriptors: [DeviceDescriptor] = [], handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.value = value
        self.notifyEvery = notifyEvery
        self.onWrite = onWrite
        self.description = description
        self.descriptors = descriptors
        self.handle = handle
    }

    /// True if centrals can write the value.
    public var isWriteable: Bool { !properties.isDisjoint(with: [.write, .writeWithoutResponse]) }
    /// True if centrals can subscribe.
    public var isSubscribable: Bool {
        !properties.isDisjoint(with: [.notify, .indicate]) && hasConfiguration != false
    }
}

/// A descriptor of a characteristic.
public struct DeviceDescriptor: Hashable, Sendable {
    /// The UUID.
    public var uuid: BluetoothUUID
    /// The value.
    public var value: [UInt8]
    /// The permissions.
    public var permissions: AttributePermissions
    /// The handle; nil for the next free handle.
    public var handle: UInt16?

    /// Creates a descriptor.
    public init(
        _ uuid: BluetoothUUID, value: [UInt8], permissions: AttributePermissions = .readable, handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.value = value
        self.permissions = permissions
        self.handle = handle
    }
}
