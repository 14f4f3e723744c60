import BluetoothModel

/// The reason why a pairing failed.
package enum PairingFailure: Error, Hashable, Sendable {
    /// The local side ended pairing and sent the reason to the peer.
    case refused(PairingFailureReason)
    /// The local side ended pairing because its key would have replaced a stronger one.
    case weakerThanBond(KeyStrength)
    /// The local side ended pairing, because it would have replaced the bond of this device without its key and without
    /// a decision of the program.
    case replacesBond(BluetoothAddress)
    /// The peer ended pairing.
    case refusedByPeer(PairingFailureReason)
    /// Too many attempts on the fixed passkey failed; it has to be set again.
    case passkeyBlocked
    /// The local user refused, or the caller cancelled.
    case cancelled
    /// The peer did not respond for 30 s; pairing requires a new link.
    case timeout
    /// The link ended, or could not be encrypted.
    case link(RadioError)

    /// True if the failure may be an attempt to guess, so that the next attempt has to wait.
    var isAttempt: Bool {
        switch self {
        case .refused(let reason), .refusedByPeer(let reason):
            ![
                .pairingNotSupported, .authenticationRequirements, .encryptionKeySize, .repeatedAttempts, .busy,
                .commandNotSupported, .oobNotAvailable,
            ].contains(reason)
        case .cancelled: true
        case .timeout, .link, .weakerThanBond, .replacesBond, .passkeyBlocked: false
        }
    }

    /// The failure as the error of an operation.
    package var radioError: RadioError {
        switch self {
        case .refused(let reason): .security(.init(reason.problem(fromPeer: false), "pairing failed: \(reason)"))
        case .weakerThanBond(let strength):
            .security(
                .init(
                    .weakerThanBond,
                    "the new key would be weaker than the key of the bond (\(strength)), and the stronger key "
                        + "stays"))
        case .replacesBond(let identity):
            .security(
                .init(
                    .bondLost,
                    "\(identity) is bonded, and the link was not encrypted with the key of the bond, so the bond stays: "
                        + "the device was reset, or deleted the bond, or another device uses its address"))
        case .refusedByPeer(let reason):
            .security(.init(reason.problem(fromPeer: true), "the other device aborted pairing: \(reason)"))
        case .passkeyBlocked:
            .security(
                .init(
                    .passkeyBlocked,
                    "the fixed passkey is refused after \(InMemoryPasskeyLimiter.failureLimit) failed attempts, "
                        + "because each of them can have revealed a part of it"))
        case .cancelled: .cancelled
        case .timeout:
            .security(.init(.timeout, "the other device did not continue pairing for 30 s; reconnect to retry"))
        case .link(let error): error
        }
    }
}

extension PairingFailureReason {
    /// Returns the kind of problem to report to the caller.
    fileprivate func problem(fromPeer: Bool) -> SecurityProblem.Kind {
        switch self {
        case .confirmValueFailed, .numericComparisonFailed: .wrongPasskey
        case .authenticationRequirements: .tooWeak
        case .encryptionKeySize: fromPeer ? .refusedByPeer : .shortKey
        case .oobNotAvailable: .noOutOfBandData
        case .repeatedAttempts: .tooSoon
        default: fromPeer ? .refusedByPeer : .failed
        }
    }
}
