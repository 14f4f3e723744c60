/// The type of an advertising structure (Assigned Numbers, 2.3; Core Specification Supplement, Part A).
public struct ADType: RawRepresentable, Hashable, Sendable {
    /// The number that the Bluetooth SIG assigned.
    public var rawValue: UInt8

    /// Creates a type from its number, assigned or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public static let flags = ADType(rawValue: 0x01),
        incompleteServiceUUIDs16 = ADType(rawValue: 0x02), completeServiceUUIDs16 = ADType(rawValue: 0x03),
        incompleteServiceUUIDs32 = ADType(rawValue: 0x04), completeServiceUUIDs32 = ADType(rawValue: 0x05),
        incompleteServiceUUIDs128 = ADType(rawValue: 0x06), completeServiceUUIDs128 = ADType(rawValue: 0x07),
        shortenedLocalName = ADType(rawValue: 0x08), completeLocalName = ADType(rawValue: 0x09),
        txPowerLevel = ADType(rawValue: 0x0A), classOfDevice = ADType(rawValue: 0x0D),
        simplePairingHashC192 = ADType(rawValue: 0x0E), simplePairingRandomizerR192 = ADType(rawValue: 0x0F),
        securityManagerTKValue = ADType(rawValue: 0x10), securityManagerOutOfBandFlags = ADType(rawValue: 0x11),
        peripheralConnectionIntervalRange = ADType(rawValue: 0x12),
        solicitedServiceUUIDs16 = ADType(rawValue: 0x14), solicitedServiceUUIDs128 = ADType(rawValue: 0x15),
        serviceData16 = ADType(rawValue: 0x16), publicTargetAddress = ADType(rawValue: 0x17),
        randomTargetAddress = ADType(rawValue: 0x18), appearance = ADType(rawValue: 0x19),
        advertisingInterval = ADType(rawValue: 0x1A), leDeviceAddress = ADType(rawValue: 0x1B),
        leRole = ADType(rawValue: 0x1C), simplePairingHashC256 = ADType(rawValue: 0x1D),
        simplePairingRandomizerR256 = ADType(rawValue: 0x1E), solicitedServiceUUIDs32 = ADType(rawValue: 0x1F),
        serviceData32 = ADType(rawValue: 0x20), serviceData128 = ADType(rawValue: 0x21),
        secureConnectionsConfirmation = ADType(rawValue: 0x22), secureConnectionsRandom = ADType(rawValue: 0x23),
        uri = ADType(rawValue: 0x24), indoorPositioning = ADType(rawValue: 0x25),
        transportDiscovery = ADType(rawValue: 0x26), leSupportedFeatures = ADType(rawValue: 0x27),
        channelMapUpdate = ADType(rawValue: 0x28), meshProvisioning = ADType(rawValue: 0x29),
        meshMessage = ADType(rawValue: 0x2A), meshBeacon = ADType(rawValue: 0x2B),
        bigInfo = ADType(rawValue: 0x2C), broadcastCode = ADType(rawValue: 0x2D),
        resolvableSetIdentifier = ADType(rawValue: 0x2E), advertisingIntervalLong = ADType(rawValue: 0x2F),
        broadcastName = ADType(rawValue: 0x30), encryptedData = ADType(rawValue: 0x31),
        periodicResponseTiming = ADType(rawValue: 0x32), electronicShelfLabel = ADType(rawValue: 0x34),
        information3D = ADType(rawValue: 0x3D), manufacturerSpecificData = ADType(rawValue: 0xFF)
}

extension ADType: CustomStringConvertible {
    /// The name in the specification, such as "Complete Local Name"; "type 0x3E" for an unknown type.
    public var description: String { Self.names[self] ?? "type 0x" + [rawValue].hexText() }

    /// True if the type is one of the constants above.
    public var isKnown: Bool { Self.names[self] != nil }

    private static let names: [ADType: String] = [
        .flags: "Flags",
        .incompleteServiceUUIDs16: "Service UUIDs (16 bit, incomplete)",
        .completeServiceUUIDs16: "Service UUIDs (16 bit)",
        .incompleteServiceUUIDs32: "Service UUIDs (32 bit, incomplete)",
        .completeServiceUUIDs32: "Service UUIDs (32 bit)",
        .incompleteServiceUUIDs128: "Service UUIDs (128 bit, incomplete)",
        .completeServiceUUIDs128: "Service UUIDs (128 bit)",
        .shortenedLocalName: "Shortened Local Name", .completeLocalName: "Complete Local Name",
        .txPowerLevel: "TX Power Level", .classOfDevice: "Class of Device",
        .simplePairingHashC192: "Simple Pairing Hash C-192",
        .simplePairingRandomizerR192: "Simple Pairing Randomizer R-192",
        .securityManagerTKValue: "Security Manager TK Value",
        .securityManagerOutOfBandFlags: "Security Manager Out of Band Flags",
        .peripheralConnectionIntervalRange: "Peripheral Connection Interval Range",
        .solicitedServiceUUIDs16: "Solicited Service UUIDs (16 bit)",
        .solicitedServiceUUIDs32: "Solicited Service UUIDs (32 bit)",
        .solicitedServiceUUIDs128: "Solicited Service UUIDs (128 bit)",
        .serviceData16: "Service Data (16 bit)", .serviceData32: "Service Data (32 bit)",
        .serviceData128: "Service Data (128 bit)",
        .publicTargetAddress: "Public Target Address", .randomTargetAddress: "Random Target Address",
        .appearance: "Appearance", .advertisingInterval: "Advertising Interval",
        .advertisingIntervalLong: "Advertising Interval (long)",
        .leDeviceAddress: "LE Bluetooth Device Address", .leRole: "LE Role",
        .simplePairingHashC256: "Simple Pairing Hash C-256",
        .simplePairingRandomizerR256: "Simple Pairing Randomizer R-256",
        .secureConnectionsConfirmation: "LE Secure Connections Confirmation Value",
        .secureConnectionsRandom: "LE Secure Connections Random Value",
        .uri: "URI", .indoorPositioning: "Indoor Positioning", .transportDiscovery: "Transport Discovery Data",
        .leSupportedFeatures: "LE Supported Features", .channelMapUpdate: "Channel Map Update Indication",
        .meshProvisioning: "PB-ADV", .meshMessage: "Mesh Message", .meshBeacon: "Mesh Beacon",
        .bigInfo: "BIGInfo", .broadcastCode: "Broadcast Code",
        .resolvableSetIdentifier: "Resolvable Set Identifier", .broadcastName: "Broadcast Name",
        .encryptedData: "Encrypted Advertising Data",
        .periodicResponseTiming: "Periodic Advertising Response Timing",
        .electronicShelfLabel: "Electronic Shelf Label", .information3D: "3D Information Data",
        .manufacturerSpecificData: "Manufacturer Specific Data",
    ]
}
