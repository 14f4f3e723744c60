/// Why a link is not protected as it has to be: what kind of problem, and what happened in words.
public struct SecurityProblem: Hashable, Sendable {
    /// What kind of problem.
    public enum Kind: Hashable, Sendable {
        /// The user here said no.
        case refused
        /// The other device ended pairing.
        case refusedByPeer
        /// The numbers that the two users have are not the same.
        case wrongPasskey
        /// The other side fell silent while pairing.
        case timeout
        /// The other device does not know the key of the bond any more.
        case bondLost
        /// There is no bond, and nobody who may pair.
        case notPaired
        /// An attempt failed a short time ago; the next one has to wait.
        case tooSoon
        /// Too many attempts on the fixed passkey failed: it has to be set anew.
        case passkeyBlocked
        /// What both sides can do is less than is needed: nobody vouches for the key, or it is not one of LE Secure
        /// Connections.
        case tooWeak
        /// The key would be shorter than is accepted here.
        case shortKey
        /// The key would take the place of a better one.
        case weakerThanBond
        /// Data that was to come another way than over the radio is missing.
        case noOutOfBandData
        /// The file with the keys is damaged, of a newer version, or not to be read. It is left alone until all bonds
        /// are forgotten, which makes it anew.
        case unreadableBonds
        /// Anything else.
        case failed
    }

    /// What kind of problem.
    public var kind: Kind
    /// What happened, and what to do about it.
    public var text: String

    /// A problem.
    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

extension SecurityProblem: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}
