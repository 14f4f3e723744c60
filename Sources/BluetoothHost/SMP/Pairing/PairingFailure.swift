import BluetoothModel

/// How a pairing ended that did not end well.
public enum PairingFailure: Error, Hashable, Sendable {
    /// We ended it, and told the peer why.
    case refused(PairingFailureReason)
    /// We ended it, because its key would have taken the place of a better one.
    case weakerThanBond(KeyStrength)
    /// The peer ended it.
    case refusedByPeer(PairingFailureReason)
    /// Too many attempts on the fixed passkey failed; it has to be set anew.
    case passkeyBlocked
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
        case .timeout, .link, .weakerThanBond, .passkeyBlocked: false
        }
    }

    /// The same as the error of an operation.
    public var radioError: RadioError {
        switch self {
        case .refused(let reason): .security(.init(reason.problem(fromPeer: false), "pairing failed: \(reason)"))
        case .weakerThanBond(let strength):
            .security(
                .init(
                    .weakerThanBond,
                    "the other device would pair with less than the bond with it has (\(strength)), and the better key "
                        + "stays"))
        case .refusedByPeer(let reason):
            .security(.init(reason.problem(fromPeer: true), "the other device ended pairing: \(reason)"))
        case .passkeyBlocked:
            .security(
                .init(
                    .passkeyBlocked,
                    "the fixed passkey is refused, because \(InMemoryPasskeyLimiter.failureLimit) attempts on it failed: "
                        + "each of them may have revealed a part of it"))
        case .cancelled: .cancelled
        case .timeout:
            .security(.init(.timeout, "the other device did not go on with pairing for 30 s; connect again to retry"))
        case .link(let error): error
        }
    }
}

extension PairingFailureReason {
    /// What kind of problem it is for whoever wanted to pair.
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
