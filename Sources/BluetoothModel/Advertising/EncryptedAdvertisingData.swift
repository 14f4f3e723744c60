/// Encrypted advertising structures (Core Specification Supplement, Part A, 1.23).
public struct EncryptedAdvertisingData: Hashable, Sendable {
    /// The randomizer of 5 bytes, which makes the nonce unique.
    public var randomizer: [UInt8]
    /// The encrypted structures.
    public var payload: [UInt8]
    /// The message integrity check of 4 bytes.
    public var messageIntegrityCheck: [UInt8]

    /// Creates encrypted data. `randomizer` has 5 bytes and `messageIntegrityCheck` 4.
    public init(randomizer: [UInt8], payload: [UInt8], messageIntegrityCheck: [UInt8]) {
        self.randomizer = randomizer
        self.payload = payload
        self.messageIntegrityCheck = messageIntegrityCheck
    }
}
