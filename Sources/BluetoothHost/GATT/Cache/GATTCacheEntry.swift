/// What is known of one peer's attributes; parts that nobody has discovered yet are missing.
public struct GATTCacheEntry: Hashable, Sendable {
    /// The Database Hash that the peer had, 16 octets as they were read; nil where it has none.
    public var hash: [UInt8]?
    /// All primary services; nil when they were never discovered as a whole.
    public var services: [GATTService]?
    /// All included services, by the handle of the including one.
    public var includedServices: [UInt16: [GATTIncludedService]]
    /// All characteristics, by the handle of their service.
    public var characteristics: [UInt16: [GATTCharacteristic]]
    /// All descriptors, by the handle of their characteristic's value.
    public var descriptors: [UInt16: [GATTDescriptor]]

    /// Knows nothing but, perhaps, the hash.
    public init(hash: [UInt8]? = nil) {
        self.hash = hash
        services = nil
        includedServices = [:]
        characteristics = [:]
        descriptors = [:]
    }

    /// Whether the peer promises to tell when its attributes change.
    public var hasServiceChanged: Bool {
        characteristics.values.contains { $0.contains { $0.uuid == GATTType.serviceChanged } }
    }

    /// Whether there is anything in it.
    public var isEmpty: Bool {
        services == nil && includedServices.isEmpty && characteristics.isEmpty && descriptors.isEmpty
    }
}
