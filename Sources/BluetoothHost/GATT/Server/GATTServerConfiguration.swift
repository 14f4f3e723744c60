import BluetoothModel

/// What a GATT server says about the device that it belongs to, and how it behaves.
public struct GATTServerConfiguration: Hashable, Sendable {
    /// The device's name, up to 248 octets of UTF-8 (Core 6.0, Vol 3, Part C, 12.1).
    public var name: String
    /// What the device looks like.
    public var appearance: Appearance
    /// The connection parameters that the device would like; nil to have no such characteristic.
    public var preferredParameters: ConnectionParametersRequest?
    /// Whether the device, as central, finds peers behind private addresses.
    public var supportsAddressResolution: Bool
    /// Where the service 1800 begins; nil for the next free handle.
    public var gapHandle: UInt16?
    /// Where the service 1801 begins; nil for the next free handle.
    public var gattHandle: UInt16?
    /// The smallest key, 7 to 16 octets, that counts as encryption.
    public var minimumKeySize: UInt8
    /// How long the delegate has for an answer before the client gets Unlikely Error; less than the 30 s after which
    /// the client ends the link.
    public var answerTimeout: Duration

    /// A configuration.
    public init(
        name: String = "Harald", appearance: Appearance = Appearance(rawValue: 0),
        preferredParameters: ConnectionParametersRequest? = nil, supportsAddressResolution: Bool = false,
        gapHandle: UInt16? = nil, gattHandle: UInt16? = nil, minimumKeySize: UInt8 = 7,
        answerTimeout: Duration = .seconds(25)
    ) {
        self.name = name
        self.appearance = appearance
        self.preferredParameters = preferredParameters
        self.supportsAddressResolution = supportsAddressResolution
        self.gapHandle = gapHandle
        self.gattHandle = gattHandle
        self.minimumKeySize = minimumKeySize
        self.answerTimeout = answerTimeout
    }
}

extension GATTServerConfiguration {
    /// The service 1800 (Core 6.0, Vol 3, Part C, 12).
    var gapService: GATTServiceDefinition {
        var characteristics = [
            GATTCharacteristicDefinition(
                uuid: GATTType.deviceName, properties: .read, value: .kept(Self.nameBytes(name))),
            GATTCharacteristicDefinition(
                uuid: GATTType.appearance, properties: .read, value: .kept(Self.bytes(appearance.rawValue))),
        ]
        if let wish = preferredParameters {
            let value = [
                wish.intervalRange.lowerBound, wish.intervalRange.upperBound, wish.latency, wish.supervisionTimeout,
            ]
            characteristics.append(
                GATTCharacteristicDefinition(
                    uuid: GATTType.preferredParameters, properties: .read, value: .kept(value.flatMap(Self.bytes))))
        }
        characteristics.append(
            GATTCharacteristicDefinition(
                uuid: GATTType.addressResolution, properties: .read,
                value: .kept([supportsAddressResolution ? 1 : 0])))
        return GATTServiceDefinition(
            uuid: GATTType.gapService, characteristics: characteristics, handle: gapHandle)
    }

    /// The service 1801 (Core 6.0, Vol 3, Part G, 7).
    var gattService: GATTServiceDefinition {
        GATTServiceDefinition(
            uuid: GATTType.gattService,
            characteristics: [
                GATTCharacteristicDefinition(
                    uuid: GATTType.serviceChanged, properties: .indicate, value: .kept([])),
                GATTCharacteristicDefinition(
                    uuid: GATTType.clientFeatures, properties: [.read, .write], value: .dynamic),
                GATTCharacteristicDefinition(uuid: GATTType.databaseHash, properties: .read, value: .dynamic),
                GATTCharacteristicDefinition(
                    uuid: GATTType.serverFeatures, properties: .read, value: .kept([0])),
            ], handle: gattHandle)
    }

    /// A name as it stands in an attribute, cut off between two characters.
    static func nameBytes(_ name: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for character in name {
            let next = Array(character.utf8)
            guard bytes.count + next.count <= 248 else { break }
            bytes += next
        }
        return bytes
    }

    private static func bytes(_ value: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
}
