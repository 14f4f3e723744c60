import Harald

/// A service of a device.
public struct DeviceService: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// Whether it is primary.
    public var isPrimary: Bool
    /// Services that come before it in the device and that it includes.
    public var includes: [BluetoothUUID]
    /// Its characteristics, in the order of their handles.
    public var characteristics: [DeviceCharacteristic]
    /// The handle of its declaration; nil for the next free one.
    public var handle: UInt16?

    /// A service.
    public init(
        _ uuid: BluetoothUUID, isPrimary: Bool = true, includes: [BluetoothUUID] = [],
        _ characteristics: [DeviceCharacteristic] = [], handle: UInt16? = nil
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics
        self.handle = handle
    }
}
