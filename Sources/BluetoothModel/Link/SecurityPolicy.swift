/// Minimum security of pairings and bonds, beyond the permissions of attributes.
///
/// Each user of an adapter has its own policy. A link follows the strictest policy of its users; a link that does not
/// meet the policy of a user is not shared with it.
public struct SecurityPolicy: Hashable, Sendable {
    /// The minimum encryption key size, 7 to 16 octets. Keys below 16 octets can be guessed; lower it only for a device
    /// that does not support a longer one.
    public var minimumKeySize: UInt8
    /// True to accept only authenticated LE Secure Connections (Core 6.0, Vol 3, Part C, 10.2.4): no Just Works, no
    /// legacy pairing, and no bond that resulted from them.
    public var requiresSecureConnections: Bool

    /// Creates a policy; a key size out of range is clamped.
    public init(minimumKeySize: UInt8 = 16, requiresSecureConnections: Bool = false) {
        self.minimumKeySize = minimumKeySize
        self.requiresSecureConnections = requiresSecureConnections
    }
}

extension SecurityPolicy {
    /// The minimum key size, clamped to 7 to 16 octets.
    package var keySize: UInt8 { min(16, max(7, minimumKeySize)) }

    /// Returns the requirements of either policy.
    package func union(_ other: SecurityPolicy) -> SecurityPolicy {
        SecurityPolicy(
            minimumKeySize: max(keySize, other.keySize),
            requiresSecureConnections: requiresSecureConnections || other.requiresSecureConnections)
    }

    /// Returns the requirements that both policies have in common.
    package func intersection(_ other: SecurityPolicy) -> SecurityPolicy {
        SecurityPolicy(
            minimumKeySize: min(keySize, other.keySize),
            requiresSecureConnections: requiresSecureConnections && other.requiresSecureConnections)
    }

    /// Returns the reason why an encrypted link does not meet the policy; nil if it does. A link without encryption
    /// meets every policy: it is checked when it is encrypted.
    package func refusal(of security: LinkSecurity) -> RadioError? {
        guard security.level > .none else { return nil }
        if requiresSecureConnections, security.level < .secureConnections {
            return .security(
                .init(
                    .tooWeak,
                    "the link is only \(security.level), but authenticated LE Secure Connections is required"))
        }
        guard security.keySize < keySize else { return nil }
        return .security(
            .init(
                .shortKey,
                "the key of the link has \(security.keySize) octets, but at least \(keySize) are required"))
    }
}
