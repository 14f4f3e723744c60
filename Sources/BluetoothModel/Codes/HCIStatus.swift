/// A status code of a controller: the result of a command, or the reason for a disconnection (Core 6.0, Vol 1, Part F).
public struct HCIStatus: RawRepresentable, Hashable, Sendable {
    /// The code in the packet.
    public var rawValue: UInt8

    /// Creates a code, assigned or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public static let success = HCIStatus(rawValue: 0x00), unknownCommand = HCIStatus(rawValue: 0x01),
        unknownConnection = HCIStatus(rawValue: 0x02), hardwareFailure = HCIStatus(rawValue: 0x03),
        authenticationFailure = HCIStatus(rawValue: 0x05), pinOrKeyMissing = HCIStatus(rawValue: 0x06),
        memoryCapacityExceeded = HCIStatus(rawValue: 0x07), connectionTimeout = HCIStatus(rawValue: 0x08),
        connectionLimitExceeded = HCIStatus(rawValue: 0x09), connectionAlreadyExists = HCIStatus(rawValue: 0x0B),
        commandDisallowed = HCIStatus(rawValue: 0x0C), limitedResources = HCIStatus(rawValue: 0x0D),
        securityReasons = HCIStatus(rawValue: 0x0E), unsupportedFeature = HCIStatus(rawValue: 0x11),
        invalidParameters = HCIStatus(rawValue: 0x12), remoteUserTerminated = HCIStatus(rawValue: 0x13),
        remoteLowResources = HCIStatus(rawValue: 0x14), remotePowerOff = HCIStatus(rawValue: 0x15),
        localHostTerminated = HCIStatus(rawValue: 0x16), pairingNotAllowed = HCIStatus(rawValue: 0x18),
        unsupportedRemoteFeature = HCIStatus(rawValue: 0x1A), unspecified = HCIStatus(rawValue: 0x1F),
        llResponseTimeout = HCIStatus(rawValue: 0x22), llProcedureCollision = HCIStatus(rawValue: 0x23),
        instantPassed = HCIStatus(rawValue: 0x28), differentTransactionCollision = HCIStatus(rawValue: 0x2A),
        insufficientSecurity = HCIStatus(rawValue: 0x2F), parameterOutOfRange = HCIStatus(rawValue: 0x30),
        controllerBusy = HCIStatus(rawValue: 0x3A), unacceptableParameters = HCIStatus(rawValue: 0x3B),
        advertisingTimeout = HCIStatus(rawValue: 0x3C), micFailure = HCIStatus(rawValue: 0x3D),
        failedToEstablish = HCIStatus(rawValue: 0x3E), unknownAdvertisingIdentifier = HCIStatus(rawValue: 0x42),
        limitReached = HCIStatus(rawValue: 0x43), cancelledByHost = HCIStatus(rawValue: 0x44),
        packetTooLong = HCIStatus(rawValue: 0x45)
}

extension HCIStatus: CustomStringConvertible {
    /// The name, followed by the code: "connection timeout (0x08)".
    public var description: String {
        let code = "0x" + [rawValue].hexText()
        guard let meaning = Self.meanings[self] else { return "controller error \(code)" }
        return "\(meaning) (\(code))"
    }

    private static let meanings: [HCIStatus: String] = [
        .success: "success", .unknownCommand: "unknown command", .unknownConnection: "unknown connection",
        .hardwareFailure: "hardware failure", .authenticationFailure: "authentication failure",
        .pinOrKeyMissing: "key missing", .memoryCapacityExceeded: "the controller's memory is full",
        .connectionTimeout: "connection timeout", .connectionLimitExceeded: "too many connections",
        .connectionAlreadyExists: "already connected", .commandDisallowed: "command disallowed",
        .limitedResources: "rejected for limited resources", .securityReasons: "rejected for security reasons",
        .unsupportedFeature: "unsupported feature", .invalidParameters: "invalid parameters",
        .remoteUserTerminated: "the peer disconnected", .remoteLowResources: "the peer is low on resources",
        .remotePowerOff: "the peer is powering off", .localHostTerminated: "disconnected by this host",
        .pairingNotAllowed: "pairing not allowed", .unsupportedRemoteFeature: "the peer lacks the feature",
        .unspecified: "unspecified error", .llResponseTimeout: "the peer's link layer did not answer",
        .llProcedureCollision: "link layer procedure collision", .instantPassed: "instant passed",
        .differentTransactionCollision: "procedure collision", .insufficientSecurity: "insufficient security",
        .parameterOutOfRange: "parameter out of range", .controllerBusy: "controller busy",
        .unacceptableParameters: "unacceptable connection parameters", .advertisingTimeout: "advertising timeout",
        .micFailure: "message integrity failure", .failedToEstablish: "the connection failed to be established",
        .unknownAdvertisingIdentifier: "unknown advertising set", .limitReached: "limit reached",
        .cancelledByHost: "cancelled by this host", .packetTooLong: "packet too long",
    ]
}
