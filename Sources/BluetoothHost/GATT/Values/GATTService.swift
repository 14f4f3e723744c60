import BluetoothModel

/// A service of a GATT server and the range of its attributes (Core 6.0, Vol 3, Part G, 3.1).
public struct GATTService: Hashable, Sendable {
    /// The type of the service.
    public var uuid: BluetoothUUID
    /// The handles of its attributes, the declaration first.
    public var range: ClosedRange<UInt16>
    /// True for a primary service; a secondary service is only included by others.
    public var isPrimary: Bool

    /// Creates a service.
    public init(uuid: BluetoothUUID, range: ClosedRange<UInt16>, isPrimary: Bool = true) {
        self.uuid = uuid
        self.range = range
        self.isPrimary = isPrimary
    }

    /// The handle of the declaration.
    public var handle: UInt16 { range.lowerBound }
}

/// An inclusion of a service by another one (Core 6.0, Vol 3, Part G, 3.2).
public struct GATTIncludedService: Hashable, Sendable {
    /// The handle of the include declaration.
    public var handle: UInt16
    /// The included service.
    public var service: GATTService

    /// Creates an inclusion.
    public init(handle: UInt16, service: GATTService) {
        self.handle = handle
        self.service = service
    }
}
