import BluetoothModel

/// The features of one side in a Pairing Request or Pairing Response (Core 6.0, Vol 3, Part H, 3.5.1 and 3.5.2).
package struct PairingFeatures: Hashable {
    /// The valid encryption key sizes, in octets.
    static let keySizes: ClosedRange<UInt8> = 7...16

    package var capability: IOCapability
    /// True if the side has out-of-band data of the other side.
    package var hasOutOfBandData: Bool
    package var requirements: AuthenticationRequirements
    /// The maximum encryption key size, 7 to 16 octets.
    package var maximumKeySize: UInt8
    /// The keys that the central distributes.
    package var centralKeys: KeyDistribution
    /// The keys that the peripheral distributes.
    package var peripheralKeys: KeyDistribution

    init(
        capability: IOCapability, hasOutOfBandData: Bool, requirements: AuthenticationRequirements,
        maximumKeySize: UInt8, centralKeys: KeyDistribution, peripheralKeys: KeyDistribution
    ) {
        self.capability = capability
        self.hasOutOfBandData = hasOutOfBandData
        self.requirements = requirements
        self.maximumKeySize = maximumKeySize
        self.centralKeys = centralKeys
        self.peripheralKeys = peripheralKeys
    }

    /// Parses the six octets after the opcode; nil for another length or an invalid value.
    init?(_ reader: inout ByteReader) {
        guard reader.count == 6, let capability = reader.uint8().flatMap(IOCapability.init(rawValue:)),
            let outOfBand = reader.uint8(), outOfBand <= 1, let requirements = reader.uint8(),
            let size = reader.uint8(), Self.keySizes.contains(size), let central = reader.uint8(),
            let peripheral = reader.uint8()
        else { return nil }
        self.init(
            capability: capability, hasOutOfBandData: outOfBand == 1,
            requirements: AuthenticationRequirements(rawValue: requirements), maximumKeySize: size,
            centralKeys: KeyDistribution(rawValue: central), peripheralKeys: KeyDistribution(rawValue: peripheral))
    }

    /// The encoded features: the six octets after the opcode.
    var octets: [UInt8] {
        [
            capability.rawValue, hasOutOfBandData ? 1 : 0, requirements.rawValue, maximumKeySize, centralKeys.rawValue,
            peripheralKeys.rawValue,
        ]
    }

    /// The three octets that the DHKey check covers, most significant first.
    var checkedOctets: [UInt8] { [requirements.rawValue, hasOutOfBandData ? 1 : 0, capability.rawValue] }
}
