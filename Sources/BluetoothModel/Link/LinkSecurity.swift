/// The security of a link (Core 6.0, Vol 3, Part C, 10.2.1).
public struct LinkSecurity: Hashable, Sendable {
    /// The levels of LE security mode 1.
    public enum Level: Int, Hashable, Comparable, Sendable {
        /// No encryption.
        case none = 1
        /// Encrypted with an unauthenticated key, which does not protect against a man in the middle.
        case encrypted
        /// Encrypted with an authenticated key, which protects against a man in the middle.
        case authenticated
        /// Encrypted with an authenticated 128-bit key of LE Secure Connections.
        case secureConnections

        /// Returns true if `left` is the lower level.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The current level.
    public var level: Level
    /// The size of the encryption key in octets, 7 to 16; 0 without encryption.
    public var keySize: UInt8
    /// True if both sides store the key.
    public var isBonded: Bool

    /// Creates a security state.
    public init(level: Level = .none, keySize: UInt8 = 0, isBonded: Bool = false) {
        self.level = level
        self.keySize = keySize
        self.isBonded = isBonded
    }
}
