/// The error code of an ATT Error Response (Core 6.0, Vol 3, Part F, 3.4.1.1; Supplement, Part B).
///
/// Conforms to `Error` so that handlers of client requests can throw it.
public struct ATTErrorCode: RawRepresentable, Error, Hashable, Sendable {
    /// The code in the packet.
    public var rawValue: UInt8

    /// Creates a code, assigned or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public static let invalidHandle = ATTErrorCode(rawValue: 0x01), readNotPermitted = ATTErrorCode(rawValue: 0x02),
        writeNotPermitted = ATTErrorCode(rawValue: 0x03), invalidPDU = ATTErrorCode(rawValue: 0x04),
        insufficientAuthentication = ATTErrorCode(rawValue: 0x05), requestNotSupported = ATTErrorCode(rawValue: 0x06),
        invalidOffset = ATTErrorCode(rawValue: 0x07), insufficientAuthorization = ATTErrorCode(rawValue: 0x08),
        prepareQueueFull = ATTErrorCode(rawValue: 0x09), attributeNotFound = ATTErrorCode(rawValue: 0x0A),
        attributeNotLong = ATTErrorCode(rawValue: 0x0B), insufficientKeySize = ATTErrorCode(rawValue: 0x0C),
        invalidValueLength = ATTErrorCode(rawValue: 0x0D), unlikelyError = ATTErrorCode(rawValue: 0x0E),
        insufficientEncryption = ATTErrorCode(rawValue: 0x0F), unsupportedGroupType = ATTErrorCode(rawValue: 0x10),
        insufficientResources = ATTErrorCode(rawValue: 0x11), databaseOutOfSync = ATTErrorCode(rawValue: 0x12),
        valueNotAllowed = ATTErrorCode(rawValue: 0x13), writeRequestRejected = ATTErrorCode(rawValue: 0xFC),
        cccdImproperlyConfigured = ATTErrorCode(rawValue: 0xFD),
        procedureAlreadyInProgress = ATTErrorCode(rawValue: 0xFE), outOfRange = ATTErrorCode(rawValue: 0xFF)

    /// True if pairing or a stronger key may resolve the error.
    public var asksForSecurity: Bool {
        switch self {
        case .insufficientAuthentication, .insufficientEncryption, .insufficientKeySize: true
        default: false
        }
    }
}

extension ATTErrorCode: CustomStringConvertible {
    /// The name, followed by the code: "read not permitted (0x02)".
    public var description: String {
        let code = "0x" + [rawValue].hexText()
        if let meaning = Self.meanings[self] { return "\(meaning) (\(code))" }
        return (0x80...0x9F).contains(rawValue) ? "application error \(code)" : "ATT error \(code)"
    }

    private static let meanings: [ATTErrorCode: String] = [
        .invalidHandle: "invalid handle", .readNotPermitted: "read not permitted",
        .writeNotPermitted: "write not permitted", .invalidPDU: "invalid PDU",
        .insufficientAuthentication: "insufficient authentication", .requestNotSupported: "request not supported",
        .invalidOffset: "invalid offset", .insufficientAuthorization: "insufficient authorization",
        .prepareQueueFull: "prepare queue full", .attributeNotFound: "attribute not found",
        .attributeNotLong: "attribute not long", .insufficientKeySize: "insufficient encryption key size",
        .invalidValueLength: "invalid attribute value length", .unlikelyError: "unlikely error",
        .insufficientEncryption: "insufficient encryption", .unsupportedGroupType: "unsupported group type",
        .insufficientResources: "insufficient resources", .databaseOutOfSync: "database out of sync",
        .valueNotAllowed: "value not allowed", .writeRequestRejected: "write request rejected",
        .cccdImproperlyConfigured: "client characteristic configuration improperly configured",
        .procedureAlreadyInProgress: "procedure already in progress", .outOfRange: "out of range",
    ]
}
