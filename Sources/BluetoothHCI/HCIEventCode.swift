import BluetoothModel

/// The code of an event (Core 6.0, Vol 4, Part E, 7.7).
public struct HCIEventCode: RawRepresentable, Hashable, Sendable {
    /// The code in the packet.
    public var rawValue: UInt8

    /// Creates a code, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Disconnection Complete (7.7.5).
    public static let disconnectionComplete = HCIEventCode(rawValue: 0x05)
    /// Encryption Change [v1] (7.7.8).
    public static let encryptionChange = HCIEventCode(rawValue: 0x08)
    /// Read Remote Version Information Complete (7.7.12).
    public static let readRemoteVersionComplete = HCIEventCode(rawValue: 0x0C)
    /// Command Complete (7.7.14).
    public static let commandComplete = HCIEventCode(rawValue: 0x0E)
    /// Command Status (7.7.15).
    public static let commandStatus = HCIEventCode(rawValue: 0x0F)
    /// Hardware Error (7.7.16).
    public static let hardwareError = HCIEventCode(rawValue: 0x10)
    /// Number Of Completed Packets (7.7.19).
    public static let numberOfCompletedPackets = HCIEventCode(rawValue: 0x13)
    /// Data Buffer Overflow (7.7.26).
    public static let dataBufferOverflow = HCIEventCode(rawValue: 0x1A)
    /// Encryption Key Refresh Complete (7.7.39).
    public static let encryptionKeyRefreshComplete = HCIEventCode(rawValue: 0x30)
    /// LE Meta (7.7.65).
    public static let leMeta = HCIEventCode(rawValue: 0x3E)
    /// Authenticated Payload Timeout Expired (7.7.75).
    public static let authenticatedPayloadTimeoutExpired = HCIEventCode(rawValue: 0x57)
    /// Encryption Change [v2] (7.7.8).
    public static let encryptionChangeV2 = HCIEventCode(rawValue: 0x59)
    /// Vendor Specific (5.4.4).
    public static let vendorSpecific = HCIEventCode(rawValue: 0xFF)
}

extension HCIEventCode: CustomStringConvertible {
    /// The name in the specification, or the code in hexadecimal if it is unknown.
    public var description: String {
        Self.names[self] ?? PacketLayouts.eventNames[UInt16(rawValue)] ?? "event 0x\([rawValue].hexText())"
    }

    private static let names: [HCIEventCode: String] = [
        .disconnectionComplete: "Disconnection Complete",
        .encryptionChange: "Encryption Change [v1]",
        .readRemoteVersionComplete: "Read Remote Version Information Complete",
        .commandComplete: "Command Complete",
        .commandStatus: "Command Status",
        .hardwareError: "Hardware Error",
        .numberOfCompletedPackets: "Number Of Completed Packets",
        .dataBufferOverflow: "Data Buffer Overflow",
        .encryptionKeyRefreshComplete: "Encryption Key Refresh Complete",
        .leMeta: "LE Meta",
        .authenticatedPayloadTimeoutExpired: "Authenticated Payload Timeout Expired",
        .encryptionChangeV2: "Encryption Change [v2]",
        .vendorSpecific: "Vendor Specific",
    ]
}
