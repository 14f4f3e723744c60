import Harald

/// A service of a device.
public struct DeviceService: Hashable, Sendable {
    /// The UUID.
    public var uuid: BluetoothUUID
    /// The name that ``includes`` of other services can refer to; nil if they refer to the UUID.
    public var name: String?
    /// True for a primary service.
    public var isPrimary: Bool
    /// The included services, in any order.
    public var includes: [DeviceInclude]
    /// The characteristics, in the order of their handles.
    public var characteristics: [DeviceCharacteristic]
    /// The handle of the service declaration; nil for the next free handle.
    public var handle: UInt16?
    /// The last handle of the service, which may exceed that of its last attribute; nil for that of its last attribute.
    public var endHandle: UInt16?

    /// Creates a service.
    public init(
        _ uuid: BluetoothUUID, name: String? = nil, isPrimary: Bool = true, includes: [DeviceInclude] = [],
        _ characteristics: [DeviceCharacteristic] = [], handle: UInt16? = nil, endHandle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.name = name
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics
        self.handle = handle
        self.endHandle = endHandle
    }
}

/// A reference to an included service.
public enum DeviceInclude: Hashable, Sendable {
    /// A UUID. Refers to the first service that has it.
    case uuid(BluetoothUUID)
    /// A ``DeviceService/name``.
    case name(String)

    /// Returns true if the reference is to `service`.
    func names(_ service: DeviceService) -> Bool {
        switch self {
        case .uuid(let uuid): service.uuid == uuid
        case .name(let name): service.name == name
        }
    }
}
