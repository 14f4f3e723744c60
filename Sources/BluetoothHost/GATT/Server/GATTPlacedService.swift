/// The handles of a placed characteristic of the local server.
public struct GATTPlacedCharacteristic: Hashable, Sendable {
    /// The handle of the declaration.
    public var declarationHandle: UInt16
    /// The handle of the value.
    public var valueHandle: UInt16
    /// The handle of the client characteristic configuration; nil if there is none.
    public var configurationHandle: UInt16?
    /// The handles of the descriptors, in the order of the definition.
    public var descriptorHandles: [UInt16]
}

/// The handles of a placed service of the local server.
public struct GATTPlacedService: Hashable, Sendable {
    /// The handles of its attributes, the declaration first.
    public var range: ClosedRange<UInt16>
    /// Its characteristics, in the order of the definition.
    public var characteristics: [GATTPlacedCharacteristic]

    /// The handle of the declaration, which identifies the service.
    public var handle: UInt16 { range.lowerBound }
}
