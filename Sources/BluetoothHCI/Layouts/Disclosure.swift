import BluetoothModel

/// The parts of packets above HCI that may be shown. Keys, random values of pairing and passkeys may not, and neither
/// may what the specification does not define.
package enum Disclosure {
    /// The codes of the security manager's packets without secrets: Pairing Request, Pairing Response, Pairing Failed,
    /// Identity Address Information, Security Request and Keypress Notification (Core 6.0, Vol 3, Part H, 3.3).
    private static let securityCodes: Set<UInt8> = [0x01, 0x02, 0x05, 0x09, 0x0B, 0x0E]

    /// The types of advertising data for pairing out of band, and the code of a broadcast (Assigned Numbers, 2.3).
    private static let secretTypes: Set<ADType> = [
        .simplePairingHashC192, .simplePairingRandomizerR192, .securityManagerTKValue, .simplePairingHashC256,
        .simplePairingRandomizerR256, .secureConnectionsConfirmation, .secureConnectionsRandom, .broadcastCode,
    ]

    /// The characteristics whose values are or contain keys (Assigned Numbers, 3.8): Set Identity Resolving Key,
    /// Encrypted Data Key Material, Broadcast Audio Scan Control Point, Broadcast Receive State, AP Sync Key Material,
    /// ESL Response Key Material.
    private static let secretCharacteristics: Set<BluetoothUUID> = [0x2B84, 0x2B88, 0x2BC7, 0x2BC8, 0x2BF7, 0x2BF8]

    /// Returns true if the parameters of a packet of the security manager may be shown.
    package static func shows(securityCode: UInt8) -> Bool { securityCodes.contains(securityCode) }

    /// Returns true if advertising data of a type may be shown.
    package static func shows(_ type: ADType) -> Bool { type.isKnown && !secretTypes.contains(type) }

    /// Returns true if the values of a characteristic may be shown.
    package static func shows(valueOf characteristic: BluetoothUUID) -> Bool {
        !secretCharacteristics.contains(characteristic)
    }

    /// Returns true if the frames of an L2CAP channel may be shown: those of the fixed channels for connectionless
    /// data, signalling and attributes, and of channels that were opened by request. The security manager's channels
    /// are treated separately.
    package static func shows(channel: UInt16) -> Bool { [1, 2, 4, 5].contains(channel) || channel >= 0x40 }

    /// The channels of the security manager, on LE and on BR/EDR.
    package static let securityChannels: Set<UInt16> = [6, 7]
}
