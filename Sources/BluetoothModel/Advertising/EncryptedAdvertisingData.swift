/// Advertising structures that only holders of the key can read (Core Specification Supplement, Part A, 1.23).
public struct EncryptedAdvertisingData: Hashable, Sendable {
    /// Five bytes that make the nonce unique.
    public var randomizer: [UInt8]
    /// The structures, encrypted.
    public var payload: [UInt8]
    /// Four bytes that show that nobody changed the payload.
    public var messageIntegrityCheck: [UInt8]

    /// Encrypted data from its parts; `randomizer` has 5 bytes and `messageIntegrityCheck` 4.
    public init(randomizer: [UInt8], payload: [UInt8], messageIntegrityCheck: [UInt8]) {
        self.randomizer = randomizer
        self.payload = payload
        self.messageIntegrityCheck = messageIntegrityCheck
    }
}
