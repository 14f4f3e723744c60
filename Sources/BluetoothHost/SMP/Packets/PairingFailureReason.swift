import BluetoothModel

/// The reason for a failed pairing (Core 6.0, Vol 3, Part H, 3.5.5).
package struct PairingFailureReason: RawRepresentable, Error, Hashable, Sendable {
    /// The value of the packet field.
    package var rawValue: UInt8

    /// Creates a reason, known or not.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    package static let passkeyEntryFailed = PairingFailureReason(rawValue: 0x01),
        oobNotAvailable = PairingFailureReason(rawValue: 0x02),
        authenticationRequirements = PairingFailureReason(rawValue: 0x03),
        confirmValueFailed = PairingFailureReason(rawValue: 0x04),
        pairingNotSupported = PairingFailureReason(rawValue: 0x05),
        encryptionKeySize = PairingFailureReason(rawValue: 0x06),
        commandNotSupported = PairingFailureReason(rawValue: 0x07),
        unspecifiedReason = PairingFailureReason(rawValue: 0x08),
        repeatedAttempts = PairingFailureReason(rawValue: 0x09),
        invalidParameters = PairingFailureReason(rawValue: 0x0A),
        dhKeyCheckFailed = PairingFailureReason(rawValue: 0x0B),
        numericComparisonFailed = PairingFailureReason(rawValue: 0x0C),
        classicPairingInProgress = PairingFailureReason(rawValue: 0x0D),
        crossTransportNotAllowed = PairingFailureReason(rawValue: 0x0E),
        keyRejected = PairingFailureReason(rawValue: 0x0F), busy = PairingFailureReason(rawValue: 0x10)
}

extension PairingFailureReason: CustomStringConvertible {
    /// A short description with the code, such as "passkey entry failed (0x01)".
    package var description: String {
        let code = "0x" + [rawValue].hexText()
        guard let meaning = Self.meanings[self] else { return "pairing failure \(code)" }
        return "\(meaning) (\(code))"
    }

    private static let meanings: [PairingFailureReason: String] = [
        .passkeyEntryFailed: "passkey entry failed", .oobNotAvailable: "no out-of-band data",
        .authenticationRequirements: "authentication requirements cannot be met",
        .confirmValueFailed: "the confirm values do not match", .pairingNotSupported: "pairing is not supported",
        .encryptionKeySize: "the key would be too short", .commandNotSupported: "command not supported",
        .unspecifiedReason: "unspecified reason", .repeatedAttempts: "too soon after a failed attempt",
        .invalidParameters: "invalid parameters", .dhKeyCheckFailed: "the key check failed",
        .numericComparisonFailed: "the numbers were not confirmed as equal",
        .classicPairingInProgress: "pairing over Bluetooth Classic is in progress",
        .crossTransportNotAllowed: "a key must not be derived for the other transport",
        .keyRejected: "a key was rejected", .busy: "busy",
    ]
}
