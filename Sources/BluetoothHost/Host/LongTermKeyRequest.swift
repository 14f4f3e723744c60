import BluetoothModel

/// A request of a peer to encrypt a link with a certain key (Core 6.0, Vol 4, Part E, 7.7.65.5).
public struct LongTermKeyRequest {
    /// The link to encrypt.
    public let link: LELink
    /// The random number that identifies the key; 0 with LE Secure Connections.
    public let randomNumber: UInt64
    /// The diversifier that identifies the key; 0 with LE Secure Connections.
    public let diversifier: UInt16
}
