import BluetoothCipher

/// The keys of an encrypted link since its last start or refresh.
package struct EncryptionSession {
    /// The session key: the session key diversifier, encrypted with the long term key.
    let key: AESKey
    /// The initialization vector.
    let vector: UInt64

    /// Derives the keys.
    /// - Parameter longTermKey: 16 octets, the least significant one first.
    package init(longTermKey: [UInt8], central: EncryptionShare, peripheral: EncryptionShare) {
        // The central supplies the less significant half.
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
