/// The handles of a placed characteristic of the local server.
package struct GATTPlacedCharacteristic: Hashable, Sendable {
    /// The handle of the declaration.
    package var declarationHandle: UInt16
    /// The handle of the value.
    package var valueHandle: UInt16
    /// The handle of the client characteristic configuration; nil if there is none.
    package var configurationHandle: UInt16?
    /// The handles of the descriptors, in the order of the definition.
    package var descriptorHandles: [UInt16]
}

/// The handles of a placed service of the local server.
package struct GATTPlacedService: Hashable, Sendable {
    /// The handles of its attributes, the declaration first.
    package var range: ClosedRange<UInt16>
    /// Its characteristics, in the order of the definition.
    package var characteristics: [GATTPlacedCharacteristic]

    /// The handle of the declaration, which identifies the service.
    package var handle: UInt16 { range.lowerBound }
}
