/// A key that encrypts links, and the identifiers by which the central requests it (Core 6.0, Vol 3, Part H, 2.4.2.3).
package struct LongTermKey: Hashable, Sendable {
    /// The key.
    package var key: SecurityKey
    /// The encrypted diversifier; 0 for a key of LE Secure Connections.
    package var diversifier: UInt16
    /// The random number; 0 for a key of LE Secure Connections.
    package var randomNumber: UInt64

    /// Creates a key with its identifiers.
    package init(key: SecurityKey, diversifier: UInt16 = 0, randomNumber: UInt64 = 0) {
        self.key = key
        self.diversifier = diversifier
        self.randomNumber = randomNumber
    }
}

/// A key for signed writes, and its counter (Core 6.0, Vol 3, Part H, 2.4.5).
package struct SigningKey: Hashable, Sendable {
    /// The key.
    package var key: SecurityKey
    /// The next counter value: that of the next local signature, or the minimum for the next signature of the peer.
    package var counter: UInt32

    /// Creates a key with a counter value.
    package init(key: SecurityKey, counter: UInt32 = 0) {
        self.key = key
        self.counter = counter
    }
}
