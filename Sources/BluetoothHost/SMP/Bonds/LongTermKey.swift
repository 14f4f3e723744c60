/// A key that encrypts links, and by what name the central asks for it (Core 6.0, Vol 3, Part H, 2.4.2.3).
public struct LongTermKey: Hashable, Sendable {
    /// The key.
    public var key: SecurityKey
    /// The encrypted diversifier; 0 for a key of LE Secure Connections.
    public var diversifier: UInt16
    /// The random number; 0 for a key of LE Secure Connections.
    public var randomNumber: UInt64

    /// A key and its name.
    public init(key: SecurityKey, diversifier: UInt16 = 0, randomNumber: UInt64 = 0) {
        self.key = key
        self.diversifier = diversifier
        self.randomNumber = randomNumber
    }
}

/// A key for signed writes, and how far its counter is (Core 6.0, Vol 3, Part H, 2.4.5).
public struct SigningKey: Hashable, Sendable {
    /// The key.
    public var key: SecurityKey
    /// The next value: the one that our next signature has, or the least that a signature of the peer may have.
    public var counter: UInt32

    /// A key at the beginning of its life, or later.
    public init(key: SecurityKey, counter: UInt32 = 0) {
        self.key = key
        self.counter = counter
    }
}
