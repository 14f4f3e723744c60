import Harald

/// A service of a device.
public struct DeviceService: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// What ``includes`` of other services call it; nil where they name its UUID.
    public var name: String?
    /// Whether it is primary.
    public var isPrimary: Bool
    /// Services of the device that it includes, in any order.
    public var includes: [DeviceInclude]
    /// Its characteristics, in the order of their handles.
    public var characteristics: [DeviceCharacteristic]
    /// The handle of its declaration; nil for the next free one.
    public var handle: UInt16?
    /// Its last handle, which may lie behind its last attribute; nil for that of its last attribute.
    public var endHandle: UInt16?

    /// A service.
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

/// How a service names another one that it includes.
public enum DeviceInclude: Hashable, Sendable {
    /// By its UUID; the first service that has it.
    case uuid(BluetoothUUID)
    /// By its ``DeviceService/name``.
    case name(String)

    /// Whether `service` is meant.
    func names(_ service: DeviceService) -> Bool {
        switch self {
        case .uuid(let uuid): service.uuid == uuid
        case .name(let name): service.name == name
        }
    }
}
