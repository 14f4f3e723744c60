import BluetoothModel

/// The subevent code of an LE Meta event (Core 6.0, Vol 4, Part E, 7.7.65).
public struct LEEventCode: RawRepresentable, Hashable, Sendable {
    /// The code in the packet.
    public var rawValue: UInt8

    /// Creates a code, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE Connection Complete (7.7.65.1).
    public static let connectionComplete = LEEventCode(rawValue: 0x01)
    /// LE Advertising Report (7.7.65.2).
    public static let advertisingReport = LEEventCode(rawValue: 0x02)
    /// LE Connection Update Complete (7.7.65.3).
    public static let connectionUpdateComplete = LEEventCode(rawValue: 0x03)
    /// LE Read Remote Features Page 0 Complete (7.7.65.4).
    public static let readRemoteFeaturesComplete = LEEventCode(rawValue: 0x04)
    /// LE Long Term Key Request (7.7.65.5).
    public static let longTermKeyRequest = LEEventCode(rawValue: 0x05)
    /// LE Remote Connection Parameter Request (7.7.65.6).
    public static let remoteConnectionParameterRequest = LEEventCode(rawValue: 0x06)
    /// LE Data Length Change (7.7.65.7).
    public static let dataLengthChange = LEEventCode(rawValue: 0x07)
    /// LE Read Local P-256 Public Key Complete (7.7.65.8).
    public static let readLocalP256PublicKeyComplete = LEEventCode(rawValue: 0x08)
    /// LE Generate DHKey Complete (7.7.65.9).
    public static let generateDHKeyComplete = LEEventCode(rawValue: 0x09)
    /// LE Enhanced Connection Complete [v1] (7.7.65.10).
    public static let enhancedConnectionComplete = LEEventCode(rawValue: 0x0A)
    /// LE Directed Advertising Report (7.7.65.11).
    public static let directedAdvertisingReport = LEEventCode(rawValue: 0x0B)
    /// LE PHY Update Complete (7.7.65.12).
    public static let phyUpdateComplete = LEEventCode(rawValue: 0x0C)
    /// LE Extended Advertising Report (7.7.65.13).
    public static let extendedAdvertisingReport = LEEventCode(rawValue: 0x0D)
    /// LE Periodic Advertising Sync Established (7.7.65.14).
    public static let periodicAdvertisingSyncEstablished = LEEventCode(rawValue: 0x0E)
    /// LE Periodic Advertising Report (7.7.65.15).
    public static let periodicAdvertisingReport = LEEventCode(rawValue: 0x0F)
    /// LE Periodic Advertising Sync Lost (7.7.65.16).
    public static let periodicAdvertisingSyncLost = LEEventCode(rawValue: 0x10)
    /// LE Scan Timeout (7.7.65.17).
    public static let scanTimeout = LEEventCode(rawValue: 0x11)
    /// LE Advertising Set Terminated (7.7.65.18).
    public static let advertisingSetTerminated = LEEventCode(rawValue: 0x12)
    /// LE Scan Request Received (7.7.65.19).
    public static let scanRequestReceived = LEEventCode(rawValue: 0x13)
    /// LE Channel Selection Algorithm (7.7.65.20).
    public static let channelSelectionAlgorithm = LEEventCode(rawValue: 0x14)
}

extension LEEventCode: CustomStringConvertible {
    /// The name in the specification, or the code in hexadecimal if it is unknown.
    public var description: String {
        Self.names[self] ?? PacketLayouts.lowEnergyEventNames[UInt16(rawValue)] ?? "LE event 0x\([rawValue].hexText())"
    }

    private static let names: [LEEventCode: String] = [
        .connectionComplete: "LE Connection Complete",
        .advertisingReport: "LE Advertising Report",
        .connectionUpdateComplete: "LE Connection Update Complete",
        .readRemoteFeaturesComplete: "LE Read Remote Features Page 0 Complete",
        .longTermKeyRequest: "LE Long Term Key Request",
        .remoteConnectionParameterRequest: "LE Remote Connection Parameter Request",
        .dataLengthChange: "LE Data Length Change",
        .readLocalP256PublicKeyComplete: "LE Read Local P-256 Public Key Complete",
        .generateDHKeyComplete: "LE Generate DHKey Complete",
        .enhancedConnectionComplete: "LE Enhanced Connection Complete [v1]",
        .directedAdvertisingReport: "LE Directed Advertising Report",
        .phyUpdateComplete: "LE PHY Update Complete",
        .extendedAdvertisingReport: "LE Extended Advertising Report",
        .periodicAdvertisingSyncEstablished: "LE Periodic Advertising Sync Established",
        .periodicAdvertisingReport: "LE Periodic Advertising Report",
        .periodicAdvertisingSyncLost: "LE Periodic Advertising Sync Lost",
        .scanTimeout: "LE Scan Timeout",
        .advertisingSetTerminated: "LE Advertising Set Terminated",
        .scanRequestReceived: "LE Scan Request Received",
        .channelSelectionAlgorithm: "LE Channel Selection Algorithm",
    ]
}
