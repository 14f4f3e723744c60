import BluetoothModel

/// How a pairing ended that did not end well.
public enum PairingFailure: Error, Hashable, Sendable {
    /// We ended it, and told the peer why.
    case refused(PairingFailureReason)
    /// The peer ended it.
    case refusedByPeer(PairingFailureReason)
    /// The user here said no, or the caller gave up.
    case cancelled
    /// The other side said nothing for 30 s; pairing needs a new link now.
    case timeout
    /// The link ended, or could not be encrypted.
    case link(RadioError)

    /// Whether somebody may be guessing: the next attempt has to wait.
    var isAttempt: Bool {
        switch self {
        case .refused(let reason), .refusedByPeer(let reason):
            ![
                .pairingNotSupported, .authenticationRequirements, .encryptionKeySize, .repeatedAttempts, .busy,
                .commandNotSupported, .oobNotAvailable,
            ].contains(reason)
        case .cancelled: true
        case .timeout, .link: false
        }
    }

    /// The same as the error of an operation.
    public var radioError: RadioError {
        switch self {
        case .refused(let reason): .security("pairing failed: \(reason)")
        case .refusedByPeer(let reason): .security("the other device ended pairing: \(reason)")
        case .cancelled: .cancelled
        case .timeout: .security("the other device did not go on with pairing for 30 s; connect again to retry")
        case .link(let error): error
        }
    }
}
