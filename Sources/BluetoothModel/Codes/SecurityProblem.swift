/// The reason why a link does not have the required security.
public struct SecurityProblem: Hashable, Sendable {
    /// The kind of problem.
    public enum Kind: Hashable, Sendable {
        /// The local user refused to pair.
        case refused
        /// The peer rejected or aborted pairing.
        case refusedByPeer
        /// The passkeys or confirmation values of the two devices differ.
        case wrongPasskey
        /// The peer did not answer during pairing.
        case timeout
        /// The peer no longer has the key of the bond.
        case bondLost
        /// There is no bond, and no delegate that may pair.
        case notPaired
        /// An attempt failed a short time ago; the next one is delayed.
        case tooSoon
        /// Too many attempts on the fixed passkey failed. It must be set again.
        case passkeyBlocked
        /// The capabilities of both sides do not reach the required level: the key would be unauthenticated, or not a
        /// key of LE Secure Connections.
        case tooWeak
        /// The key would be shorter than the minimum key size.
        case shortKey
        /// The key would replace a stronger one.
        case weakerThanBond
        /// Out-of-band data is missing.
        case noOutOfBandData
        /// The bond file is damaged, of a newer version, or not readable. It is left unchanged until all bonds are
        /// removed, which creates it again.
        case unreadableBonds
        /// Any other failure.
        case failed
    }

    /// The kind of problem.
    public var kind: Kind
    /// The problem and a remedy.
    public var text: String

    /// Creates a problem.
    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

extension SecurityProblem: CustomStringConvertible {
    /// The problem and a remedy.
    public var description: String { text }
}
