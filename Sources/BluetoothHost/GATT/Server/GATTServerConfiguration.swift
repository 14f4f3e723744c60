import BluetoothModel

/// The device information and the behaviour of a GATT server.
package struct GATTServerConfiguration: Hashable, Sendable {
    /// The device's name, up to 248 octets of UTF-8 (Core 6.0, Vol 3, Part C, 12.1).
    package var name: String
    /// The appearance of the device.
    package var appearance: Appearance
    /// The Peripheral Preferred Connection Parameters; nil to omit the characteristic.
    package var preferredParameters: ConnectionParametersRequest?
    /// True if the device, as central, resolves private addresses.
    package var supportsAddressResolution: Bool
    /// The first handle of the service 1800; nil for the next free one.
    package var gapHandle: UInt16?
    /// The first handle of the service 1801; nil for the next free one.
    package var gattHandle: UInt16?
    /// The minimum encryption key size, 7 to 16 octets.
    package var minimumKeySize: UInt8
    /// The time after which a read or write that the delegate has not answered fails with Unlikely Error. It must be
    /// less than the transaction timeout of 30 s, after which the client disconnects.
    package var answerTimeout: Duration

    /// Creates a configuration.
    package init(
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
    /// The definition of the service 1800 (Core 6.0, Vol 3, Part C, 12).
    var gapService: GATTServiceDefinition {
        var characteristics = [
            GATTCharacteristicDefinition(
                uuid: GATTType.deviceName, properties: .read, value: .kept(Self.nameBytes(name))),
            GATTCharacteristicDefinition(
                uuid: GATTType.appearance, properties: .read, value: .kept(Self.bytes(appearance.rawValue))),
        ]
        if let wish = preferredParameters {
            let value = [
                wish.intervalUnits.lowerBound, wish.intervalUnits.upperBound, wish.latency, wish.timeoutUnits,
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

    /// The definition of the service 1801 (Core 6.0, Vol 3, Part G, 7).
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

    /// Returns the attribute value of a name, truncated to 248 octets at a character boundary.
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
