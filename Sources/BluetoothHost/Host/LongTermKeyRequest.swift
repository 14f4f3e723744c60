import BluetoothModel

/// A request of a peer to encrypt a link with a certain key (Core 6.0, Vol 4, Part E, 7.7.65.5).
package struct LongTermKeyRequest {
    /// The link to encrypt.
    package let link: LELink
    /// The random number that identifies the key; 0 with LE Secure Connections.
    package let randomNumber: UInt64
    /// The diversifier that identifies the key; 0 with LE Secure Connections.
    package let diversifier: UInt16
}
