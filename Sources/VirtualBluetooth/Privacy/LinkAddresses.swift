import BluetoothModel

/// The addresses of a link as one of its sides knows them.
struct LinkAddresses {
    /// The address of this side in its packets.
    var own: BluetoothAddress
    /// The address of the device; the same as `own` unless the controller generated a private address.
    var ownIdentity: BluetoothAddress
    var peer: PeerAddress

    /// The private address that the controller generated; nil if it did not.
    var ownPrivate: BluetoothAddress? { own == ownIdentity ? nil : own }
}
