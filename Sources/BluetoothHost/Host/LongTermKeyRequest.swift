import BluetoothModel

/// A peer wants to encrypt a link, and names the key (Core 6.0, Vol 4, Part E, 7.7.65.5).
public struct LongTermKeyRequest {
    /// The link to encrypt.
    public let link: LELink
    /// The random number that names the key; 0 with LE Secure Connections.
    public let randomNumber: UInt64
    /// The diversifier that names the key; 0 with LE Secure Connections.
    public let diversifier: UInt16
}
