import BluetoothModel

/// What a side offers and asks for at the beginning of pairing: the fields of Pairing Request and Pairing Response
/// (Core 6.0, Vol 3, Part H, 3.5.1 and 3.5.2).
struct PairingFeatures: Hashable {
    /// The sizes of keys that exist, in octets.
    static let keySizes: ClosedRange<UInt8> = 7...16

    var capability: IOCapability
    /// Whether the side has data of the other one that came over another way than this radio.
    var hasOutOfBandData: Bool
    var requirements: AuthenticationRequirements
    /// 7 to 16 octets.
    var maximumKeySize: UInt8
    /// What the central hands over.
    var centralKeys: KeyDistribution
    /// What the peripheral hands over.
    var peripheralKeys: KeyDistribution

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

    /// The six octets after the opcode; nil where there are more or fewer, or one has no meaning.
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

    /// The six octets after the opcode.
    var octets: [UInt8] {
        [
            capability.rawValue, hasOutOfBandData ? 1 : 0, requirements.rawValue, maximumKeySize, centralKeys.rawValue,
            peripheralKeys.rawValue,
        ]
    }

    /// The three octets that the check of LE Secure Connections covers, most significant first.
    var checkedOctets: [UInt8] { [requirements.rawValue, hasOutOfBandData ? 1 : 0, capability.rawValue] }
}
