import BluetoothModel

/// Minimum security of pairings and bonds, beyond the permissions of attributes.
///
/// Each user of an adapter has its own policy. A link follows the strictest policy of its users; a user whose policy a
/// link does not meet gets no share in it.
public struct SecurityPolicy: Hashable, Sendable {
    /// The shortest encryption key, 7 to 16 octets. Keys below 16 octets can be guessed; lower it only for a device
    /// that has no better one.
    public var minimumKeySize: UInt8
    /// Whether only authenticated LE Secure Connections is accepted (Core 6.0, Vol 3, Part C, 10.2.4): no Just Works,
    /// no legacy pairing, and no bond that came of them.
    public var requiresSecureConnections: Bool

    /// A policy; a key size out of range counts as the nearest one in it.
    public init(minimumKeySize: UInt8 = 16, requiresSecureConnections: Bool = false) {
        self.minimumKeySize = minimumKeySize
        self.requiresSecureConnections = requiresSecureConnections
    }
}

extension SecurityPolicy {
    /// The key size within 7 to 16 octets.
    package var keySize: UInt8 { min(16, max(7, minimumKeySize)) }

    /// The demands of both policies.
    package func union(_ other: SecurityPolicy) -> SecurityPolicy {
        SecurityPolicy(
            minimumKeySize: max(keySize, other.keySize),
            requiresSecureConnections: requiresSecureConnections || other.requiresSecureConnections)
    }

    /// The demands that both policies share.
    package func intersection(_ other: SecurityPolicy) -> SecurityPolicy {
        SecurityPolicy(
            minimumKeySize: min(keySize, other.keySize),
            requiresSecureConnections: requiresSecureConnections && other.requiresSecureConnections)
    }

    /// The reason why an encrypted link does not meet the policy; nil where it does. A link without encryption meets
    /// every policy: what protects it later is checked then.
    package func refusal(of security: LinkSecurity) -> RadioError? {
        guard security.level > .none else { return nil }
        if requiresSecureConnections, security.level < .secureConnections {
            return .security(
                .init(
                    .tooWeak,
                    "the link is only \(security.level), and authenticated LE Secure Connections is required"))
        }
        guard security.keySize < keySize else { return nil }
        return .security(
            .init(
                .shortKey,
                "the key of the link has \(security.keySize) octets, and at least \(keySize) are required"))
    }
}
