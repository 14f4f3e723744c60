/// How well a link is protected (Core 6.0, Vol 3, Part C, 10.2.1).
public struct LinkSecurity: Hashable, Sendable {
    /// The levels of LE security mode 1.
    public enum Level: Int, Hashable, Comparable, Sendable {
        /// Nothing is encrypted.
        case none = 1
        /// Encrypted, with a key that anybody in the middle could know.
        case encrypted
        /// Encrypted, with a key that the users vouched for.
        case authenticated
        /// Authenticated, with a key of 16 octets made by LE Secure Connections.
        case secureConnections

        /// Whether `left` protects less.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// What the link has now.
    public var level: Level
    /// The size of the key in octets, 7 to 16; 0 where nothing is encrypted.
    public var keySize: UInt8
    /// Whether both sides keep the key for the next time.
    public var isBonded: Bool

    /// A state of protection.
    public init(level: Level = .none, keySize: UInt8 = 0, isBonded: Bool = false) {
        self.level = level
        self.keySize = keySize
        self.isBonded = isBonded
    }
}
