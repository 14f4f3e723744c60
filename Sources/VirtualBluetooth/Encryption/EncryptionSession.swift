/// The keys of an encrypted link, from its start or its last refresh on.
struct EncryptionSession {
    /// The session key: the diversifier, encrypted with the long term key.
    let key: AESKey
    /// The initialization vector.
    let vector: UInt64

    /// - Parameter longTermKey: 16 octets, the least significant one first.
    init(longTermKey: [UInt8], central: EncryptionShare, peripheral: EncryptionShare) {
        // The central's half is the less significant one of both.
        var diversifier = AESKey.Block()
        for index in 0..<8 {
            let shift = 8 * UInt64(index)
            diversifier[15 - index] = UInt8(truncatingIfNeeded: central.diversifier >> shift)
            diversifier[7 - index] = UInt8(truncatingIfNeeded: peripheral.diversifier >> shift)
        }
        key = AESKey(AESKey(littleEndian: longTermKey).encrypt(diversifier))
        vector = UInt64(central.vector) | UInt64(peripheral.vector) << 32
    }
}
