import BluetoothModel

/// A service of a GATT server: what it is, and which attributes belong to it (Core 6.0, Vol 3, Part G, 3.1).
public struct GATTService: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// The handles of its attributes, the declaration first.
    public var range: ClosedRange<UInt16>
    /// Whether it stands for itself; a secondary one is there to be included.
    public var isPrimary: Bool

    /// A service.
    public init(uuid: BluetoothUUID, range: ClosedRange<UInt16>, isPrimary: Bool = true) {
        self.uuid = uuid
        self.range = range
        self.isPrimary = isPrimary
    }

    /// The handle of the declaration.
    public var handle: UInt16 { range.lowerBound }
}

/// A service that another one refers to (Core 6.0, Vol 3, Part G, 3.2).
public struct GATTIncludedService: Hashable, Sendable {
    /// The handle of the include declaration.
    public var handle: UInt16
    /// What is included.
    public var service: GATTService

    /// An inclusion.
    public init(handle: UInt16, service: GATTService) {
        self.handle = handle
        self.service = service
    }
}
