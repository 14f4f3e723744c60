/// The definition of a local descriptor.
public struct LocalDescriptor: Hashable, Sendable {
    /// The UUID.
    public var uuid: BluetoothUUID
    /// The value.
    public var value: [UInt8]
    /// The permissions of clients.
    public var permissions: AttributePermissions
    /// The requested handle; nil for the next free one.
    public var handle: UInt16?
    /// True if the owner of the device answers each read, in place of `value`, where the adapter supports it.
    package var isAnswered = false

    /// Creates a definition.
    public init(
        uuid: BluetoothUUID, value: [UInt8], permissions: AttributePermissions = .readable, handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.value = value
        self.permissions = permissions
        self.handle = handle
    }
}
