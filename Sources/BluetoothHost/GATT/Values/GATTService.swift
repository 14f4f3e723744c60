import BluetoothModel

/// A service of a GATT server and the range of its attributes (Core 6.0, Vol 3, Part G, 3.1).
package struct GATTService: Hashable, Sendable {
    /// The type of the service.
    package var uuid: BluetoothUUID
    /// The handles of its attributes, the declaration first.
    package var range: ClosedRange<UInt16>
    /// True for a primary service; a secondary service is only included by others.
    package var isPrimary: Bool

    /// Creates a service.
    package init(uuid: BluetoothUUID, range: ClosedRange<UInt16>, isPrimary: Bool = true) {
        self.uuid = uuid
        self.range = range
        self.isPrimary = isPrimary
    }

    /// The handle of the declaration.
    package var handle: UInt16 { range.lowerBound }
}

/// An inclusion of a service by another one (Core 6.0, Vol 3, Part G, 3.2).
package struct GATTIncludedService: Hashable, Sendable {
    /// The handle of the include declaration.
    package var handle: UInt16
    /// The included service.
    package var service: GATTService

    /// Creates an inclusion.
    package init(handle: UInt16, service: GATTService) {
        self.handle = handle
        self.service = service
    }
}
