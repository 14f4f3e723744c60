import BluetoothModel

/// The addresses of a link as one of its sides knows them.
struct LinkAddresses {
    /// What it calls itself on the air.
    var own: BluetoothAddress
    /// The address behind that: the same unless the controller made up a private one.
    var ownIdentity: BluetoothAddress
    var peer: PeerAddress

    /// The private address that the controller made up, if it did.
    var ownPrivate: BluetoothAddress? { own == ownIdentity ? nil : own }
}
