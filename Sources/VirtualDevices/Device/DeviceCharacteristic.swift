import Harald

/// A characteristic of a device, and how it behaves.
public struct DeviceCharacteristic: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// What centrals may do with it.
    public var properties: CharacteristicProperties
    /// What is demanded of them; nil for what the properties imply.
    public var permissions: AttributePermissions?
    /// Its value.
    public var value: ValueTemplate
    /// How often the value is sent to those who subscribed; nil for only when it is written.
    public var notifyEvery: Duration?
    /// What a write does.
    public var onWrite: WriteBehaviour
    /// The user description (2901).
    public var description: String?
    /// Further descriptors. 2902 says only where the client characteristic configuration stands.
    public var descriptors: [DeviceDescriptor]
    /// Whether it has a client characteristic configuration (2902); nil for where the properties or ``descriptors`` ask
    /// for one.
    public var hasConfiguration: Bool?
    /// The handle of the value; nil for the next free one.
    public var handle: UInt16?

    /// A characteristic.
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

    /// Whether centrals may write it.
    public var isWriteable: Bool { !properties.isDisjoint(with: [.write, .writeWithoutResponse]) }
    /// Whether centrals may subscribe to it.
    public var isSubscribable: Bool {
        !properties.isDisjoint(with: [.notify, .indicate]) && hasConfiguration != false
    }
}

/// A descriptor of a characteristic.
public struct DeviceDescriptor: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// Its value.
    public var value: [UInt8]
    /// What centrals may do with it.
    public var permissions: AttributePermissions
    /// Its handle; nil for the next free one.
    public var handle: UInt16?

    /// A descriptor.
    public init(
        _ uuid: BluetoothUUID, value: [UInt8], permissions: AttributePermissions = .readable, handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.value = value
        self.permissions = permissions
        self.handle = handle
    }
}
